"""What servers do, in every cloud alike."""

import pytest

from cycloud.openstack.connection import NOVA
from cycloud.openstack.faults import FaultKind
from cycloud.openstack.observations import UID_KEY
from tests.contracts.bench import Bench
from tests.contracts.faults import UNKNOWN_ID, kind_of, refused
from tests.contracts.polling import until


def test_a_server_boots_from_its_first_volume_and_leaves_volumes_and_port(bench: Bench) -> None:
    uid = bench.uid()
    root, data = bench.volume(bootable=True), bench.volume()
    port = bench.port(ip="10.77.0.200", mac="fa:16:3e:77:00:c8")
    client = bench.client

    server_id = client.create_server(
        bench.spec([root.id, data.id], [port], uid=uid, cycloud_run="3")
    )
    # at once: after a lost answer this look-up decides whether another one is made
    assert [s.id for s in client.find_servers(uid)] == [server_id]
    server = bench.server_when(server_id, "ACTIVE")

    assert set(server.volume_ids) == {root.id, data.id}
    assert (server.uid, server.metadata["cycloud_run"]) == (uid, "3")
    assert server.fault == ""
    assert server.create_time is not None
    assert server.create_time.tzinfo is not None
    assert [s.id for s in client.find_servers(uid)] == [server_id]
    assert server_id in [s.id for s in client.list_servers()]
    plugged = client.ports_of_server(server_id)
    assert [(p.id, p.ip_address, p.mac_address, p.status) for p in plugged] == [
        (port, "10.77.0.200", "fa:16:3e:77:00:c8", "ACTIVE")
    ]
    assert bench.volume_when(data.id, "in-use").attachments[0].server_id == server_id
    assert [a.action for a in client.list_server_actions(server_id)] == ["create"]

    bench.delete_server(server_id)

    assert client.find_servers(uid) == ()
    assert client.delete_server(server_id) is False
    for volume in (root, data):
        assert bench.volume_when(volume.id, "available").attachments == ()
    left = client.get_port(port)
    assert left is not None
    assert (left.device_id, left.status, left.ip_address) == ("", "DOWN", "10.77.0.200")


def test_an_unknown_server_is_absent(bench: Bench) -> None:
    assert bench.client.get_server(UNKNOWN_ID) is None
    assert bench.client.delete_server(UNKNOWN_ID) is False
    assert bench.client.list_server_actions(UNKNOWN_ID) == ()
    assert bench.client.ports_of_server(UNKNOWN_ID) == ()
    assert bench.client.find_servers(bench.uid()) == ()
    assert kind_of(lambda: bench.client.stop_server(UNKNOWN_ID)) is FaultKind.NOT_FOUND


def test_stop_and_start_are_refused_in_the_state_they_lead_to(bench: Bench) -> None:
    server = bench.server()
    client = bench.client

    assert kind_of(lambda: client.start_server(server.id)) is FaultKind.CONFLICT
    client.stop_server(server.id)
    bench.server_when(server.id, "SHUTOFF")
    assert kind_of(lambda: client.stop_server(server.id)) is FaultKind.CONFLICT
    client.start_server(server.id)
    bench.server_when(server.id, "ACTIVE")


def test_setting_metadata_keeps_other_keys(bench: Bench) -> None:
    server = bench.server(color="green")

    bench.client.set_server_metadata(server.id, {"cycloud_run": "9"})

    seen = bench.client.get_server(server.id)
    assert seen is not None
    assert dict(seen.metadata) == {
        UID_KEY: server.uid,
        "color": "green",
        "cycloud_run": "9",
    }


def test_volumes_and_ports_come_and_go_while_a_server_is_stopped(bench: Bench) -> None:
    server = bench.server()
    volume, port = bench.volume(), bench.port()
    client = bench.client
    client.stop_server(server.id)
    bench.server_when(server.id, "SHUTOFF")

    client.attach_volume(server.id, volume.id)
    attached = bench.volume_when(volume.id, "in-use")
    assert attached.attachments[0].server_id == server.id
    assert [a.server_id for a in client.list_attachments(volume.id)] == [server.id]
    seen = client.get_server(server.id)
    assert seen is not None
    assert volume.id in seen.volume_ids
    assert kind_of(lambda: client.attach_volume(server.id, volume.id)) is FaultKind.CONFLICT
    assert kind_of(lambda: client.attach_volume(server.id, UNKNOWN_ID)) is FaultKind.NOT_FOUND
    assert client.detach_volume(server.id, volume.id) is True
    bench.volume_when(volume.id, "available")
    assert client.list_attachments(volume.id) == ()
    until(
        "end of attachment", lambda: client.detach_volume(server.id, volume.id), lambda it: not it
    )

    client.attach_port(server.id, port)
    assert port in [p.id for p in client.ports_of_server(server.id)]
    assert kind_of(lambda: client.attach_port(server.id, port)) in (
        FaultKind.CONFLICT,
        FaultKind.INVALID,
    )
    assert client.detach_port(server.id, port) is True
    until(
        "unplugged port",
        lambda: client.get_port(port),
        lambda found: found is not None and found.device_id == "",
    )
    assert port not in [p.id for p in client.ports_of_server(server.id)]


def test_the_root_volume_of_a_server_cannot_be_detached(bench: Bench) -> None:
    server = bench.server()

    fault = refused(lambda: bench.client.detach_volume(server.id, server.volume_ids[0]))

    assert fault.kind is FaultKind.INVALID
    assert bench.volume_when(server.volume_ids[0], "in-use")


def test_a_create_is_refused_for_what_it_needs(bench: Bench) -> None:
    running = bench.server()
    client = bench.client
    (busy_port,) = client.ports_of_server(running.id)
    free, empty, port = bench.volume(bootable=True), bench.volume(), bench.port()
    uid = bench.uid()

    def create(volume: str, port_id: str, flavor: str = "") -> FaultKind:
        spec = bench.spec([volume], [port_id], uid=uid)
        if flavor:
            spec = type(spec)(**{**vars(spec), "flavor_id": flavor})
        return kind_of(lambda: client.create_server(spec))

    assert create(running.volume_ids[0], port) is FaultKind.CONFLICT
    assert create(free.id, busy_port.id) is FaultKind.CONFLICT
    assert create(UNKNOWN_ID, port) is FaultKind.CONFLICT
    assert create(free.id, UNKNOWN_ID) is FaultKind.CONFLICT
    assert create(empty.id, port) is FaultKind.INVALID
    assert create(free.id, port, flavor="no-such-flavor") is FaultKind.INVALID
    assert client.find_servers(uid) == ()
    assert bench.volume_when(free.id, "available").attachments == ()


def test_over_quota_nothing_is_made(bench: Bench) -> None:
    volume, port, uid = bench.volume(bootable=True), bench.port(), bench.uid()

    with bench.target.no_more(bench.cloud, NOVA, "instances"):
        quota = bench.client.compute_quota()
        fault = refused(
            lambda: bench.client.create_server(bench.spec([volume.id], [port], uid=uid))
        )

    assert quota.instances == 0
    assert (fault.kind, fault.status) == (FaultKind.QUOTA_EXCEEDED, 403)
    assert bench.client.find_servers(uid) == ()


def test_quota_shrinks_with_a_server(bench: Bench) -> None:
    before = bench.client.compute_quota()
    server = bench.server()
    after = bench.client.compute_quota()
    flavor = bench.client.get_flavor(bench.target.flavor_id(bench.cloud))

    assert flavor is not None
    assert server.status == "ACTIVE"
    assert before.instances is not None
    assert before.vcpus is not None
    assert before.memory_mib is not None
    assert after.instances == before.instances - 1
    assert after.vcpus == before.vcpus - flavor.vcpus
    assert after.memory_mib == before.memory_mib - flavor.memory_mib


def test_without_a_valid_host_the_volume_stays_reserved_until_the_delete(bench: Bench) -> None:
    raw = bench.target.raw(bench.cloud)
    body = {"flavor": {"name": f"huge-{bench.uid()}", "vcpus": 5000, "ram": 1024, "disk": 0}}
    huge = str(raw.request(NOVA, "test", "POST", "/flavors", body=body)["flavor"]["id"])
    bench.flavors.append(huge)
    volume, port = bench.volume(bootable=True), bench.port()
    spec = bench.spec([volume.id], [port])

    with bench.target.quota(bench.cloud, NOVA, cores=-1):
        assert bench.client.compute_quota().vcpus is None
        server_id = bench.client.create_server(type(spec)(**{**vars(spec), "flavor_id": huge}))
        bench.server_when(server_id, "ERROR")
        # Nova shows the state a moment before the fault
        server = until(
            "the fault",
            lambda: bench.client.get_server(server_id),
            lambda seen: seen is not None and bool(seen.fault),
        )

        assert server is not None
        assert "No valid host was found" in server.fault
        assert server.fault_code == 500
        assert bench.volume_when(volume.id, "reserved")
        bench.delete_server(server_id)  # before the limit is lowered again, which Nova refuses
        bench.volume_when(volume.id, "available")


@pytest.mark.parametrize("failure", ["destroy:1"])
def test_a_failed_delete_works_when_it_is_repeated(bench: Bench, failure: str) -> None:
    server = bench.server(osbed_fail=failure)

    assert bench.client.delete_server(server.id) is True
    seen = bench.server_when(server.id, "ERROR")
    assert bench.volume_when(seen.volume_ids[0], "in-use")
    assert kind_of(lambda: bench.client.set_server_metadata(server.id, {"a": "b"})) is (
        FaultKind.CONFLICT
    )

    bench.delete_server(server.id)
    bench.volume_when(server.volume_ids[0], "available")


def test_a_failed_stop_shows_only_in_the_actions(bench: Bench) -> None:
    server = bench.server(osbed_fail="power_off")

    bench.client.stop_server(server.id)
    action = until(
        "failed stop",
        lambda: bench.client.list_server_actions(server.id)[0],
        lambda seen: seen.action == "stop" and seen.message == "Error",
    )

    assert action.request_id.startswith("req-")
    assert bench.server_when(server.id, "ACTIVE").fault == ""


def test_a_failed_spawn_frees_the_volume(bench: Bench) -> None:
    volume, port = bench.volume(bootable=True), bench.port()

    server_id = bench.client.create_server(bench.spec([volume.id], [port], osbed_fail="spawn"))
    server = bench.server_when(server_id, "ERROR")

    assert server.fault
    bench.volume_when(volume.id, "available")


def test_an_unknown_flavor_is_absent(bench: Bench) -> None:
    assert bench.client.get_flavor("no-such-flavor") is None
