"""Cinder: volumes, snapshots, quotas."""

from typing import Any

import pytest

from cycloud.simulator.site import Site
from cycloud.simulator.storage import GIB
from tests.simulator.api import NOWHERE, Api, message


def test_a_new_volume_is_creating_then_available(site: Site, a: Api) -> None:
    site.hold("a", "creating")
    created = a.new_volume(name="v")
    assert (created["status"], created["service_uuid"]) == ("creating", None)

    site.release("a")

    volume = a.get_volume(created["id"])
    assert (volume["status"], volume["bootable"]) == ("available", "false")
    assert volume["shared_targets"] is False
    assert volume["service_uuid"] == a.cloud.volume_service_id
    assert volume["os-vol-host-attr:host"] == "cinder-a@shared#shared"
    assert site.storage.size(f"volume-{volume['id']}") == GIB


def test_a_volume_from_an_image_has_its_bytes_and_its_metadata(site: Site, a: Api) -> None:
    volume = a.new_volume(image=True)
    image = a.cloud.image_id("ubuntu-24.04")

    assert volume["bootable"] == "true"
    assert volume["volume_image_metadata"]["image_id"] == image
    stored = site.storage.read(f"volume-{volume['id']}", 0, 4 * 1024 * 1024)
    assert stored == site.image_data.read(image, 0, 4 * 1024 * 1024)


def test_a_volume_of_another_type_lies_on_another_backend(site: Site, a: Api) -> None:
    volume = a.new_volume(volume_type="fast")

    assert volume["os-vol-host-attr:host"] == "cinder-a@fast#fast"
    assert site.storage.names("fast") == [f"volume-{volume['id']}"]


@pytest.mark.parametrize(
    ("change", "status", "text"),
    [
        ({"volume_type": "nope"}, 404, "Volume type with name nope could not be found."),
        ({"imageRef": NOWHERE}, 400, "Invalid image identifier"),
        ({"availability_zone": "x"}, 400, "Availability zone 'x' is invalid."),
        ({"size": 0}, 400, "0 is less than the minimum of 1"),
        ({"size": "x"}, 400, "'x' does not match"),
        ({"size": None}, 400, "malformed or otherwise incorrect"),
        ({"nonsense": 1}, 400, "'nonsense' was unexpected"),
        ({"metadata": {"a": 1}}, 400, "1 is not of type 'string'"),
        ({"snapshot_id": NOWHERE}, 404, f"Snapshot {NOWHERE} could not be found."),
    ],
)
def test_a_wrong_volume_is_refused(a: Api, change: dict[str, Any], status: int, text: str) -> None:
    answer = a.volume("POST", "/volumes", {"volume": {"size": 1, **change}})

    assert answer.status_code == status
    assert text in message(answer)
    assert a.cloud.volumes == {}


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ("volumes", "VolumeLimitExceeded: Maximum number of volumes allowed (0) exceeded"),
        (
            "gigabytes",
            "VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed"
            " gigabytes quota. Requested 2G, quota is 0G and 0G has been consumed.",
        ),
    ],
)
def test_a_quota_of_cinder_is_over_limit(a: Api, limit: str, text: str) -> None:
    answer = a.volume("PUT", f"/os-quota-sets/{a.project}", {"quota_set": {limit: 0}})
    assert answer.status_code == 200

    answer = a.volume("POST", "/volumes", {"volume": {"size": 2}})

    assert (answer.status_code, answer.headers["Retry-After"]) == (413, "0")
    assert answer.json()["overLimit"]["retryAfter"] == "0"
    assert message(answer).startswith(text)


def test_volumes_are_found_by_metadata_name_and_status(a: Api) -> None:
    wanted = a.new_volume(name="one", metadata={"uid": "1", "x": "y"})
    a.new_volume(name="two", metadata={"uid": "2"})

    for query in ('metadata={"uid":"1"}', "metadata={'uid':'1'}", "name=one"):
        found = a.volume("GET", f"/volumes/detail?{query}").json()["volumes"]
        assert [v["id"] for v in found] == [wanted["id"]], query
    assert a.volume("GET", "/volumes/detail?status=error").json()["volumes"] == []
    assert a.volume("GET", "/volumes/detail?metadata=x").json()["volumes"] == []


def test_volumes_are_listed_page_by_page(a: Api) -> None:
    made = [a.new_volume()["id"] for _ in range(3)]

    first = a.volume("GET", "/volumes/detail?limit=2&with_count=true").json()
    rest = a.session.get(first["volumes_links"][0]["href"]).json()

    assert [v["id"] for v in first["volumes"] + rest["volumes"]] == made[::-1]
    assert first["count"] == 3
    assert a.volume("GET", f"/volumes/detail?marker={NOWHERE}").status_code == 404
    assert a.volume("GET", "/volumes?limit=-1").status_code == 400


def test_a_volume_is_changed(a: Api) -> None:
    volume = a.new_volume(metadata={"a": "1"})
    path = f"/volumes/{volume['id']}"

    a.volume("PUT", path, {"volume": {"name": "n", "description": "d"}})
    a.volume("POST", path + "/metadata", {"metadata": {"b": "2"}})
    a.volume("PUT", path + "/metadata/c", {"meta": {"c": "3"}})
    assert a.volume("DELETE", path + "/metadata/a").status_code == 200
    assert a.volume("DELETE", path + "/metadata/a").status_code == 404
    a.volume_action(volume["id"], "os-set_bootable", bootable=True)
    a.volume_action(volume["id"], "os-set_image_metadata", metadata={"hw": "x", "os": "y"})
    a.volume_action(volume["id"], "os-unset_image_metadata", key="hw")

    now = a.get_volume(volume["id"])
    assert (now["name"], now["description"], now["bootable"]) == ("n", "d", "true")
    assert now["metadata"] == {"b": "2", "c": "3"}
    assert now["volume_image_metadata"] == {"os": "y"}


def test_a_volume_grows_and_never_shrinks(site: Site, a: Api) -> None:
    volume = a.new_volume()
    assert a.volume_action(volume["id"], "os-extend", new_size=3).status_code == 202

    assert a.get_volume(volume["id"])["size"] == 3
    assert site.storage.size(f"volume-{volume['id']}") == 3 * GIB
    answer = a.volume_action(volume["id"], "os-extend", new_size=2)
    assert answer.status_code == 400
    assert "(current: 3, extended: 2)" in message(answer)


def test_a_volume_in_use_grows_from_3_42_on(a: Api) -> None:
    _, volume, _ = a.new_server()
    path, body = f"/volumes/{volume['id']}/action", {"os-extend": {"new_size": 2}}

    refused = a.volume("POST", path, body, version="3.41")
    assert refused.status_code == 400
    assert "must be '{'status': 'available'}' to extend, currently in-use" in message(refused)
    assert a.volume("POST", path, body, version="3.42").status_code == 202
    now = a.get_volume(volume["id"])
    assert (now["status"], now["size"]) == ("in-use", 2)


def test_a_growing_volume_is_checked_against_the_quota(a: Api) -> None:
    volume = a.new_volume()
    a.cloud.quotas.volume["gigabytes"] = 2

    assert a.volume_action(volume["id"], "os-extend", new_size=3).status_code == 413


def test_deleting_a_volume_destroys_its_bytes(site: Site, a: Api) -> None:
    volume = a.new_volume()
    site.hold("a", "deleting")
    assert a.volume("DELETE", f"/volumes/{volume['id']}").status_code == 202
    assert a.get_volume(volume["id"])["status"] == "deleting"
    assert site.storage.names() != []

    site.release("a")

    assert a.get_volume(volume["id"])["status"] == "GONE"
    assert site.storage.names() == []


def test_a_volume_in_use_or_with_a_snapshot_is_not_deleted(a: Api) -> None:
    _, used, _ = a.new_server()
    kept = a.new_volume()
    body = {"snapshot": {"volume_id": kept["id"], "name": "s"}}
    snapshot = a.volume("POST", "/snapshots", body).json()["snapshot"]

    for volume in (used, kept):
        answer = a.volume("DELETE", f"/volumes/{volume['id']}")
        assert answer.status_code == 400
        assert message(answer).startswith("Invalid volume: Volume status must be available or")
    assert a.volume("DELETE", f"/snapshots/{snapshot['id']}").status_code == 202
    assert a.volume("DELETE", f"/volumes/{kept['id']}").status_code == 202


def test_snapshots_are_listed_by_volume(a: Api) -> None:
    volume = a.new_volume()
    a.volume("POST", "/snapshots", {"snapshot": {"volume_id": volume["id"]}})

    path = f"/snapshots/detail?volume_id={volume['id']}"
    (found,) = a.volume("GET", path).json()["snapshots"]

    assert (found["status"], found["size"]) == ("available", 1)
    assert a.volume("GET", f"/snapshots/{found['id']}").status_code == 200
    assert a.volume("GET", f"/snapshots?volume_id={NOWHERE}").json()["snapshots"] == []
    assert a.volume("GET", f"/snapshots/{NOWHERE}").status_code == 404


def test_a_snapshot_of_a_volume_in_use_needs_force(a: Api) -> None:
    _, volume, _ = a.new_server()
    body = {"snapshot": {"volume_id": volume["id"]}}

    assert a.volume("POST", "/snapshots", body).status_code == 400
    body["snapshot"]["force"] = True
    assert a.volume("POST", "/snapshots", body).status_code == 202


def test_use_shows_in_quotas_and_limits(a: Api) -> None:
    a.new_volume(size=3)

    usage = a.volume("GET", f"/os-quota-sets/{a.project}?usage=True").json()["quota_set"]
    absolute = a.volume("GET", "/limits").json()["limits"]["absolute"]

    assert usage["gigabytes"] == {"limit": 5000, "in_use": 3, "reserved": 0}
    assert (absolute["totalVolumesUsed"], absolute["totalGigabytesUsed"]) == (1, 3)


def test_a_status_is_reset(a: Api) -> None:
    volume = a.new_volume()

    a.volume_action(volume["id"], "os-reset_status", status="error")

    assert a.get_volume(volume["id"])["status"] == "error"
    assert a.volume_action(volume["id"], "os-force_delete").status_code == 202
    assert a.get_volume(volume["id"])["status"] == "GONE"


def test_types_are_shown_by_id_only(a: Api) -> None:
    listed = a.volume("GET", "/types").json()["volume_types"]

    assert {t["name"]: t["extra_specs"]["volume_backend_name"] for t in listed} == {
        "shared": "shared",
        "fast": "fast",
    }
    assert a.volume("GET", f"/types/{listed[0]['id']}").status_code == 200
    assert a.volume("GET", "/types/shared").status_code == 404
    assert a.volume("GET", "/messages").json() == {"messages": []}
