"""What volumes do inside one cloud."""

from cycloud.openstack.client import VolumeSpec
from cycloud.openstack.connection import CINDER
from cycloud.openstack.faults import FaultKind
from cycloud.openstack.observations import UID_KEY
from tests.contracts.bench import Bench
from tests.contracts.faults import UNKNOWN_ID, kind_of, refused


def test_a_volume_is_made_found_and_deleted(bench: Bench) -> None:
    uid, client = bench.uid(), bench.client

    volume = bench.volume(uid=uid, color="green")

    assert (volume.size_gib, volume.name, volume.volume_type) == (1, "contract", "shared")
    assert (volume.bootable, volume.encrypted, volume.group_id) == (False, False, None)
    assert volume.migration_status is None
    assert volume.host == bench.target.host(bench.cloud)
    assert dict(volume.metadata) == {UID_KEY: uid, "color": "green"}
    assert [v.id for v in client.find_volumes(uid)] == [volume.id]
    assert volume.id in [v.id for v in client.list_volumes()]
    assert volume.backend_reference in bench.target.stored()

    assert client.delete_volume(volume.id) is True
    bench.volume_gone(volume.id)
    assert client.delete_volume(volume.id) is False
    assert client.find_volumes(uid) == ()
    assert volume.backend_reference not in bench.target.stored()


def test_a_uid_finds_only_its_own_volume(bench: Bench) -> None:
    one, other = bench.volume(), bench.volume()

    assert [v.id for v in bench.client.find_volumes(one.uid)] == [one.id]
    assert [v.id for v in bench.client.find_volumes(other.uid)] == [other.id]
    # a value of another key is not a uid
    tricky = bench.volume(other_key=one.uid)
    assert [v.id for v in bench.client.find_volumes(one.uid)] == [one.id]
    assert tricky.uid != one.uid


def test_an_unknown_volume_is_absent(bench: Bench) -> None:
    client = bench.client
    assert client.get_volume(UNKNOWN_ID) is None
    assert client.delete_volume(UNKNOWN_ID) is False
    assert client.delete_attachment(UNKNOWN_ID) is False
    assert client.list_attachments(UNKNOWN_ID) == ()
    assert client.count_snapshots(UNKNOWN_ID) == 0
    assert kind_of(lambda: client.unmanage_volume(UNKNOWN_ID)) is FaultKind.NOT_FOUND
    assert kind_of(lambda: client.extend_volume(UNKNOWN_ID, 2)) is FaultKind.NOT_FOUND


def test_a_volume_of_an_image_is_bootable_and_holds_its_bytes(bench: Bench) -> None:
    image_id = bench.target.image_id(bench.cloud)
    spec = VolumeSpec(
        "contract",
        1,
        bench.target.volume_type_id(bench.cloud),
        {UID_KEY: bench.uid()},
        image_id=image_id,
    )

    volume_id = bench.client.create_volume(spec)
    assert [v.id for v in bench.client.find_volumes(spec.metadata[UID_KEY])] == [volume_id]
    volume = bench.volume_when(volume_id, "available")

    assert volume.bootable
    assert volume.image_metadata["image_id"] == image_id
    image = bench.client.get_image(image_id)
    assert image is not None
    assert (image.status, image.min_disk_gib) == ("active", 0)
    assert bench.client.get_image(UNKNOWN_ID) is None


def test_a_create_is_refused_for_what_it_needs(bench: Bench) -> None:
    uid = bench.uid()

    def create(type_id: str, image_id: str = "") -> FaultKind:
        spec = VolumeSpec("contract", 1, type_id, {UID_KEY: uid}, image_id=image_id)
        return kind_of(lambda: bench.client.create_volume(spec))

    assert create(UNKNOWN_ID) is FaultKind.NOT_FOUND
    assert create(bench.target.volume_type_id(bench.cloud), UNKNOWN_ID) is FaultKind.INVALID
    assert bench.client.find_volumes(uid) == ()


def test_over_quota_nothing_is_made(bench: Bench) -> None:
    uid, type_id = bench.uid(), bench.target.volume_type_id(bench.cloud)
    spec = VolumeSpec("contract", 1, type_id, {UID_KEY: uid})

    with bench.target.no_more(bench.cloud, CINDER, "gigabytes"):
        quota = bench.client.storage_quota()
        fault = refused(lambda: bench.client.create_volume(spec))

    assert quota.gib == 0
    assert (fault.kind, fault.status) == (FaultKind.QUOTA_EXCEEDED, 413)
    assert bench.client.find_volumes(uid) == ()


def test_quota_shrinks_with_a_volume(bench: Bench) -> None:
    before = bench.client.storage_quota()
    bench.volume()
    after = bench.client.storage_quota()

    assert before.volumes is not None
    assert before.gib is not None
    assert (after.volumes, after.gib) == (before.volumes - 1, before.gib - 1)


def test_a_volume_grows_and_never_shrinks(bench: Bench) -> None:
    volume = bench.volume()

    bench.client.extend_volume(volume.id, 3)

    assert bench.volume_when(volume.id, "available").size_gib == 3
    assert kind_of(lambda: bench.client.extend_volume(volume.id, 2)) is FaultKind.INVALID
    assert bench.volume_when(volume.id, "available").size_gib == 3


def test_what_unmanage_forgets_can_be_set(bench: Bench) -> None:
    volume, client = bench.volume(color="green"), bench.client

    client.set_volume_bootable(volume.id, True)
    client.set_volume_image_metadata(volume.id, {"os_distro": "ubuntu"})
    client.set_volume_metadata(volume.id, {"shape": "round"})

    seen = bench.volume_when(volume.id, "available")
    assert seen.bootable
    assert dict(seen.image_metadata) == {"os_distro": "ubuntu"}
    assert dict(seen.metadata) == {UID_KEY: volume.uid, "color": "green", "shape": "round"}
    client.set_volume_bootable(volume.id, False)
    assert not bench.volume_when(volume.id, "available").bootable


def test_a_snapshot_keeps_a_volume_in_its_cloud(bench: Bench) -> None:
    volume, client = bench.volume(), bench.client
    bench.snapshot(volume.id)

    assert client.count_snapshots(volume.id) == 1
    assert kind_of(lambda: client.unmanage_volume(volume.id)) is FaultKind.CONFLICT
    assert kind_of(lambda: client.delete_volume(volume.id)) is FaultKind.CONFLICT
    assert bench.volume_when(volume.id, "available")


def test_a_volume_in_use_stays_where_it_is(bench: Bench) -> None:
    server, client = bench.server(), bench.client
    volume_id = server.volume_ids[0]
    (attachment,) = client.list_attachments(volume_id)

    assert (attachment.server_id, attachment.volume_id) == (server.id, volume_id)
    assert kind_of(lambda: client.unmanage_volume(volume_id)) is FaultKind.CONFLICT
    assert kind_of(lambda: client.delete_volume(volume_id)) is FaultKind.CONFLICT
    # Cinder asks Nova, which still uses it
    assert kind_of(lambda: client.delete_attachment(attachment.id)) is FaultKind.CONFLICT
    assert bench.volume_when(volume_id, "in-use").attachments[0].server_id == server.id


def test_a_volume_in_use_grows(bench: Bench) -> None:
    server = bench.server()

    bench.client.extend_volume(server.volume_ids[0], 2)

    assert bench.volume_when(server.volume_ids[0], "in-use").size_gib == 2
