"""What AIP-134 to 136 and 155 ask of updates, deletes and verbs, on a real collection."""

from uuid import uuid4

import pytest

from compute.models import Instance, Volume
from cycloud.core.aip.models import Operation
from tests.compute.api.conftest import Api, api_as
from tests.factories.compute import World


def volume_body(world: World) -> dict[str, str]:
    return {
        "volume_type": world.shared.resource_id,
        "availability_zone": world.zone.resource_id,
        "size": "20Gi",
    }


def test_an_update_may_create_what_is_missing(world: World, api: Api) -> None:
    answer = api.patch("volumes/data?allow_missing=true&update_mask=labels", volume_body(world))
    assert answer.status_code == 200, answer.content
    assert answer.json()["metadata"]["verb"] == "create"
    assert Volume.objects.get(resource_id="data").size_gib == 20


def test_such_an_update_repeated_with_its_request_id_is_the_same_operation(
    world: World, api: Api
) -> None:
    path = f"volumes/data?allow_missing=true&request_id={uuid4()}"
    first, second = (api.patch(path, volume_body(world)) for _ in range(2))
    assert first.status_code == second.status_code == 200, second.content
    assert first.json()["name"] == second.json()["name"]
    assert Volume.objects.count() == 1


def test_without_allow_missing_an_update_of_nothing_is_not_found(world: World, api: Api) -> None:
    assert api.patch("volumes/data", volume_body(world)).status_code == 404
    assert not Volume.objects.exists()


def test_allow_missing_does_not_forgive_a_reference_to_nothing(world: World, api: Api) -> None:
    instance = world.instance(desired_state="STOPPED")
    path = f"instances/{instance.resource_id}?allow_missing=true"
    answer = api.patch(path, {"network_interfaces": [{"id": "nowhere"}]})
    assert answer.status_code in (400, 404), answer.content
    assert "nowhere" in answer.json()["error"]["message"]
    assert Instance.objects.count() == 1


def test_a_delete_may_find_nothing(world: World, api: Api) -> None:
    answer = api.delete("volumes/data?allow_missing=true")
    assert answer.status_code == 200, answer.content
    assert answer.json()["done"] is True
    assert not Operation.objects.exists()


@pytest.mark.parametrize(("who", "status"), [("viewer", 403), ("stranger", 404)])
def test_who_may_not_delete_is_not_told_that_nothing_is_there(
    world: World, who: str, status: int
) -> None:
    answer = api_as(world, who).delete("volumes/data?allow_missing=true")
    assert answer.status_code == status, answer.content


def test_a_verb_takes_its_options_in_the_body(world: World, api: Api) -> None:
    instance = world.instance(desired_state="RUNNING")
    path = f"instances/{instance.resource_id}:stop"
    dry = api.post(path, {"validate_only": True})
    assert dry.status_code == 200, dry.content
    instance.refresh_from_db()
    assert instance.desired_state == "RUNNING"
    request_id = str(uuid4())
    first, second = (api.post(path, {"request_id": request_id}) for _ in range(2))
    assert first.json()["name"] == second.json()["name"]
    stale = api.post(path, {"etag": '"old"'})
    assert (stale.status_code, stale.json()["error"]["status"]) == (409, "ABORTED")


def test_a_verb_has_no_query_parameters(world: World, api: Api) -> None:
    instance = world.instance(desired_state="RUNNING")
    answer = api.post(f"instances/{instance.resource_id}:stop?validate_only=true", {})
    assert answer.status_code == 400
    instance.refresh_from_db()
    assert instance.desired_state == "RUNNING"


def test_what_a_collection_does_not_do_is_unimplemented(world: World, api: Api) -> None:
    answer = api.patch("operations/x", {})
    assert (answer.status_code, answer.json()["error"]["status"]) == (405, "UNIMPLEMENTED")


def test_a_read_mask_shows_what_it_names(world: World, api: Api) -> None:
    volume = world.volume(labels={"env": "prod", "tier": "db"})
    path = f"volumes/{volume.resource_id}"
    assert api.get(f"{path}?read_mask=name,labels.env").json() == {
        "name": volume.name,
        "labels": {"env": "prod"},
    }
    assert api.get(f"{path}?read_mask=*").json() == api.get(path).json()
    listed = api.get("volumes?read_mask=size").json()["volumes"]
    assert listed == [{"size": f"{volume.size_gib}Gi"}]


@pytest.mark.parametrize("path", ["volumes", "volumes/data", "operations", "quotas"])
def test_a_read_mask_with_an_unknown_path_is_refused(world: World, api: Api, path: str) -> None:
    world.volume(resource_id="data")
    answer = api.get(f"{path}?read_mask=cluster")
    assert answer.status_code == 400, answer.content
    violation = answer.json()["error"]["details"][1]["field_violations"][0]
    assert (violation["field"], violation["reason"]) == ("read_mask", "UNKNOWN_PATH")
