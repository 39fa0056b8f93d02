"""What breaks in one cloud heals by itself, and nobody in the other cloud notices."""

import time
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.conftest import Machines
from tests.e2e.harness import pool, testbed
from tests.e2e.harness.clouds import UID_KEY, RealCloud, wait_for
from tests.e2e.harness.machine import Machine

NOTHING = {"servers": 0, "ports": 0, "volumes": 0, "attachments": 0}
WHOLE = {"servers": 1, "ports": 1, "volumes": 2, "attachments": 2}
OUTAGE_SECONDS = 30
# the first resync is a minute after the portal's start
HEAL_SECONDS = 150


@pytest.fixture(scope="module")
def neighbour(machines: Machines) -> Machine:
    """An instance in A that has nothing to do with B."""
    machine = machines("neighbour")
    machine.create("m7a.small")
    machine.wait_running()
    return machine


@pytest.fixture
def nova_of_b() -> Iterator[None]:
    """B's nova-api runs at the end, however the test ended."""
    yield
    testbed.service("start", "b", "nova-api")


def test_a_server_deleted_by_hand_comes_back_on_its_volumes_with_its_address(
    neighbour: Machine, clouds: dict[str, RealCloud]
) -> None:
    neighbour.write("still here:")
    before = neighbour.identity()
    lost = neighbour.servers("a")[0].id
    clouds["a"].sdk.compute.delete_server(lost)
    wait_for("its end", lambda: clouds["a"].server_status(lost), lambda s: s is None)
    wait_for(
        "a new server",
        lambda: [s.status for s in neighbour.servers("a") if s.id != lost],
        lambda states: states == ["ACTIVE"],
        HEAL_SECONDS,
    )
    neighbour.wait_running()
    assert neighbour.identity() == before
    assert neighbour.inventory("a") == WHOLE


def stop_and_start(machine: Machine) -> float:
    """Return the seconds that a user waits for a stop and a start."""
    begin = time.monotonic()
    machine.stop()
    machine.start()
    return time.monotonic() - begin


def test_an_outage_of_one_cloud_in_a_move_is_outlived_and_slows_nobody_in_the_other(
    machines: Machines,
    neighbour: Machine,
    clouds: dict[str, RealCloud],
    nova_of_b: None,
    record_property: Callable[[str, object], None],
) -> None:
    mover, began = machines("outage-mover"), time.time()
    mover.create("m7a.small")
    mover.wait_running()
    mover.write()
    before, usual = mover.identity(), stop_and_start(neighbour)
    root = mover.provider_volumes("a")["outage-mover-root"].id
    mover.declare_type("m8a.small")
    mover.stop()
    mover.user.verb(mover.name, "start")
    wait_for("the middle", lambda: clouds["a"].volume_status(root), lambda s: s is None)
    testbed.service("stop", "b", "nova-api")
    end = time.monotonic() + OUTAGE_SECONDS
    during = stop_and_start(neighbour)
    rest = end - time.monotonic()
    if rest > 0:
        time.sleep(rest)
    assert mover.user.get(mover.name)["state"] != "RUNNING"
    testbed.service("start", "b", "nova-api")
    mover.wait_running()
    record_property("stop_and_start_seconds", f"{usual:.1f} usual, {during:.1f} in the outage")
    assert mover.identity() == before
    assert mover.inventory("a") == NOTHING
    assert mover.inventory("b") == WHOLE
    assert pool.doubles(pool.guest_events(began), pool.lineage(UID_KEY)) == []
    assert during <= 2 * usual + 3, f"{during:.1f} s instead of {usual:.1f} s"
