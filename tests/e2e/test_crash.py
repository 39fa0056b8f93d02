"""Workers killed at the two worst moments of a move: nothing is lost and nothing is made twice."""

import time
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.conftest import Machines
from tests.e2e.harness import pool
from tests.e2e.harness.clouds import UID_KEY, RealCloud
from tests.e2e.harness.machine import Machine
from tests.e2e.harness.portal import Portal

NOTHING = {"servers": 0, "ports": 0, "volumes": 0, "attachments": 0}
WHOLE = {"servers": 1, "ports": 1, "volumes": 2, "attachments": 2}
MOMENT_SECONDS = 120
# between two looks at a volume on its way: long enough to be hit
SLOW_POLL = {"CYCLOUD_POLL_SECONDS": "3"}


@pytest.fixture(scope="module")
def machine(machines: Machines) -> Machine:
    machine = machines("survivor")
    machine.create("m7a.small")
    machine.wait_running()
    machine.write()
    return machine


@pytest.fixture
def workers(portal: Portal) -> Iterator[Portal]:
    """The portal, whose workers run as usual again at the end."""
    yield portal
    portal.kill_workers()
    portal.start_workers()


def at_the_moment(what: str, is_now: Callable[[], bool], act: Callable[[], None]) -> None:
    """Act at once when ``is_now`` holds; the test may not wait between two looks."""
    end = time.monotonic() + MOMENT_SECONDS
    while not is_now():
        assert time.monotonic() < end, f"{what}: not within {MOMENT_SECONDS} s"
    act()


def spawned(machine: Machine, cloud: str, since: float) -> set[str]:
    """Ids of the servers in that cloud that ever ran with a volume of the machine."""
    lineage, ours = pool.lineage(UID_KEY), set(machine.uids.values())
    return {
        event.server
        for event in pool.guest_events(since)
        if event.cloud == cloud
        and event.event == "spawn"
        and {lineage.get(volume) for volume in event.volumes} & ours
    }


def test_killed_between_unmanage_and_manage(
    machine: Machine, workers: Portal, clouds: dict[str, RealCloud]
) -> None:
    begin, before = time.time(), machine.identity()
    root = machine.provider_volumes("a")["survivor-root"].id
    workers.kill_workers()
    workers.start_workers(SLOW_POLL)
    machine.declare_type("m8a.small")
    machine.stop()
    machine.user.verb(machine.name, "start")
    at_the_moment(
        "the unmanage", lambda: clouds["a"].volume_status(root) is None, workers.kill_workers
    )
    # no cloud knows these bytes now; only the pool has them, under their old name
    assert "survivor-root" not in machine.provider_volumes("a") | machine.provider_volumes("b")
    assert pool.image_name(root) in pool.names()
    workers.start_workers()
    machine.wait_running()
    assert machine.identity() == before
    assert machine.inventory("a") == NOTHING
    assert machine.inventory("b") == WHOLE
    assert len(spawned(machine, "b", begin)) == 1
    assert pool.doubles(pool.guest_events(begin), pool.lineage(UID_KEY)) == []


def test_killed_right_after_the_server_was_asked_for(
    machine: Machine, workers: Portal, clouds: dict[str, RealCloud]
) -> None:
    begin, before = time.time(), machine.identity()
    target = "b" if machine.servers("a") else "a"
    other = "a" if target == "b" else "b"
    machine.declare_type("m8a.medium" if target == "b" else "m7a.medium")
    machine.stop()
    machine.user.verb(machine.name, "start")
    compute = clouds[target].sdk.compute
    seen: list[str] = []

    def is_asked_for() -> bool:
        answer = compute.get("/servers", params={"name": machine.id})
        seen[:] = [server["id"] for server in answer.json()["servers"]]
        return bool(seen)

    at_the_moment("the server", is_asked_for, workers.kill_workers)
    workers.start_workers()
    machine.wait_running()
    assert [server.id for server in machine.servers(target)] == seen
    assert machine.identity() == before
    assert machine.inventory(other) == NOTHING
    assert machine.inventory(target) == WHOLE
    assert spawned(machine, target, begin) == set(seen)
    assert pool.doubles(pool.guest_events(begin), pool.lineage(UID_KEY)) == []
