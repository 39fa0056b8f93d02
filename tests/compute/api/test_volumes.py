"""Volumes over REST: the contract's JSON, errors and rights."""

from typing import Any

import pytest

from compute.models import Volume
from cycloud.core.aip.models import Operation
from tests.compute.api.conftest import Api, api_as
from tests.factories.compute import World


def body(world: World, **changes: Any) -> dict[str, Any]:
    return {
        "volume_type": world.shared.resource_id,
        "availability_zone": world.zone.resource_id,
        "size": "20Gi",
        **changes,
    }


def test_create_and_get(world: World, api: Api) -> None:
    sent = body(world, image=world.image.resource_id, labels={"a": "b"})
    answer = api.post("volumes?volume_id=data", sent)
    assert answer.status_code == 200, answer.content
    assert answer.json()["done"] is False
    volume = api.get("volumes/data").json()
    assert {field: volume[field] for field in sent} == sent
    assert (volume["state"], volume["attached_instance"]) == ("PENDING", None)
    assert volume["conditions"][0]["reason"] == "VolumeBindingNotReady"


def test_an_attached_volume_names_its_instance(world: World, api: Api) -> None:
    instance = world.instance()
    volume = instance.volume_attachments.get().volume
    got = api.get(f"volumes/{volume.resource_id}").json()
    assert got["attached_instance"] == instance.name
    found = api.get(f"volumes?filter=attached_instance%3D{instance.resource_id}").json()
    assert [item["name"] for item in found["volumes"]] == [volume.name]


def test_growing_by_patch(world: World, api: Api) -> None:
    volume = world.volume(size_gib=20)
    path = f"volumes/{volume.resource_id}"
    sent = {**api.get(path).json(), "size": "30Gi"}
    assert api.patch(path, sent).status_code == 200
    volume.refresh_from_db()
    assert (volume.size_gib, volume.generation) == (30, 2)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"size": "10Gi"}, "size"),
        ({"size": "30"}, "size"),
        ({"size": None}, "size"),
        ({"volume_type": "other"}, "volume_type"),
        ({"availability_zone": "other"}, "availability_zone"),
        ({"image": "other"}, "image"),
        ({"pool": "x"}, "pool"),
    ],
)
def test_a_wrong_change_is_refused(
    world: World, api: Api, changes: dict[str, Any], field: str
) -> None:
    volume = world.volume(size_gib=20)
    answer = api.patch(f"volumes/{volume.resource_id}", changes)
    assert answer.status_code == 400, answer.content
    assert answer.json()["error"]["message"].startswith(f"{field}: ")
    volume.refresh_from_db()
    assert volume.revision == 1


def test_delete_undelete_and_the_list_in_between(world: World, api: Api) -> None:
    volume = world.volume()
    path = f"volumes/{volume.resource_id}"
    assert api.delete(path).status_code == 200
    assert api.get("volumes").json()["volumes"] == []
    shown = api.get("volumes?show_deleted=true").json()["volumes"]
    assert [item["state"] for item in shown] == ["DELETED"]
    assert shown[0]["purge_time"] > shown[0]["delete_time"]
    assert api.post(f"{path}:undelete", {}).status_code == 200
    volumes = api.get("volumes").json()["volumes"]
    assert [(item["uid"], item["purge_time"]) for item in volumes] == [(str(volume.uid), None)]


def test_deleting_an_attached_volume_names_the_instance(world: World, api: Api) -> None:
    instance = world.instance()
    volume = instance.volume_attachments.get().volume
    answer = api.delete(f"volumes/{volume.resource_id}")
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["metadata"]["instance"] == instance.name


@pytest.mark.parametrize(("who", "status"), [("viewer", 403), ("stranger", 404), ("nobody", 401)])
def test_who_may_not_write(world: World, who: str, status: int) -> None:
    volume = world.volume()
    path = f"volumes/{volume.resource_id}"
    client = api_as(world, who)
    calls: list[tuple[str, str, Any]] = [
        ("POST", "volumes", body(world)),
        ("PATCH", path, {"size": "30Gi"}),
        ("DELETE", path, None),
        ("POST", f"{path}:undelete", {}),
    ]
    for method, url, sent in calls:
        assert client.send(method, url, sent).status_code == status, (method, url)
    assert Volume.objects.count() == 1
    assert not Operation.objects.exists()


@pytest.mark.parametrize("count", [1, 5])
def test_the_number_of_queries_does_not_grow(
    world: World, api: Api, django_assert_max_num_queries: Any, count: int
) -> None:
    world.instance(volumes=count)
    with django_assert_max_num_queries(6):
        answer = api.get("volumes")
    assert len(answer.json()["volumes"]) == count
    assert b"secret-cluster" not in answer.content
