"""The harness itself: a wrong measuring tool would let wrong portals pass."""

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from kombu import Connection

from tests.e2e.harness import pool
from tests.e2e.harness.clouds import (
    UID_KEY,
    RealCloud,
    deterministic_bytes,
    leftovers,
    snapshot,
    wait_for,
)
from tests.e2e.harness.pool import GuestEvent, doubles
from tests.e2e.harness.processes import ProcessDied, Program
from tests.e2e.harness.rest import _singular
from tests.e2e.harness.services import broker_vhost, postgres_server
from tests.e2e.harness.testbed import osbed


def events(*rows: tuple[str, str, str]) -> list[GuestEvent]:
    """Read rows of (cloud, event, server, volumes...) in the order of time."""
    return [
        GuestEvent(float(time), cloud, event, server.split()[0], tuple(server.split()[1:]))
        for time, (cloud, event, server) in enumerate(rows)
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "spawn", "s1 v1"), ("a", "destroy", "s1 v1"), ("b", "spawn", "s2 v2")],
        [("a", "spawn", "s1 v1"), ("a", "power_off", "s1"), ("b", "spawn", "s2 v2")],
        [("a", "spawn", "s1 v1 v3"), ("a", "detach", "s1 v1"), ("b", "spawn", "s2 v2")],
        [("a", "spawn", "s1 v1"), ("a", "power_off", "s1"), ("a", "power_on", "s1 v1")],
        [("a", "spawn.refused", "s1 v1"), ("b", "spawn", "s2 v2")],
        [("a", "spawn", "s1 v1"), ("b", "spawn", "s2 v9")],
    ],
)
def test_one_guest_after_the_other_is_no_double(rows: list[tuple[str, str, str]]) -> None:
    assert doubles(events(*rows), {"v1": "disk", "v2": "disk"}) == []


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "spawn", "s1 v1"), ("b", "spawn", "s2 v2")],
        [("a", "spawn", "s1 v1"), ("a", "power_off", "s1"), ("b", "spawn", "s2 v2"),
         ("a", "power_on", "s1 v1")],
        [("a", "spawn", "s1 v9"), ("b", "spawn", "s2 v2"), ("a", "attach", "s1 v1")],
        [("a", "spawn", "s1 v1"), ("a", "destroy.refused", "s1"), ("b", "power_on", "s2 v2")],
    ],
)  # fmt: skip
def test_bytes_in_two_running_guests_are_found_across_a_rename(
    rows: list[tuple[str, str, str]],
) -> None:
    found = doubles(events(*rows), {"v1": "disk", "v2": "disk"})
    assert len(found) == 1
    assert "disk" in found[0]
    assert "s1" in found[0]
    assert "s2" in found[0]


def test_collections_give_the_name_of_their_id() -> None:
    assert _singular("networkInterfaces") == "network_interface"
    assert _singular("instances") == "instance"


def test_the_suites_image_is_the_same_every_time_and_has_no_equal_blocks() -> None:
    data = deterministic_bytes(1 << 16, "x")
    assert data == deterministic_bytes(1 << 16, "x") != deterministic_bytes(1 << 16, "y")
    assert len({data[i : i + 32] for i in range(0, len(data), 32)}) == len(data) // 32


def test_postgresql_serves_an_empty_database_and_ends_with_the_block(tmp_path: Path) -> None:
    with postgres_server(tmp_path) as url, psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE t (x int)")
        count = connection.execute("SELECT count(*) FROM pg_tables WHERE tablename = 't'")
        assert count.fetchone() == (1,)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=2)


def test_a_killed_program_is_gone_and_can_be_started_again(tmp_path: Path) -> None:
    code = "import time; print('hello', flush=True); time.sleep(600)"
    program = Program("p", [sys.executable, "-c", code], {}, tmp_path, tmp_path / "p.log")
    with pytest.raises(ProcessDied, match="not started"):
        program.check()
    program.start()
    first = program.pid
    program.kill()
    with pytest.raises(ProcessDied, match="ended with -9"):
        program.check()
    program.start()
    assert program.pid != first
    program.stop()
    assert not program.running


def test_a_program_that_dies_shows_the_end_of_its_log(tmp_path: Path) -> None:
    code = "raise SystemExit('no such setting')"
    program = Program("p", [sys.executable, "-c", code], {}, tmp_path, tmp_path / "p.log")
    program.start()
    wait_for("end of the program", lambda: program.running, lambda running: not running, 10)
    with pytest.raises(ProcessDied, match="no such setting"):
        program.check()


@pytest.fixture
def vhost(clouds: dict[str, RealCloud]) -> str:
    return "cycloud-harness"


def test_a_renewed_vhost_has_lost_its_messages(vhost: str) -> None:
    with Connection(broker_vhost(vhost)) as connection:
        queue = connection.SimpleQueue("q")
        queue.put({"x": 1})
        assert queue.get(timeout=10).payload == {"x": 1}
        queue.put({"x": 2})
        queue.close()
    with Connection(broker_vhost(vhost)) as connection:
        queue = connection.SimpleQueue("q")
        with pytest.raises(queue.Empty):
            queue.get_nowait()
        queue.close()


@pytest.fixture
def volume_id(clouds: dict[str, RealCloud]) -> Iterator[str]:
    """Give a volume of cloud a that looks like one of the portal's."""
    storage = clouds["a"].sdk.block_storage
    volume = storage.create_volume(size=1, metadata={UID_KEY: f"harness-{uuid.uuid4()}"})
    wait_for("volume", lambda: clouds["a"].volume_status(volume.id), lambda s: s == "available")
    yield volume.id
    storage.delete_volume(volume.id, ignore_missing=True)
    wait_for("end of it", lambda: clouds["a"].volume_status(volume.id), lambda s: s is None)


def test_what_was_left_behind_is_named(clouds: dict[str, RealCloud], volume_id: str) -> None:
    now = snapshot(clouds)
    storage = clouds["a"].sdk.block_storage
    more = storage.create_volume(size=1)
    wait_for("volume", lambda: clouds["a"].volume_status(more.id), lambda s: s == "available")
    left = leftovers(clouds, now)
    storage.delete_volume(more.id)
    wait_for("end of it", lambda: clouds["a"].volume_status(more.id), lambda s: s is None)
    # exactly: it fails where something else works in the clouds at the same time
    assert left == {"volumes": [f"a/{more.id}"], "images": [pool.image_name(more.id)]}
    assert leftovers(clouds, now) == {}
    assert volume_id in clouds["a"].left()["volumes"]
    assert volume_id not in clouds["b"].left().get("volumes", [])


def test_the_pool_is_read_written_and_digested(
    volume_id: str, clouds: dict[str, RealCloud]
) -> None:
    name = pool.image_name(volume_id)
    assert name in pool.names()
    empty = pool.digest(name)
    pool.write(name, 5 << 20, "written past OpenStack")
    assert pool.read(name, 5 << 20, 22) == "written past OpenStack"
    written = pool.digest(name)
    assert written != empty
    identity = pool.info(name)["id"]
    with pool.hidden(name):
        assert name not in pool.names()
    assert pool.info(name)["id"] == identity
    assert pool.digest(name) == written
    assert pool.info(name)["size"] == 1 << 30


def test_the_bytes_of_unmanaged_volumes_keep_their_lineage(
    volume_id: str, clouds: dict[str, RealCloud]
) -> None:
    storage = clouds["a"].sdk.block_storage
    uid = storage.get_volume(volume_id).metadata[UID_KEY]
    storage.unmanage_volume(volume_id)
    wait_for("unmanage", lambda: clouds["a"].volume_status(volume_id), lambda s: s is None)
    assert pool.lineage(UID_KEY)[volume_id] == uid
    osbed("rbd", "rm", pool.image_name(volume_id))


def test_quotas_hold_for_the_length_of_a_block(clouds: dict[str, RealCloud]) -> None:
    for name, cloud in clouds.items():
        with (
            cloud.no_more_servers(),
            cloud.no_more_volumes(),
            cloud.no_more_ports(),
        ):
            compute = cloud.sdk.compute.get(f"/os-quota-sets/{cloud.project_id}").json()
            assert compute["quota_set"]["instances"] < 200, name
            ports = cloud.sdk.network.get(f"/quotas/{cloud.project_id}").json()
            assert ports["quota"]["port"] < 500, name
            answer = cloud.sdk.block_storage.post("/volumes", json={"volume": {"size": 1}})
            assert answer.status_code == 413, name
        compute = cloud.sdk.compute.get(f"/os-quota-sets/{cloud.project_id}").json()
        assert compute["quota_set"]["instances"] == 200, name


def test_the_suites_flavors_image_and_networks_are_made_once(
    clouds: dict[str, RealCloud],
) -> None:
    for cloud in clouds.values():
        flavors, image = cloud.flavor_ids(), cloud.image_id()
        networks = cloud.network_ids("10.99.0.0/24", "harness")
        assert cloud.flavor_ids() == flavors
        assert cloud.image_id() == image
        assert cloud.network_ids("10.99.0.0/24", "harness") == networks
        assert cloud.volume_type_id()
        cloud.sdk.network.delete_network(networks[0])
    assert clouds["a"].image_id() != clouds["b"].image_id()
