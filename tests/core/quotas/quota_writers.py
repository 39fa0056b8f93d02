"""Sixteen writers on one project's quotas. Run by test_quota_writers.py, once per kind of database."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compute.models import Instance, Volume
from compute.services.instances import InstanceUpdate, VolumeReference, update_instance
from compute.services.volumes import delete_volume, grow_volume, undelete_volume
from cycloud.core.aip.errors import ResourceExhausted
from cycloud.core.quotas.selectors import quotas_of
from networking.models import NetworkInterface
from tests.compute.services.calls import call, create
from tests.core.quotas.calls import change, limit, make_interface, make_volume, usage
from tests.factories.compute import World, make_world

pytestmark = pytest.mark.django_db(transaction=True)
WRITERS = 16


@pytest.fixture
def world(transactional_db: None) -> World:
    return make_world()


def race(writes: list[Callable[[], object]]) -> Counter[str]:
    """Start all writes at once; count those that are done and those that a quota refused. Other errors fail."""
    barrier = Barrier(len(writes))

    def work(write: Callable[[], object]) -> str:
        try:
            barrier.wait(timeout=60)
            write()
        except ResourceExhausted as refusal:
            return refusal.metadata["quota"].rpartition("/")[2]
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(writes)) as pool:
        return Counter(pool.map(work, writes))


@pytest.mark.parametrize(
    ("quota", "most", "room"),
    [("instances", 5, 5), ("vcpus", 11, 5), ("memory", 4096 * 4, 4), ("storage", 79, 3)],
)
def test_instances_cannot_overrun(world: World, quota: str, most: int, room: int) -> None:
    limit(world, **{quota: most})
    outcomes = race([partial(create, world, f"web-{i}") for i in range(WRITERS)])
    assert outcomes == {"done": room, quota: WRITERS - room}
    assert Instance.objects.count() == Volume.objects.count() == room
    assert NetworkInterface.objects.count() == room
    assert usage(world)[quota] <= most


def test_volumes_cannot_overrun(world: World) -> None:
    limit(world, volumes=7)
    outcomes = race([partial(make_volume, world)] * WRITERS)
    assert outcomes == {"done": 7, "volumes": WRITERS - 7}
    assert usage(world)["volumes"] == 7


def test_addresses_cannot_overrun(world: World) -> None:
    limit(world, addresses=7)
    outcomes = race([partial(make_interface, world)] * WRITERS)
    assert outcomes == {"done": 7, "addresses": WRITERS - 7}
    assert usage(world)["addresses"] == 7


def test_growing_volumes_cannot_overrun(world: World) -> None:
    volumes = [world.volume(size_gib=10) for _ in range(WRITERS)]
    limit(world, storage=WRITERS * 10 + 55)
    outcomes = race([partial(change, world, grow_volume, v, size_gib=20) for v in volumes])
    assert outcomes == {"done": 5, "storage": WRITERS - 5}
    assert usage(world)["storage"] == WRITERS * 10 + 50


def test_larger_types_cannot_overrun(world: World) -> None:
    world.medium.vcpus = 4
    world.medium.save()
    instances = [world.instance() for _ in range(WRITERS)]
    limit(world, vcpus=WRITERS * 2 + 7)
    changes = InstanceUpdate(instance_type=world.medium.resource_id)
    outcomes = race([partial(call, world, update_instance, i, changes=changes) for i in instances])
    assert outcomes == {"done": 3, "vcpus": WRITERS - 3}
    assert usage(world)["vcpus"] == WRITERS * 2 + 6


def test_volumes_that_come_back_cannot_overrun(world: World) -> None:
    volumes = [world.volume() for _ in range(WRITERS)]
    for volume in volumes:
        change(world, delete_volume, volume)
    limit(world, volumes=6)
    outcomes = race([partial(change, world, undelete_volume, v) for v in volumes])
    assert outcomes == {"done": 6, "volumes": WRITERS - 6}


def test_writers_of_all_kinds_neither_overrun_nor_wait_for_each_other(world: World) -> None:
    """Each locks the project and rows that another one locks too; a circle would be a deadlock."""
    volumes = [world.volume(size_gib=10) for _ in range(4)]
    instances = [world.instance() for _ in range(4)]
    limit(world, instances=6, vcpus=12, volumes=12, storage=150, addresses=8)
    changes = InstanceUpdate(instance_type=world.medium.resource_id)
    attached = [VolumeReference(volume.resource_id) for volume in volumes]
    writes: list[Callable[[], object]] = [
        *(partial(create, world, f"web-{i}", volumes=(attached[i],)) for i in range(4)),
        *(partial(change, world, grow_volume, v, size_gib=30) for v in volumes),
        *(partial(call, world, update_instance, i, changes=changes) for i in instances),
        *[partial(make_volume, world)] * 2,
        *[partial(make_interface, world)] * 2,
    ]
    outcomes = race(writes)
    assert outcomes["done"] >= 8
    assert sum(outcomes.values()) == WRITERS
    quotas = quotas_of(world.project, ["instances", "vcpus", "volumes", "storage", "addresses"])
    assert all(quota.usage <= quota.limit for quota in quotas), quotas
    assert usage(world)["instances"] == 6


def test_the_lock_is_taken_before_any_other_row(world: World) -> None:
    """One order of locks keeps writers from waiting for each other in a circle."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no row locks")
    volume = world.volume(size_gib=20)
    for write in (
        partial(create, world),
        partial(change, world, grow_volume, volume, size_gib=30),
        partial(make_interface, world),
    ):
        with CaptureQueriesContext(connection) as queries:
            write()
        locks = [q["sql"] for q in queries if " FOR " in q["sql"]]
        assert "iam_project" in locks[0] and "NO KEY" in locks[0], locks
