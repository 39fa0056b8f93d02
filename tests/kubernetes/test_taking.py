from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.outcomes import Done, Terminal, Transient
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.objects import FINALIZER
from tests.kubernetes.conftest import Sync
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.steps import (
    MANAGER,
    NAME,
    apply_widget,
    condition,
    events,
    namespace,
    ref,
)
from tests.support.kubernetes.widgets import PART, TEAM, WIDGET, Parts, Widgets


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


def test_a_kind_that_is_only_shown_is_not_taken_in(
    sync: Sync, api: ApiServer, parts: Parts, binding: NamespaceBinding
) -> None:
    namespace(api)
    metadata = {"name": "w", "namespace": TEAM}
    body = {"apiVersion": PART.api_version, "kind": "Part", "metadata": metadata, "spec": {}}
    api.store.create(ref(plural="parts"), body, "kubectl")

    assert isinstance(sync.run(NAME, "Part"), Terminal)

    assert condition(api.store.get(ref(plural="parts")), "Accepted")["reason"] == "ReadOnlyKind"


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
