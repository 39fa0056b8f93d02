"""The gauges that the database gives: queue, readiness, deletion."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from compute.models import Instance, Volume
from cycloud.core.conditions import READY, Condition, Status
from cycloud.core.metrics.database import queue_metrics, resource_metrics
from cycloud.core.reconcile.models import DueRow, Lane
from tests.factories.compute import InstanceFactory, VolumeFactory
from tests.support.engine import Clock, frozen_clock

Labels = dict[str, str]


@pytest.fixture
def clock(db: None) -> Iterator[Clock]:
    with frozen_clock() as clock:
        yield clock


def read(metrics: Any) -> dict[str, list[tuple[Labels, float]]]:
    return {m.name: [(dict(s.labels), s.value) for s in m.samples] for m in metrics}


def value(found: dict[str, list[tuple[Labels, float]]], name: str, **labels: str) -> float | None:
    values = [number for have, number in found[name] if have == labels]
    assert len(values) < 2
    return values[0] if values else None


def row(clock: Clock, *, lane: Lane, ago: float | None, leased: float | None = None) -> None:
    time = clock.time
    DueRow.objects.create(
        controller="volume",
        key=str(uuid4()),
        queue="cluster.kvm-a",
        lane=lane,
        requested=time,
        due=None if ago is None else time - timedelta(seconds=ago),
        lease_expires=None if leased is None else time + timedelta(seconds=leased),
    )


def test_depth_and_age_are_of_what_is_due_and_free_by_lane(clock: Clock) -> None:
    for ago in (5, 70, -30):
        row(clock, lane=Lane.USER, ago=ago)
    row(clock, lane=Lane.USER, ago=500, leased=60)
    row(clock, lane=Lane.EVENT, ago=9, leased=-1)
    row(clock, lane=Lane.RESYNC, ago=None)
    found = read(queue_metrics())
    queue = "cluster.kvm-a"
    lanes = ("user", "event", "resync")
    assert [value(found, "cycloud_queue_depth", queue=queue, lane=i) for i in lanes] == [2, 1, 0]
    ages = [value(found, "cycloud_queue_age_seconds", queue=queue, lane=i) for i in lanes]
    assert ages == [70, 9, 0]
    leased = [value(found, "cycloud_queue_leased", queue=queue, lane=i) for i in lanes]
    assert leased == [1, 0, 0]
    assert value(found, "cycloud_queue_parked", controller="volume") == 1


def test_an_empty_queue_is_told_as_zero(clock: Clock) -> None:
    found = read(queue_metrics())
    for lane in ("user", "event", "resync"):
        assert value(found, "cycloud_queue_depth", queue="cycloud", lane=lane) == 0
        assert value(found, "cycloud_queue_age_seconds", queue="cycloud", lane=lane) == 0


def settle(instance: Instance | Volume, clock: Clock, status: Status, reason: str) -> None:
    instance.publish([Condition(READY, status, reason, "x", 1)], clock.time)


def test_seconds_in_ready_false_are_those_of_the_longest_by_kind_and_reason(clock: Clock) -> None:
    first, second, third, fourth, _ = InstanceFactory.create_batch(5)
    settle(first, clock, Status.FALSE, "MoveBlocked")
    clock.advance(100.5)
    settle(second, clock, Status.FALSE, "MoveBlocked")
    settle(third, clock, Status.FALSE, "Creating")
    settle(fourth, clock, Status.TRUE, "Updated")
    clock.advance(20)
    found = read(resource_metrics())
    blocked = {"kind": "Instance", "reason": "MoveBlocked"}
    assert value(found, "cycloud_resource_not_ready_seconds", **blocked) == 120.5
    assert value(found, "cycloud_resources_not_ready", **blocked) == 2
    creating = {"kind": "Instance", "reason": "Creating"}
    assert value(found, "cycloud_resource_not_ready_seconds", **creating) == 20
    counts = {
        labels["ready"]: number
        for labels, number in found["cycloud_resources"]
        if labels["kind"] == "Instance"
    }
    assert counts == {"None": 1, "False": 3, "True": 1, "Unknown": 0}


def test_a_change_of_reason_does_not_start_the_time_anew(clock: Clock) -> None:
    instance = InstanceFactory.create()
    settle(instance, clock, Status.FALSE, "Creating")
    clock.advance(60)
    settle(instance, clock, Status.FALSE, "QuotaExceeded")
    found = read(resource_metrics())
    labels = {"kind": "Instance", "reason": "QuotaExceeded"}
    assert value(found, "cycloud_resource_not_ready_seconds", **labels) == 60


def test_deletion_counts_from_the_purge_time_on_where_data_is_kept(clock: Clock) -> None:
    deleted = clock.time
    InstanceFactory.create(delete_time=deleted)
    VolumeFactory.create(delete_time=deleted, purge_time=deleted + timedelta(seconds=3600))
    clock.advance(1800)
    found = read(resource_metrics())
    assert value(found, "cycloud_resource_deleting_seconds", kind="Instance") == 1800
    assert value(found, "cycloud_resources_deleting", kind="Volume") == 0
    assert value(found, "cycloud_resource_deleting_seconds", kind="Volume") == 0
    clock.advance(1860)
    found = read(resource_metrics())
    assert value(found, "cycloud_resources_deleting", kind="Volume") == 1
    assert value(found, "cycloud_resource_deleting_seconds", kind="Volume") == 60


def test_what_is_deleted_is_not_told_as_not_ready(clock: Clock) -> None:
    volume = VolumeFactory.create(delete_time=clock.time)
    settle(volume, clock, Status.FALSE, "Deleting")
    found = read(resource_metrics())
    assert not [labels for labels, _ in found["cycloud_resources_not_ready"] if labels]


def test_the_number_of_queries_does_not_grow_with_the_rows(
    clock: Clock, django_assert_max_num_queries: Any
) -> None:
    for instance in InstanceFactory.create_batch(30):
        settle(instance, clock, Status.FALSE, "Creating")
    with django_assert_max_num_queries(30):
        read(queue_metrics())
        read(resource_metrics())
