"""Volumes that go from one cloud to the other over the storage that both share."""

from cycloud.openstack.connection import CINDER
from cycloud.openstack.faults import FaultKind
from tests.contracts.bench import Bench
from tests.contracts.faults import kind_of, refused

TEXT = "these bytes are not copied"
MIB = 1 << 20


def test_a_volume_moves_with_its_bytes_and_gets_a_new_id_and_reference(bench: Bench) -> None:
    there, target, uid = bench.other, bench.target, bench.uid()
    volume = bench.volume(uid=uid, bootable=True)
    bench.client.set_volume_image_metadata(volume.id, {"os_distro": "ubuntu"})
    target.write(volume.backend_reference, 3 * MIB, TEXT)

    reference = bench.release(volume.id)
    assert reference in target.stored()
    for side in (bench, there):
        offered = side.client.find_manageable(target.host(side.cloud), reference)
        assert offered is not None
        assert (offered.size_gib, offered.safe_to_manage) == (1, True)

    managed_id = there.take_in(reference, uid=uid, bootable=True)
    managed = there.volume_when(managed_id, "available")

    assert managed_id != volume.id
    assert (managed.size_gib, managed.bootable, managed.uid) == (1, True, uid)
    assert managed.metadata["color"] == "green"
    assert managed.host == target.host(there.cloud)
    assert managed.volume_type == "shared"
    assert dict(managed.image_metadata) == {}  # forgotten: the controller sets it again
    assert [v.id for v in there.client.find_volumes(uid)] == [managed_id]
    assert bench.client.find_volumes(uid) == ()
    stored = target.stored()
    assert managed.backend_reference in stored
    assert reference not in stored
    assert target.read(managed.backend_reference, 3 * MIB, len(TEXT)) == TEXT
    assert bench.client.find_manageable(target.host(bench.cloud), reference) is None


def test_a_moved_volume_boots_in_the_other_cloud(bench_a: Bench) -> None:
    bench, there = bench_a, bench_a.other
    server = bench.server()
    volume_id = server.volume_ids[0]
    bench.target.write(f"volume-{volume_id}", MIB, TEXT)
    (old_port,) = bench.client.ports_of_server(server.id)
    bench.delete_server(server.id)
    bench.volume_when(volume_id, "available")
    bench.client.delete_port(old_port.id)

    managed_id = there.take_in(bench.release(volume_id), bootable=True)
    there.volume_when(managed_id, "available")
    port = there.port(ip=old_port.ip_address, mac=old_port.mac_address)
    new = there.client.create_server(there.spec([managed_id], [port]))
    there.server_when(new, "ACTIVE")

    (plugged,) = there.client.ports_of_server(new)
    assert (plugged.ip_address, plugged.mac_address) == (
        old_port.ip_address,
        old_port.mac_address,
    )
    assert bench.target.read(f"volume-{managed_id}", MIB, len(TEXT)) == TEXT


def test_a_cloud_offers_and_takes_what_the_other_still_has(bench: Bench) -> None:
    """Nothing but the controller stands between: this is why it asks the other cloud first."""
    there, target = bench.other, bench.target
    volume = bench.volume()

    own = bench.client.find_manageable(target.host(bench.cloud), volume.backend_reference)
    foreign = there.client.find_manageable(target.host(there.cloud), volume.backend_reference)

    assert own is not None
    assert (own.safe_to_manage, own.cinder_id) == (False, volume.id)
    assert own.reason_not_safe == "already managed"
    assert foreign is not None
    assert (foreign.safe_to_manage, foreign.cinder_id) == (True, None)
    taken = there.take_in(volume.backend_reference)
    there.volume_when(taken, "available")
    assert volume.backend_reference not in target.stored()
    assert bench.volume_when(volume.id, "available")  # and does not know that its bytes are gone


def test_a_wrong_reference_ends_in_error_with_size_zero_and_unmanage_clears_it(
    bench: Bench,
) -> None:
    uid = bench.uid()

    managed_id = bench.take_in("volume-no-such-object", uid=uid)

    managed = bench.volume_when(managed_id, "error")
    assert managed.size_gib == 0
    assert [v.id for v in bench.client.find_volumes(uid)] == [managed_id]
    bench.client.unmanage_volume(managed_id)
    bench.volume_gone(managed_id)


def test_managing_twice_is_not_idempotent(bench: Bench) -> None:
    there = bench.other
    reference = bench.release(bench.volume().id)
    first = there.take_in(reference)
    there.volume_when(first, "available")

    second = there.take_in(reference)

    # renamed by the first one: a second record, in error, and the first keeps the bytes
    assert there.volume_when(second, "error").size_gib == 0
    assert f"volume-{first}" in bench.target.stored()


def test_a_volume_is_not_managed_twice_in_its_own_cloud(bench: Bench) -> None:
    volume, uid = bench.volume(), bench.uid()

    kind = kind_of(lambda: bench.take_in(volume.backend_reference, uid=uid))

    assert kind is FaultKind.CONFLICT
    assert bench.client.find_volumes(uid) == ()
    assert volume.backend_reference in bench.target.stored()


def test_a_manage_over_quota_leaves_the_object_alone(bench: Bench) -> None:
    reference, uid = bench.release(bench.volume().id), bench.uid()
    with bench.target.no_more(bench.cloud, CINDER, "volumes"):
        fault = refused(lambda: bench.take_in(reference, uid=uid))

    assert (fault.kind, fault.status) == (FaultKind.QUOTA_EXCEEDED, 413)
    assert bench.client.find_volumes(uid) == ()
    assert reference in bench.target.stored()


def test_a_second_unmanage_is_refused_or_too_late(bench: Bench) -> None:
    volume = bench.volume()
    bench.references.add(volume.backend_reference)
    bench.client.unmanage_volume(volume.id)

    kind = kind_of(lambda: bench.client.unmanage_volume(volume.id))

    assert kind in (FaultKind.CONFLICT, FaultKind.NOT_FOUND)
    bench.volume_gone(volume.id)
    assert volume.backend_reference in bench.target.stored()
