"""Cinder: unmanage and manage, with every edge of the real ones."""

from typing import Any

import pytest

from cycloud.simulator.site import Site
from tests.simulator.api import NOWHERE, Api, Json, message


def _unmanaged(a: Api, **wishes: Any) -> str:
    """The name in the storage of a volume that cloud a has let go."""
    volume = a.new_volume(**wishes)
    assert a.volume_action(volume["id"], "os-unmanage").status_code == 202
    assert a.get_volume(volume["id"])["status"] == "GONE"
    return f"volume-{volume['id']}"


def _managed(api: Api, source: str, **wishes: Any) -> Json:
    answer = api.manage(source, **wishes)
    assert answer.status_code == 202, answer.text
    return api.get_volume(answer.json()["volume"]["id"])


def test_unmanage_forgets_the_record_and_keeps_the_bytes(site: Site, a: Api) -> None:
    volume = a.new_volume()
    name = f"volume-{volume['id']}"
    site.storage.write(name, 0, b"kept")
    site.hold("a", "unmanaging")

    assert a.volume_action(volume["id"], "os-unmanage").status_code == 202
    assert a.get_volume(volume["id"])["status"] == "unmanaging"
    twice = a.volume_action(volume["id"], "os-unmanage")
    assert (twice.status_code, message(twice)[:20]) == (400, "Invalid volume: Volu")
    site.release("a")
    assert a.get_volume(volume["id"])["status"] == "GONE"
    assert site.storage.read(name, 0, 4) == b"kept"
    assert a.volume_action(volume["id"], "os-unmanage").status_code == 404


@pytest.mark.parametrize(
    "obstacle",
    ["attached", "snapshot", "group_id", "consistencygroup_id", "migration_status", "encrypted"],
)
def test_what_is_bound_cannot_be_unmanaged(a: Api, obstacle: str) -> None:
    volume = a.new_server()[1] if obstacle == "attached" else a.new_volume()
    record = a.cloud.volumes[volume["id"]]
    if obstacle == "snapshot":
        a.volume("POST", "/snapshots", {"snapshot": {"volume_id": volume["id"]}})
    elif obstacle == "encrypted":
        record.encrypted = True
    elif obstacle != "attached":
        setattr(record, obstacle, "migrating")

    answer = a.volume_action(volume["id"], "os-unmanage")

    assert answer.status_code == 400
    assert message(answer).startswith("Invalid volume: ")
    assert a.get_volume(volume["id"])["status"] == volume["status"]


def test_manage_gives_a_new_id_and_renames_the_object(site: Site, a: Api, b: Api) -> None:
    old = _unmanaged(a)
    site.storage.write(old, 99, b"moved")
    site.hold("b", "managing")

    volume = _managed(b, old, name="n", metadata={"uid": "1"}, bootable=True)
    assert (volume["status"], volume["size"]) == ("creating", 0)
    assert site.storage.names() == [old]
    site.release("b")
    volume = b.get_volume(volume["id"])

    assert (volume["status"], volume["size"], volume["name"]) == ("available", 1, "n")
    assert (volume["metadata"], volume["bootable"]) == ({"uid": "1"}, "true")
    assert (volume["service_uuid"], volume["shared_targets"]) == (None, True)
    assert volume["os-vol-host-attr:host"] == "cinder-b@shared#shared"
    assert site.storage.names() == [f"volume-{volume['id']}"]
    assert site.storage.read(f"volume-{volume['id']}", 99, 5) == b"moved"


def test_unmanage_forgets_everything_but_the_bytes(a: Api, b: Api) -> None:
    old = _unmanaged(a, image=True, name="n", metadata={"k": "v"})

    volume = _managed(b, old)

    assert (volume["name"], volume["metadata"], volume["bootable"]) == (None, {}, "false")
    assert "volume_image_metadata" not in volume


def test_a_repeated_manage_makes_a_second_record_in_error(a: Api, b: Api) -> None:
    old = _unmanaged(a)
    first = _managed(b, old)

    second = _managed(b, old)

    assert (first["status"], second["status"], second["size"]) == ("available", "error", 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"ref": {"source-name": "no-such-image"}},
        {"ref": {"source-id": "x"}},
        {"ref": {}},
        {"volume_type": "fast"},
        {"host": "cinder-b@fast#fast"},
    ],
)
def test_what_is_wrong_with_a_manage_shows_later_without_a_reason(
    site: Site, a: Api, b: Api, wrong: Json
) -> None:
    old = _unmanaged(a)

    volume = _managed(b, old, **wrong)

    assert (volume["status"], volume["size"]) == ("error", 0)
    assert b.volume("GET", "/messages").json() == {"messages": []}
    assert site.storage.names() == [old]
    assert b.volume_action(volume["id"], "os-unmanage").status_code == 202
    assert b.get_volume(volume["id"])["status"] == "GONE"
    assert site.storage.names() == [old]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"host": "cinder-zz@shared#shared"}, "Host 'cinder-zz@shared#shared' not found"),
        ({"host": None}, "One and only one of cluster and host must be set."),
        ({"volume_type": "nope"}, "Cannot find requested 'nope' volume type"),
        ({"nonsense": 1}, "'nonsense' was unexpected"),
        ({"ref": None}, "'ref' is a required property"),
    ],
)
def test_a_wrong_manage_is_refused(a: Api, b: Api, wrong: Json, text: str) -> None:
    answer = b.manage(_unmanaged(a), **wrong)

    assert answer.status_code == 400
    assert text in message(answer)
    assert b.cloud.volumes == {}


def test_manage_is_checked_against_the_quota_and_leaves_the_object(
    site: Site, a: Api, b: Api
) -> None:
    old = _unmanaged(a)
    b.cloud.quotas.volume["volumes"] = 0

    answer = b.manage(old)

    assert answer.status_code == 413
    assert site.storage.names() == [old]


def test_the_same_cloud_refuses_what_it_manages_already(a: Api) -> None:
    volume = a.new_volume()

    answer = a.manage(f"volume-{volume['id']}")

    assert (answer.status_code, message(answer)) == (
        400,
        "Unable to manage existing volume. The volume is already managed",
    )


def test_the_other_cloud_lists_what_is_in_use_as_safe_and_takes_it(
    site: Site, a: Api, b: Api
) -> None:
    server, volume, _ = a.new_server()
    name = f"volume-{volume['id']}"

    path = "/manageable_volumes/detail?host=cinder-b@shared%23shared"
    (listed,) = b.volume("GET", path).json()["manageable-volumes"]
    taken = _managed(b, name)

    assert listed["safe_to_manage"] is True
    assert listed["reference"] == {"source-name": name}
    assert taken["status"] == "available"
    assert site.storage.names() == [f"volume-{taken['id']}"]
    assert a.get_volume(volume["id"])["status"] == "in-use"
    assert a.get_server(server["id"])["status"] == "ACTIVE"


def test_the_own_volumes_are_listed_as_managed(a: Api) -> None:
    volume = a.new_volume()

    path = "/manageable_volumes/detail?host=cinder-a@shared%23shared"
    (listed,) = a.volume("GET", path).json()["manageable-volumes"]

    assert (listed["safe_to_manage"], listed["reason_not_safe"]) == (False, "already managed")
    assert listed["cinder_id"] == volume["id"]


def test_manageable_volumes_are_paged_by_their_reference(site: Site, a: Api) -> None:
    for name in ("one", "three", "two"):
        site.storage.create(name, 1)
    path = "/manageable_volumes?host=cinder-a@shared%23shared&limit=2"

    first = a.volume("GET", path).json()["manageable-volumes"]
    marker = '{"source-name": "three"}'
    rest = a.volume("GET", f"{path}&marker={marker}").json()["manageable-volumes"]

    assert [v["reference"]["source-name"] for v in first + rest] == ["two", "three", "one"]
    assert a.volume("GET", f"{path}&marker=x").status_code == 400
    assert a.volume("GET", f'{path}&marker={{"source-name":"x"}}').status_code == 400
    assert a.volume("GET", "/manageable_volumes").status_code == 400
    assert a.volume("GET", "/manageable_volumes?host=x").status_code == 404


def test_a_size_that_is_no_whole_gib_is_rounded_up_in_the_record(site: Site, b: Api) -> None:
    site.storage.create("odd", 1500 * 1024 * 1024)

    volume = _managed(b, "odd")

    assert volume["size"] == 2
    assert site.storage.size(f"volume-{volume['id']}") == 1500 * 1024 * 1024


def test_a_host_without_its_pool_is_completed(site: Site, b: Api) -> None:
    site.storage.create("x", 1024)

    volume = _managed(b, "x", host="cinder-b@shared")

    assert volume["os-vol-host-attr:host"] == "cinder-b@shared#shared"
    assert volume["status"] == "available"


def test_the_old_path_of_manage_takes_the_default_type(site: Site, b: Api) -> None:
    site.storage.create("x", 1024)
    body = {"volume": {"host": "cinder-b@shared#shared", "ref": {"source-name": "x"}}}

    answer = b.volume("POST", "/os-volume-manage", body, version="3.0")

    assert (answer.status_code, answer.json()["volume"]["volume_type"]) == (202, "shared")
    assert b.volume("POST", "/manageable_volumes", body, version="3.0").status_code == 404


def test_deleting_a_record_whose_object_was_taken_destroys_nothing(
    site: Site, a: Api, b: Api
) -> None:
    volume = a.new_volume()
    taken = _managed(b, f"volume-{volume['id']}")

    a.volume("DELETE", f"/volumes/{volume['id']}")

    assert a.get_volume(volume["id"])["status"] == "GONE"
    assert site.storage.names() == [f"volume-{taken['id']}"]


def test_an_unknown_volume_cannot_be_unmanaged(a: Api) -> None:
    assert a.volume_action(NOWHERE, "os-unmanage").status_code == 404
