from typing import Any

import pytest

from cycloud.core.aip import errors
from cycloud.core.aip.errors import CycloudError, FieldViolation, InvalidArgument
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.webhooks import admission
from cycloud.kubernetes.webhooks.admission import verdict_on
from cycloud.kubernetes.webhooks.reviews import Verdict, admission_request
from tests.factories.iam import ProjectFactory
from tests.kubernetes.webhooks.machines import (
    NAME,
    PATH,
    FakeJudge,
    Machines,
    api_machine,
    machine,
    review,
)

pytestmark = pytest.mark.django_db
ALLOWED = Verdict()
PROTECTED = errors.FailedPrecondition(
    f"{NAME} is protected from deletion. Set deletion_protection to false first.",
    reason="DELETION_PROTECTED",
)
ATTACHED = errors.FailedPrecondition(f"{NAME} is attached to web-2.", reason="VOLUME_ATTACHED")
MISSING = InvalidArgument.field("spec.subnet", "there is no 's-1'", "REFERENCE_NOT_FOUND")
WRONG = InvalidArgument.field("spec.instanceType", "no such type", "INVALID")


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> Machines:
    NamespaceBinding.objects.create(
        project=ProjectFactory.create(resource_id="shop"), namespace="demo"
    )
    found = Machines()
    monkeypatch.setattr(admission, "taken_in_kinds", lambda: (found,))
    return found


def ask(judge: FakeJudge, operation: str, *objects: Json | None, **more: Any) -> Verdict:
    return verdict_on(admission_request(review(operation, *objects, **more)), judge)


def test_what_is_accepted_by_the_services_is_allowed(kind: Machines) -> None:
    judge = FakeJudge()
    assert ask(judge, "CREATE", machine()) == ALLOWED
    assert judge.asked == [(NAME, False)]


def test_a_namespace_of_nobody_is_asked_about_by_its_own_name(kind: Machines) -> None:
    judge = FakeJudge(errors.PermissionDenied("bound to nobody"))
    verdict = ask(judge, "CREATE", machine(), namespace="stray")
    assert judge.asked == [("namespaces/stray/instances/web-1", False)]
    assert verdict.denial is not None and verdict.denial.code == 403


@pytest.mark.parametrize(
    ("group", "kind_name"), [("other.example", "Instance"), ("compute.cycloud.example", "Other")]
)
def test_a_kind_that_this_version_does_not_know_is_allowed(
    kind: Machines, group: str, kind_name: str
) -> None:
    judge = FakeJudge(WRONG)
    asked = {"group": group, "version": "v1", "kind": kind_name}
    assert ask(judge, "CREATE", machine(), kind=asked) == ALLOWED
    assert judge.asked == []


def test_the_name_is_the_objects_where_the_request_has_none(kind: Machines) -> None:
    kind.has(managed_by=PATH)
    judge = FakeJudge()
    # how each object of "kubectl delete --all" is asked about
    ask(judge, "DELETE", None, machine(), name="")
    assert judge.asked == [(NAME, True)]


def test_an_object_without_a_name_is_left_to_the_intake(kind: Machines) -> None:
    judge = FakeJudge(WRONG)
    assert ask(judge, "CREATE", machine(metadata={"name": ""}), name="") == ALLOWED


# -- updates


@pytest.mark.parametrize(
    "metadata",
    [
        {"finalizers": ["example.com/hold"]},
        {"ownerReferences": [{"name": "x"}]},
        {"labels": {"cycloud.jp/managed-by": "kubernetes"}},
        {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}},
    ],
)
def test_what_declares_the_same_is_not_judged(kind: Machines, metadata: Json) -> None:
    judge = FakeJudge(WRONG)
    assert ask(judge, "UPDATE", machine(metadata=metadata), machine()) == ALLOWED
    assert judge.asked == []


def test_an_object_on_its_way_out_may_lose_its_finalizers(kind: Machines) -> None:
    judge = FakeJudge(WRONG)
    going = machine(metadata={"deletionTimestamp": "2026-11-30T06:50:45Z"}, instanceType="x")
    assert ask(judge, "UPDATE", going, machine()) == ALLOWED


def test_a_change_of_the_spec_is_denied_with_its_field(kind: Machines) -> None:
    kind.has(managed_by=PATH)
    denial = ask(FakeJudge(WRONG), "UPDATE", machine(instanceType="x"), machine()).denial
    assert denial is not None
    assert (denial.code, denial.reason) == (422, "Invalid")
    assert [(cause.field, cause.message) for cause in denial.causes] == [
        ("spec.instanceType", "no such type")
    ]


def test_what_was_wrong_before_does_not_stop_a_change_of_labels(kind: Machines) -> None:
    kind.has(managed_by=PATH)
    labelled = machine(metadata={"labels": {"team": "a"}})
    verdict = ask(FakeJudge(WRONG), "UPDATE", labelled, machine())
    assert verdict.denial is None
    assert verdict.warnings == ("Not taken in as it is now: spec.instanceType: no such type",)
    bad_label = InvalidArgument.field("metadata.labels", "too long", "INVALID")
    assert ask(FakeJudge(bad_label), "UPDATE", labelled, machine()).denial is not None


# -- what is let in with a warning


@pytest.mark.parametrize(
    "error",
    [
        MISSING,
        errors.NotFound("There is no Volume data-1.", resource="projects/shop/volumes/data-1"),
        errors.Unavailable("Try later."),
        errors.Aborted("Somebody was faster."),
    ],
)
def test_what_may_pass_by_itself_is_let_in_with_a_warning(
    kind: Machines, error: CycloudError
) -> None:
    verdict = ask(FakeJudge(error), "CREATE", machine())
    assert verdict == Verdict(warnings=(f"Not taken in as it is now: {error.message}",))


def test_a_wrong_field_beside_a_missing_reference_is_denied(kind: Machines) -> None:
    both = InvalidArgument(
        "Two fields are wrong.",
        violations=[*MISSING.violations, FieldViolation("spec.size", "shrinks")],
    )
    denial = ask(FakeJudge(both), "CREATE", machine()).denial
    assert denial is not None
    assert [cause.field for cause in denial.causes] == ["spec.subnet", "spec.size"]


def test_a_hidden_project_is_no_reference_that_may_come(kind: Machines) -> None:
    hidden = errors.NotFound("There is no project.", reason="PROJECT_NOT_FOUND")
    assert ask(FakeJudge(hidden), "CREATE", machine()).denial is not None


def test_a_field_that_is_not_used_yet_is_told_once(kind: Machines) -> None:
    with_queue = machine(rabbitMQConfig={"name": "mq"})
    warnings = ask(FakeJudge(), "CREATE", with_queue).warnings
    assert len(warnings) == 1 and "spec.rabbitMQConfig is not used yet" in warnings[0]
    changed = machine(rabbitMQConfig={"name": "mq"}, instanceType="x")
    assert ask(FakeJudge(), "UPDATE", changed, with_queue) == ALLOWED


def test_a_warning_is_one_line_of_a_size_that_the_api_server_passes_on(kind: Machines) -> None:
    error = errors.Unavailable("a\nb " + "x" * 5000)
    (warning,) = ask(FakeJudge(error), "CREATE", machine()).warnings
    assert warning.startswith("Not taken in as it is now: a b xxx")
    assert (len(warning), "\n" in warning) == (1000, False)


# -- what the API owns


def test_a_change_of_what_the_api_owns_is_allowed_and_told_to_be_put_back(kind: Machines) -> None:
    kind.has(managed_by="", spec={"instanceType": "m8a.medium"})
    judge = FakeJudge(WRONG)
    verdict = ask(judge, "UPDATE", api_machine(instanceType="x"), api_machine())
    assert verdict.denial is None and judge.asked == []
    (warning,) = verdict.warnings
    assert "what is written here is put back" in warning
    assert f"manage.py kubernetes adopt Instance {NAME}" in warning


def test_what_is_added_beside_what_the_api_owns_is_no_news(kind: Machines) -> None:
    kind.has(managed_by="", spec={"instanceType": "m8a.medium"})
    labelled = api_machine()
    labelled["metadata"]["labels"] = {**labelled["metadata"]["labels"], "team": "a"}
    assert ask(FakeJudge(), "UPDATE", labelled, api_machine()) == ALLOWED


def test_a_manifest_for_what_the_api_has_already_does_not_take_it_over(kind: Machines) -> None:
    kind.has(managed_by="", spec={"instanceType": "m8a.medium"})
    verdict = ask(FakeJudge(), "CREATE", machine())
    assert verdict.denial is None and "managed by the API" in verdict.warnings[0]


# -- deletions


def test_what_is_protected_cannot_be_deleted_and_is_told_where_to_change_that(
    kind: Machines,
) -> None:
    kind.has(managed_by=PATH)
    judge = FakeJudge(PROTECTED)
    denial = ask(judge, "DELETE", None, machine()).denial
    assert judge.asked == [(NAME, True)]
    assert denial is not None
    assert (denial.code, denial.reason) == (422, "DeletionProtected")
    assert denial.message == (
        "Instance web-1 is protected from deletion. Set spec.deletionProtection to false first."
    )


@pytest.mark.parametrize("error", [ATTACHED, errors.PermissionDenied("bound to nobody")])
def test_a_deletion_that_must_wait_begins_with_a_warning(
    kind: Machines, error: CycloudError
) -> None:
    kind.has(managed_by=PATH)
    verdict = ask(FakeJudge(error), "DELETE", None, machine())
    assert verdict == Verdict(warnings=(f"The deletion waits: {error.message}",))


def test_a_deletion_that_the_services_do_is_allowed_without_a_word(kind: Machines) -> None:
    kind.has(managed_by=PATH)
    assert ask(FakeJudge(), "DELETE", None, machine()) == ALLOWED


def test_the_object_of_what_the_api_owns_comes_back(kind: Machines) -> None:
    kind.has(managed_by="")
    judge = FakeJudge(PROTECTED)
    verdict = ask(judge, "DELETE", None, api_machine())
    assert verdict.denial is None and judge.asked == []
    assert "its object is written again" in verdict.warnings[0]


@pytest.mark.parametrize("managed_by", [None, "namespaces/other/instances/web-1"])
def test_an_object_that_stands_for_nothing_may_go(kind: Machines, managed_by: str | None) -> None:
    if managed_by is not None:
        kind.has(managed_by=managed_by)
    judge = FakeJudge(PROTECTED)
    assert ask(judge, "DELETE", None, machine()) == ALLOWED
    assert judge.asked == []


def test_a_second_deletion_is_not_judged_again(kind: Machines) -> None:
    kind.has(managed_by=PATH)
    going = machine(metadata={"deletionTimestamp": "2026-11-30T06:50:45Z"})
    assert ask(FakeJudge(PROTECTED), "DELETE", None, going) == ALLOWED
