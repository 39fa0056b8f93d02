"""A move that Cinder would refuse is refused before anything of the instance is touched."""

import time
from dataclasses import dataclass

import pytest

from tests.e2e.conftest import Machines
from tests.e2e.harness import pool
from tests.e2e.harness.clouds import RealCloud
from tests.e2e.harness.machine import Identity, Machine
from tests.e2e.harness.rest import Resource, Rest, condition


@dataclass(frozen=True)
class Story:
    """A snapshot made behind the portal's back, its refusals, and what came after its end."""

    machine: Machine
    before: Identity
    server: tuple[str, str]
    declared: Resource
    restarted: Resource
    server_after: list[tuple[str, str]]
    events: list[pool.GuestEvent]
    in_b: dict[str, int]
    freed: Resource
    identity: Identity


@pytest.fixture(scope="module")
def story(machines: Machines, user: Rest, clouds: dict[str, RealCloud]) -> Story:
    machine, cloud = machines("kept"), clouds["a"]
    machine.create("m7a.small")
    machine.wait_running()
    machine.write()
    before = machine.identity()
    server = _servers(machine)[0]
    volume = machine.provider_volumes("a")["kept-data"].id
    snapshot, begin = cloud.snapshot_volume(volume), time.time()
    try:
        machine.declare_type("m8a.small")
        declared = user.wait_reason(machine.name, "MoveBlocked")
        # the user insists: the controllers look again, and refuse again
        user.verb(machine.name, "restart")
        restarted = user.wait_for(
            machine.name,
            "a refused restart",
            lambda found: (
                found["generation"] > declared["generation"]
                and found["observed_generation"] == found["generation"]
                and condition(found, "Ready").get("reason") == "MoveBlocked"
            ),
        )
        server_after = _servers(machine)
        events = [e for e in pool.guest_events(since=begin) if e.server == server[0]]
        in_b = machine.inventory("b")
    finally:
        cloud.delete_snapshot(snapshot)
    freed = machine.wait_running()
    return Story(
        machine,
        before,
        server,
        declared,
        restarted,
        server_after,
        events,
        in_b,
        freed,
        machine.identity(),
    )


def _servers(machine: Machine) -> list[tuple[str, str]]:
    return [(server.id, server.status) for server in machine.servers("a")]


def test_a_type_in_the_other_cloud_is_refused_and_the_reason_names_the_volume(
    story: Story,
) -> None:
    ready = condition(story.declared, "Ready")
    assert (ready["status"], ready["reason"]) == ("False", "MoveBlocked")
    assert "kept-data" in ready["message"]
    assert "snapshots" in ready["message"]
    assert "kept-root" not in ready["message"]
    assert story.declared["state"] == "RUNNING"


def test_a_restart_is_refused_before_the_stop(story: Story) -> None:
    ready = condition(story.restarted, "Ready")
    assert ready["reason"] == "MoveBlocked"
    assert "kept-data" in ready["message"]
    assert story.restarted["state"] == "RUNNING"
    assert story.server == (story.server[0], "ACTIVE")
    assert story.server_after == [story.server]
    assert story.events == []


def test_no_server_and_no_volume_went_ahead_to_the_other_cloud(story: Story) -> None:
    assert (story.in_b["servers"], story.in_b["volumes"]) == (0, 0)


def test_the_move_is_done_once_the_snapshot_is_gone(story: Story) -> None:
    assert story.freed["instance_type"] == "m8a.small"
    assert len(story.machine.servers("b")) == 1
    assert story.machine.inventory("a") == {
        "servers": 0, "ports": 0, "volumes": 0, "attachments": 0,
    }  # fmt: skip
    assert story.identity == story.before
