"""The move between two real clouds: the user stops and starts, and only the place has changed."""

import time
from dataclasses import dataclass

import pytest

from tests.e2e.conftest import Machines
from tests.e2e.harness import pool
from tests.e2e.harness.clouds import UID_KEY
from tests.e2e.harness.machine import OFFSET, Identity, Machine
from tests.e2e.harness.rest import Resource, Rest, condition

NOTHING = {"servers": 0, "ports": 0, "volumes": 0, "attachments": 0}
WHOLE = {"servers": 1, "ports": 1, "volumes": 2, "attachments": 2}


@dataclass(frozen=True)
class Story:
    """One move from A to B, as it was seen on the way."""

    begin: float
    machine: Machine
    created: Resource
    before: Identity
    in_a: dict[str, int]
    servers_before: list[str]
    pending: Resource
    pending_servers: list[str]
    pending_events: list[pool.GuestEvent]
    stopped: Resource
    after: Resource
    identity: Identity
    left_in_a: dict[str, int]
    in_b: dict[str, int]


@pytest.fixture(scope="module")
def story(machines: Machines, user: Rest) -> Story:
    machine, begin = machines("mover"), time.time()
    machine.create("m7a.small")
    created = machine.wait_running()
    machine.write()
    before, in_a = machine.identity(), machine.inventory("a")
    servers_before = _states(machine, "a")
    declared = time.time()
    machine.declare_type("m8a.small")
    pending = user.wait_reason(machine.name, "RestartRequired", "UpToDate")
    pending = user.wait_ready(machine.name)
    pending_servers = _states(machine, "a")
    pending_events = pool.guest_events(since=declared)
    stopped = machine.stop()
    after = machine.start()
    return Story(
        begin=begin,
        machine=machine,
        created=created,
        before=before,
        in_a=in_a,
        servers_before=servers_before,
        pending=pending,
        pending_servers=pending_servers,
        pending_events=[
            e for e in pending_events if any(s.startswith(e.server) for s in servers_before)
        ],
        stopped=stopped,
        after=after,
        identity=machine.identity(),
        left_in_a=machine.inventory("a"),
        in_b=machine.inventory("b"),
    )


def _states(machine: Machine, cloud: str) -> list[str]:
    return [f"{server.id} {server.status}" for server in machine.servers(cloud)]


def test_an_instance_runs_with_two_volumes_and_the_address_that_was_chosen(story: Story) -> None:
    assert story.created["state"] == "RUNNING"
    assert story.created["network_interfaces"][0]["ip_address"] == story.machine.address
    assert [v["id"] for v in story.created["volumes"]] == ["mover-root", "mover-data"]
    assert story.in_a == WHOLE


def test_a_new_type_touches_nothing_while_the_instance_runs(story: Story) -> None:
    up_to_date = condition(story.pending, "UpToDate")
    assert (up_to_date["status"], up_to_date["reason"]) == ("False", "RestartRequired")
    assert story.pending["state"] == "RUNNING"
    assert condition(story.pending, "Ready")["status"] == "True"
    assert story.pending_servers == story.servers_before
    assert story.pending_servers[0].endswith(" ACTIVE")
    assert story.pending_events == []


def test_stop_and_start_bring_it_to_the_other_cloud(story: Story) -> None:
    assert story.stopped["state"] == "STOPPED"
    assert story.after["state"] == "RUNNING"
    assert story.after["instance_type"] == "m8a.small"
    assert story.in_b == WHOLE
    assert condition(story.after, "UpToDate")["status"] == "True"


def test_name_uid_addresses_volumes_sizes_and_bytes_are_the_same(story: Story) -> None:
    assert story.identity == story.before
    assert len(set(story.identity.digests)) == 2


def test_the_first_cloud_has_nothing_of_it_any_more(story: Story) -> None:
    assert story.left_in_a == NOTHING


def test_three_times_there_and_back_change_no_byte(story: Story) -> None:
    machine = story.machine
    machine.move("m7a.small")
    for _ in range(2):
        machine.move("m8a.medium")
        machine.move("m7a.small")
    assert machine.identity() == story.before
    assert machine.inventory("a") == WHOLE
    assert machine.inventory("b") == NOTHING
    for id_, image in machine.images().items():
        text = f"bytes of {id_}"
        assert pool.read(image, OFFSET, len(text)) == text
    # every image has moved seven times and is still the one that was made
    assert len(pool.names() & set(machine.images().values())) == 2


def test_no_image_ever_was_in_two_running_guests(story: Story) -> None:
    events = pool.guest_events(since=story.begin)
    lineage = pool.lineage(UID_KEY)
    ours = set(story.machine.uids.values())
    spawned = [
        e for e in events if e.event == "spawn" and {lineage.get(v) for v in e.volumes} & ours
    ]
    assert {event.cloud for event in spawned} == {"a", "b"}
    assert pool.doubles(events, lineage) == []
