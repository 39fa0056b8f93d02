"""Provider objects as ours: what is odd about them."""

from datetime import UTC, datetime

from cycloud.openstack.ports import port_seen
from cycloud.openstack.servers import free_of, mark_of, server_seen, uid_of_mark
from cycloud.openstack.volumes import manageable_seen, volume_seen


def test_a_uid_taken_out_of_the_metadata_is_read_from_the_tags() -> None:
    seen = server_seen({"id": "1", "status": "ACTIVE", "tags": ["cycloud", "other", "cycloud:u1"]})

    assert seen.uid == "u1"


def test_the_metadata_goes_before_the_tags() -> None:
    server = {"id": "1", "metadata": {"cycloud_uid": "u2"}, "tags": ["cycloud:u1"]}

    assert server_seen(server).uid == "u2"


def test_a_server_of_a_cell_that_is_down_has_an_unknown_status() -> None:
    seen = server_seen({"id": "1"})

    assert (seen.status, seen.uid, seen.volume_ids, seen.create_time) == ("UNKNOWN", "", (), None)


def test_a_server_keeps_its_fault_and_time() -> None:
    seen = server_seen(
        {
            "id": "1",
            "status": "ERROR",
            "fault": {"code": 500, "message": "No valid host was found."},
            "created": "2026-01-02T03:04:05Z",
            "OS-EXT-STS:task_state": "deleting",
            "OS-EXT-STS:vm_state": "error",
        }
    )

    assert (seen.fault, seen.fault_code) == ("No valid host was found.", 500)
    assert seen.create_time == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert (seen.task_state, seen.vm_state) == ("deleting", "error")


def test_marks_are_read_as_they_are_written() -> None:
    assert uid_of_mark(mark_of("u1")) == "u1"
    assert uid_of_mark("somebody's port") == ""
    assert uid_of_mark("cycloud") == ""


def test_what_is_reserved_is_not_free() -> None:
    assert free_of({"limit": 10, "in_use": 3, "reserved": 2}) == 5
    assert free_of({"limit": 1, "in_use": 3, "reserved": 0}) == 0
    assert free_of({"limit": -1, "in_use": 3, "reserved": 0}) is None


def test_a_volume_in_a_group_or_migrating_says_so() -> None:
    volume = {
        "id": "v",
        "status": "In-Use",
        "size": 2,
        "bootable": "true",
        "encrypted": True,
        "consistencygroup_id": "g",
        "os-vol-mig-status-attr:migstat": "migrating",
    }

    seen = volume_seen(volume)

    assert (seen.status, seen.size_gib, seen.bootable, seen.encrypted) == ("in-use", 2, True, True)
    assert (seen.group_id, seen.migration_status) == ("g", "migrating")
    assert seen.backend_reference == "volume-v"


def test_a_port_that_is_not_ours_has_no_uid() -> None:
    seen = port_seen({"id": "p", "network_id": "n", "fixed_ips": [], "mac_address": "FA:16:3E:00"})

    assert (seen.uid, seen.ip_address, seen.mac_address) == ("", "", "fa:16:3e:00")


def test_an_object_of_the_storage_has_no_cinder_id_where_cinder_does_not_know_it() -> None:
    seen = manageable_seen(
        {"reference": {"source-name": "volume-1"}, "size": 3, "safe_to_manage": True}
    )

    assert (seen.reference, seen.size_gib, seen.safe_to_manage) == ("volume-1", 3, True)
    assert (seen.cinder_id, seen.reason_not_safe) == (None, "")
