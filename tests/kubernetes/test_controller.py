from datetime import UTC, datetime

import pytest

from cycloud.core.reconcile.outcomes import Done, Terminal, Transient, Wait
from cycloud.kubernetes.models import NamespaceBinding
from tests.kubernetes.conftest import Sync
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.steps import (
    NAME,
    apply_widget,
    condition,
    events,
    namespace,
    namespace_ref,
    ref,
)
from tests.support.kubernetes.widgets import WIDGET, Parts, Widgets, ready


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


def test_a_writer_who_does_not_give_up_is_told_by_one_event_that_counts(
    sync: Sync, api: ApiServer, widgets: Widgets, binding: NamespaceBinding
) -> None:
    widgets.add(NAME, size=4)
    sync.run(NAME)
    for size in (5, 6, 7):
        apply_widget(api, size=size, manager="kubectl")
        sync.run(NAME)

    (event,), _ = api.store.listing("events.k8s.io", "events", "")
    assert (event["reason"], event["series"]["count"]) == ("PutBack", 3)


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
