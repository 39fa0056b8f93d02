"""From objects that changed to rows of the queue."""

import logging
import threading
from typing import Any

import pytest
from django.db import OperationalError, connection

from cycloud.core.iam.models import Project
from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.marks import CONTROLLER, QUEUE
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.namespaces import names_in_namespace
from cycloud.kubernetes.watcher import marking
from cycloud.kubernetes.watcher.marking import BATCH, Marker, lane_of, mark_all, note_of
from tests.support.kubernetes.widgets import TEAM, Parts, Widgets

WIDGETS, PARTS = Widgets(), Parts()


@pytest.fixture
def binding(db: None) -> NamespaceBinding:
    project = Project.objects.create(resource_id="p")
    return NamespaceBinding.objects.create(project=project, namespace=TEAM)


@pytest.fixture
def marker() -> Marker:
    return Marker(threading.Event())


def observed(name: str, namespace: str = TEAM, **fields: object) -> Json:
    metadata = {"name": name, "namespace": namespace, "generation": 2}
    return {"metadata": metadata, **fields}


def rows() -> dict[str, int]:
    assert set(DueRow.objects.values_list("controller", "queue")) <= {(CONTROLLER, QUEUE)}
    return dict(DueRow.objects.values_list("key", "lane"))


@pytest.mark.parametrize(
    ("status", "lane"),
    [
        ({}, Lane.USER),
        (None, Lane.USER),
        ({"observedGeneration": 2}, Lane.USER),
        ({"uid": "u", "observedGeneration": 1}, Lane.USER),
        ({"uid": "u"}, Lane.USER),
        ({"uid": "u", "observedGeneration": 2}, Lane.EVENT),
    ],
)
def test_a_user_waits_where_an_object_is_not_taken_in_as_it_is(
    status: Json | None, lane: Lane
) -> None:
    assert lane_of(WIDGETS, observed("a", status=status)) == lane
    # nobody may write these, so nobody waits
    assert lane_of(PARTS, observed("a", status=status)) == Lane.EVENT


def test_objects_are_marked_by_the_names_of_their_resources(
    binding: NamespaceBinding, marker: Marker
) -> None:
    marker.note(note_of(WIDGETS, observed("a")), Lane.USER)
    marker.note(note_of(PARTS, observed("b")), Lane.EVENT)
    marker.note(note_of(WIDGETS, observed("c", "stranger")), Lane.USER)
    marker.note(note_of(WIDGETS, {"metadata": {"name": "d"}}), Lane.EVENT)
    assert marker.flush() == 4
    assert rows() == {
        "Widget:projects/p/widgets/a": Lane.USER,
        "Part:projects/p/widgets/b": Lane.EVENT,
        "Widget:namespaces/stranger/widgets/c": Lane.USER,
        "Widget:widgets/d": Lane.EVENT,
    }
    assert DueRow.objects.get(key="Widget:projects/p/widgets/a").project == "p"
    assert marker.pending == 0


def test_an_object_that_changed_often_is_marked_once_in_its_most_urgent_lane(
    binding: NamespaceBinding, marker: Marker
) -> None:
    for lane in (Lane.EVENT, Lane.USER, Lane.EVENT):
        marker.note(note_of(WIDGETS, observed("a")), lane)
    assert marker.flush() == 1
    assert rows() == {"Widget:projects/p/widgets/a": Lane.USER}
    assert DueRow.objects.get().sequence == 1


def test_users_come_first_when_there_is_much(binding: NamespaceBinding, marker: Marker) -> None:
    for number in range(BATCH):
        marker.note(note_of(WIDGETS, observed(f"a-{number}")), Lane.EVENT)
    marker.note(note_of(WIDGETS, observed("user")), Lane.USER)
    assert marker.flush() == BATCH
    assert rows()["Widget:projects/p/widgets/user"] == Lane.USER
    assert marker.pending == 1


def test_nothing_is_lost_by_an_error_of_the_database(
    binding: NamespaceBinding, marker: Marker, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker.note(note_of(WIDGETS, observed("a")), Lane.EVENT)
    with monkeypatch.context() as broken:
        broken.setattr(marking, "names_in_namespace", _away)
        with pytest.raises(OperationalError):
            marker.flush()
        # it changes again meanwhile
        marker.note(note_of(WIDGETS, observed("a")), Lane.USER)
    assert marker.flush() == 1
    assert rows() == {"Widget:projects/p/widgets/a": Lane.USER}


def test_the_thread_goes_on_when_the_database_is_back(
    binding: NamespaceBinding, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [OperationalError("away"), OperationalError("still away")]
    waits: list[float] = []

    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout or 0.0)
            return False

    stop = Stop()
    marker = Marker(stop)

    def names(*arguments: Any) -> list[str]:
        if failures:
            raise failures.pop()
        stop.set()
        return names_in_namespace(*arguments)

    monkeypatch.setattr(marking, "names_in_namespace", names)
    # the thread's connection is the test's here
    monkeypatch.setattr(marking, "close_old_connections", lambda: None)
    monkeypatch.setattr(connection, "close", lambda: None)
    marker.note(note_of(WIDGETS, observed("a")), Lane.USER)
    marker.run()
    assert rows() == {"Widget:projects/p/widgets/a": Lane.USER}
    assert len(waits) == 2


def test_a_name_that_no_resource_can_have_does_not_stop_the_others(
    binding: NamespaceBinding, marker: Marker, caplog: pytest.LogCaptureFixture
) -> None:
    marker.note(note_of(WIDGETS, observed("x" * 253)), Lane.USER)
    marker.note(note_of(WIDGETS, observed("a")), Lane.USER)
    with caplog.at_level(logging.WARNING):
        assert marker.flush() == 2
    assert rows() == {"Widget:projects/p/widgets/a": Lane.USER}
    assert "too long" in caplog.text


def test_many_names_are_all_marked(
    db: None,
) -> None:
    names = [f"projects/p/widgets/w-{number}" for number in range(2 * BATCH + 1)]
    assert mark_all(WIDGETS, names, Lane.RESYNC) == 2 * BATCH + 1
    assert set(rows().values()) == {Lane.RESYNC}
    assert len(rows()) == 2 * BATCH + 1


def _away(*_: object) -> list[str]:
    raise OperationalError("the database is away")
