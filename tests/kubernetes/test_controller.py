from datetime import UTC, datetime

import pytest

from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.outcomes import Done, Terminal, Transient, Wait
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.objects import FINALIZER
from tests.kubernetes.conftest import Sync
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.store import Json, Ref
from tests.support.kubernetes.widgets import PART, TEAM, WIDGET, Parts, Widgets, ready

NAME = "projects/p/widgets/w"
MANAGER = f"namespaces/{TEAM}/widgets/w"


def ref(name: str = "w", plural: str = "widgets") -> Ref:
    return Ref(WIDGET.group, "v1", plural, TEAM, name)


def namespace_ref() -> Ref:
    return Ref("", "v1", "namespaces", "", TEAM)


def namespace(api: ApiServer, **labels: str) -> None:
    given = {key.replace("__", "/").replace("_", "."): value for key, value in labels.items()}
    metadata = {"name": TEAM, "labels": given or {"cycloud.jp/project": "p"}}
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    api.store.create(namespace_ref(), body, "admin")


def apply_widget(api: ApiServer, size: int = 1, name: str = "w", manager: str = "kubectl") -> Json:
    body = {
        "apiVersion": WIDGET.api_version,
        "kind": "Widget",
        "metadata": {"name": name, "namespace": TEAM},
        "spec": {"size": size},
    }
    return api.store.apply(ref(name), body, manager)


def condition(found: Json, type_: str) -> Json:
    return next(item for item in found["status"]["conditions"] if item["type"] == type_)


def events(api: ApiServer) -> list[tuple[str, str, str]]:
    items, _ = api.store.listing("events.k8s.io", "events", "")
    return [(item["type"], item["reason"], item["note"]) for item in items]


def test_a_row_of_the_api_is_written_with_its_namespace_and_status(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    row = widgets.add(NAME, size=3, labels={"env": "prod"}, status={"state": "Running"})

    assert sync.run(NAME) == Done()

    found = api.store.get(ref())
    assert found["spec"] == {"size": 3}
    assert found["metadata"]["labels"] == {"env": "prod", "cycloud.jp/managed-by": "api"}
    assert "finalizers" not in found["metadata"]
    assert found["status"]["uid"] == str(row.uid)
    assert found["status"]["state"] == "Running"
    assert found["status"]["observedGeneration"] == 1
    assert condition(found, "Ready")["observedGeneration"] == 1
    made = api.store.get(namespace_ref())
    assert made["metadata"]["labels"]["cycloud.jp/project"] == "p"


def test_a_pass_that_finds_everything_as_it_is_to_be_writes_nothing(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME, labels={"env": "prod"}, annotations={"note": "x"})
    sync.run(NAME)
    before = api.writes()

    sync.run(NAME)

    assert api.writes() == before


def test_a_changed_row_is_written_and_a_dropped_label_goes(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME, labels={"env": "prod", "tier": "1"})
    sync.run(NAME)
    widgets.change(NAME, spec={"size": 9}, labels={"env": "prod"})

    sync.run(NAME)

    found = api.store.get(ref())
    assert found["spec"] == {"size": 9}
    assert found["metadata"]["labels"] == {"env": "prod", "cycloud.jp/managed-by": "api"}
    assert found["metadata"]["generation"] == 2
    assert events(api) == []


def test_what_is_not_settled_is_said_to_be_of_an_earlier_generation(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME, settled=False)
    sync.run(NAME)

    found = api.store.get(ref())

    assert condition(found, "Ready")["observedGeneration"] == 0
    assert found["status"]["observedGeneration"] == 0


def test_an_object_goes_with_its_row(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME)
    sync.run(NAME)
    del widgets.rows[NAME]

    sync.run(NAME)

    assert api.store.listing(WIDGET.group, "widgets", "")[0] == []


def test_an_object_that_got_lost_is_written_anew(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME, size=4)
    sync.run(NAME)
    api.store.wipe()

    sync.run(NAME)

    assert api.store.get(ref())["spec"] == {"size": 4}


def test_a_spec_that_somebody_else_wrote_is_put_back_with_an_event(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME, size=4)
    sync.run(NAME)
    apply_widget(api, size=5, manager="kubectl")

    sync.run(NAME)

    assert api.store.get(ref())["spec"] == {"size": 4}
    (event,) = events(api)
    assert event[:2] == ("Warning", "PutBack")
    assert "kubectl wrote to the spec" in event[2]


def test_a_field_that_somebody_added_is_taken_away(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME, size=4)
    sync.run(NAME)
    found = api.store.get(ref())
    api.store.replace(ref(), {**found, "spec": {"size": 4, "colour": "red"}}, "kubectl")

    sync.run(NAME)

    assert api.store.get(ref())["spec"] == {"size": 4}


def test_a_status_that_somebody_else_wrote_is_put_back_with_an_event(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME, status={"state": "Running"})
    sync.run(NAME)
    found = api.store.get(ref())
    status = {**found["status"], "state": "Stopped", "more": 1}
    api.store.replace(ref(), {**found, "status": status}, "kubectl", subresource="status")

    sync.run(NAME)

    assert api.store.get(ref())["status"] == found["status"]
    assert [event[1] for event in events(api)] == ["PutBack"]


def test_each_change_of_the_reason_is_an_event_once(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME)
    sync.run(NAME)
    widgets.change(NAME, conditions=(ready("ProviderError", ok=False, message="It broke."),))

    sync.run(NAME)
    sync.run(NAME)

    assert events(api) == [("Warning", "ProviderError", "It broke.")]


def test_an_event_on_a_provider_object_says_no_more_than_the_reason(
    sync: Sync, api: ApiServer, widgets: Widgets, parts: Parts, binding: NamespaceBinding
) -> None:
    widgets.add(NAME)
    parts.add(NAME)
    sync.run(NAME)

    sync.run(NAME, "Part")

    assert events(api) == [("Warning", "ProviderError", "ProviderError")]


def test_a_provider_object_waits_for_its_owner_and_belongs_to_it(
    sync: Sync, api: ApiServer, widgets: Widgets, parts: Parts, binding: NamespaceBinding
) -> None:
    widgets.add(NAME)
    parts.add(NAME)
    assert isinstance(sync.run(NAME, "Part"), Wait)
    sync.run(NAME)

    sync.run(NAME, "Part")

    (reference,) = api.store.get(ref(plural="parts"))["metadata"]["ownerReferences"]
    assert reference["uid"] == api.store.get(ref())["metadata"]["uid"]
    assert (reference["kind"], reference["controller"]) == ("Widget", True)


def test_a_declaration_is_taken_in_as_the_bound_service_account(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api, size=7)

    assert sync.run(NAME) == Done()

    assert widgets.taken == [("serviceAccounts/p/gitops", NAME, {"size": 7})]
    assert widgets.rows[NAME].managed_by == MANAGER
    found = api.store.get(ref())
    assert found["metadata"]["finalizers"] == [FINALIZER]
    assert found["metadata"]["labels"] == {"cycloud.jp/managed-by": "kubernetes"}
    assert condition(found, "Accepted")["status"] == "True"
    assert found["status"]["uid"] == str(widgets.rows[NAME].uid)


def test_a_later_edit_is_taken_in_and_not_overwritten(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api, size=7)
    sync.run(NAME)
    apply_widget(api, size=8)

    sync.run(NAME)

    assert widgets.rows[NAME].spec == {"size": 8}
    assert api.store.get(ref())["spec"] == {"size": 8}
    before = api.writes()
    sync.run(NAME)
    assert api.writes() == before


def test_a_refused_declaration_says_why_and_is_not_held(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api, size=7)
    widgets.refusal = InvalidArgument.field("spec.size", "is too large.")

    assert isinstance(sync.run(NAME), Terminal)

    found = api.store.get(ref())
    accepted = condition(found, "Accepted")
    assert (accepted["status"], accepted["reason"]) == ("False", "InvalidArgument")
    assert "spec.size: is too large." in accepted["message"]
    assert "finalizers" not in found["metadata"]
    assert widgets.rows == {}
    assert [event[:2] for event in events(api)] == [("Warning", "InvalidArgument")]
    entry = AuditEntry.objects.get(method="ApplyWidget")
    assert (entry.principal, entry.outcome) == ("serviceAccounts/p/gitops", "INVALID_ARGUMENT")


def test_the_same_refusal_again_is_neither_written_nor_audited_again(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api)
    widgets.refusal = FailedPrecondition("Not now.", reason="NOT_NOW")
    assert isinstance(sync.run(NAME), Transient)
    before = api.writes()

    sync.run(NAME)

    assert api.writes() == before
    assert AuditEntry.objects.filter(method="ApplyWidget").count() == 1


def test_a_refused_edit_leaves_the_row_and_says_that_ready_is_of_before(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api, size=7)
    sync.run(NAME)
    widgets.refusal = InvalidArgument.field("spec.size", "is too large.")
    apply_widget(api, size=99)

    sync.run(NAME)

    found = api.store.get(ref())
    generation = found["metadata"]["generation"]
    assert widgets.rows[NAME].spec == {"size": 7}
    assert condition(found, "Accepted")["observedGeneration"] == generation
    assert condition(found, "Ready")["observedGeneration"] == generation - 1


def test_what_is_taken_in_wakes_those_that_were_refused_before(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api, name="later")
    widgets.refusal = FailedPrecondition("It is not there yet.", reason="REFERENCE_NOT_FOUND")
    sync.run("projects/p/widgets/later")
    widgets.refusal = None
    apply_widget(api)

    sync.run(NAME)

    assert set(widgets.rows) == {NAME, "projects/p/widgets/later"}


def test_a_namespace_that_is_bound_to_nobody_takes_nothing_in(
    sync: Sync, api: ApiServer, widgets: Widgets
) -> None:
    namespace(api)
    apply_widget(api)

    assert isinstance(sync.run(f"namespaces/{TEAM}/widgets/w"), Terminal)

    accepted = condition(api.store.get(ref()), "Accepted")
    assert (accepted["status"], accepted["reason"]) == ("False", "NamespaceNotBound")
    assert widgets.rows == {}


def test_a_namespace_that_was_bound_meanwhile_takes_in_under_the_project(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api)

    sync.run(f"namespaces/{TEAM}/widgets/w")

    assert set(widgets.rows) == {NAME}


def test_deleting_the_object_deletes_the_resource_and_then_the_object_goes(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api)
    sync.run(NAME)
    api.store.delete(ref())

    sync.run(NAME)

    assert widgets.removed == [NAME]
    assert api.store.listing(WIDGET.group, "widgets", "")[0] == []


def test_the_object_is_held_while_the_resource_is_on_its_way_out(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api)
    sync.run(NAME)
    widgets.goes_at_once = False
    api.store.delete(ref())

    sync.run(NAME)

    assert condition(api.store.get(ref()), "Ready")["reason"] == "Deleting"
    del widgets.rows[NAME]
    sync.run(NAME)
    assert api.store.listing(WIDGET.group, "widgets", "")[0] == []


def test_a_refused_deletion_says_what_it_waits_for(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api)
    sync.run(NAME)
    widgets.refusal = FailedPrecondition("It is protected.", reason="DELETION_PROTECTED")
    api.store.delete(ref())

    assert isinstance(sync.run(NAME), Transient)

    assert condition(api.store.get(ref()), "Accepted")["message"] == "It is protected."
    assert NAME in widgets.rows


def test_a_managed_object_that_got_lost_is_written_anew_and_is_still_its_owners(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api, size=7)
    sync.run(NAME)
    api.store.wipe()

    sync.run(NAME)

    found = api.store.get(ref())
    assert found["spec"] == {"size": 7}
    assert found["metadata"]["finalizers"] == [FINALIZER]
    managers = {entry["manager"] for entry in found["metadata"]["managedFields"]}
    assert managers == {"cycloud-meta", "cycloud-status"}
    assert NAME in widgets.rows
    assert widgets.removed == []


def test_a_released_object_is_written_by_us_again_and_no_longer_held(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api, size=7)
    sync.run(NAME)
    widgets.change(NAME, managed_by="", spec={"size": 8})

    sync.run(NAME)

    found = api.store.get(ref())
    assert found["spec"] == {"size": 8}
    assert not found["metadata"].get("finalizers")
    assert found["metadata"]["labels"] == {"cycloud.jp/managed-by": "api"}


def test_an_object_of_an_earlier_resource_of_that_name_is_replaced(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME, size=1)
    sync.run(NAME)
    earlier = api.store.get(ref())["metadata"]["uid"]
    row = widgets.add(NAME, size=2)

    assert isinstance(sync.run(NAME), Wait)
    sync.run(NAME)

    found = api.store.get(ref())
    assert found["metadata"]["uid"] != earlier
    assert found["status"]["uid"] == str(row.uid)


def test_a_namespace_of_somebody_else_is_not_written_to(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api, cycloud_jp__project="other")
    widgets.add(NAME)

    assert isinstance(sync.run(NAME), Terminal)

    assert api.store.listing(WIDGET.group, "widgets", "")[0] == []


def test_a_kind_that_is_only_shown_is_not_taken_in(
    sync: Sync, api: ApiServer, parts: Parts, binding: NamespaceBinding
) -> None:
    namespace(api)
    metadata = {"name": "w", "namespace": TEAM}
    body = {"apiVersion": PART.api_version, "kind": "Part", "metadata": metadata, "spec": {}}
    api.store.create(ref(plural="parts"), body, "kubectl")

    assert isinstance(sync.run(NAME, "Part"), Terminal)

    assert condition(api.store.get(ref(plural="parts")), "Accepted")["reason"] == "ReadOnlyKind"


@pytest.mark.parametrize(
    ("code", "reason"), [(409, "Conflict"), (500, "InternalError"), (403, "Forbidden")]
)
def test_an_answer_that_is_an_error_is_tried_again_and_nothing_is_lost(
    sync: Sync,
    api: ApiServer,
    widgets: Widgets,
    binding: NamespaceBinding,
    code: int,
    reason: str,
) -> None:
    widgets.add(NAME, size=2)
    api.faults.answers.append((code, reason))

    assert isinstance(sync.run(NAME), Transient)
    sync.run(NAME)

    assert api.store.get(ref())["spec"] == {"size": 2}


def test_times_are_whole_seconds_in_utc(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME)
    sync.run(NAME)

    text = condition(api.store.get(ref()), "Ready")["lastTransitionTime"]

    assert datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).year == 2026


def test_an_edit_of_an_object_that_is_being_deleted_can_let_it_go(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    namespace(api)
    apply_widget(api)
    sync.run(NAME)
    widgets.protected_size = 1
    api.store.delete(ref())
    assert isinstance(sync.run(NAME), Transient)
    apply_widget(api, size=2)

    sync.run(NAME)
    sync.run(NAME)

    assert NAME not in widgets.rows
