"""Instances over REST: the contract's JSON, errors and rights."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compute.models import Instance, VolumeAttachment
from compute.services.instances import update_instance
from cycloud.core.aip.models import Operation
from tests.compute.api.conftest import Api, api_as
from tests.factories.compute import World


def body(world: World, **changes: Any) -> dict[str, Any]:
    return {
        "instance_type": world.small.resource_id,
        "availability_zone": world.zone.resource_id,
        "network_interfaces": [{"subnet": world.subnet.resource_id, "ip_address": "10.0.1.23"}],
        "volumes": [
            {
                "volume_type": world.shared.resource_id,
                "size": "100Gi",
                "image": world.image.resource_id,
            }
        ],
        **changes,
    }


def test_create_answers_an_operation_and_get_the_instance(world: World, api: Api) -> None:
    answer = api.post("instances?instance_id=web-1", body(world))
    assert answer.status_code == 200, answer.content
    operation = answer.json()
    assert (operation["done"], operation["metadata"]["verb"]) == (False, "create")
    assert operation["name"].startswith(f"projects/{world.project.resource_id}/operations/")
    got = api.get("instances/web-1")
    instance = got.json()
    stored = Instance.objects.get()
    assert instance["etag"] == stored.etag
    assert got["ETag"].startswith(stored.etag.removesuffix('"') + ".")
    assert instance["name"] == f"projects/{world.project.resource_id}/instances/web-1"
    assert (instance["state"], instance["desired_state"]) == ("PENDING", "RUNNING")
    assert instance["reconciling"] is True
    assert instance["conditions"][0]["reason"] == "Creating"
    volume = stored.volume_attachments.get().volume
    assert instance["volumes"] == [{"id": volume.resource_id, "size": "100Gi", "boot": True}]
    interface = stored.network_attachments.get().network_interface
    assert instance["network_interfaces"] == [
        {
            "id": interface.resource_id,
            "ip_address": "10.0.1.23",
            "mac_address": interface.mac_address,
        }
    ]


def test_a_dry_run_answers_the_instance_that_would_be(world: World, api: Api) -> None:
    answer = api.post("instances?instance_id=web-1&validate_only=true", body(world)).json()
    assert answer["done"] is True
    assert "name" not in answer
    assert answer["response"]["volumes"][0]["size"] == "100Gi"
    assert answer["response"]["network_interfaces"][0]["ip_address"] == "10.0.1.23"
    assert not Instance.objects.exists()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"instance_type": None}, "instance_type"),
        ({"instance_type": 5}, "instance_type"),
        ({"volumes": {}}, "volumes"),
        ({"volumes": [5]}, "volumes"),
        ({"volumes": [{"size": "1Gi"}]}, "volumes[0].volume_type"),
        ({"volumes": [{"volume_type": "x", "size": 100}]}, "volumes[0].size"),
        ({"volumes": [{"volume_type": "x", "size": "1.5Gi"}]}, "volumes[0].size"),
        ({"volumes": [{"id": "x", "size": "1Gi"}]}, "volumes[0].size"),
        ({"volumes": [{"id": None}]}, "volumes[0].id"),
        ({"network_interfaces": [{}]}, "network_interfaces[0].subnet"),
        ({"network_interfaces": [{"id": "x", "mac": "y"}]}, "network_interfaces[0].mac"),
        ({"ssh_public_keys": "x"}, "ssh_public_keys"),
        ({"deletion_protection": "yes"}, "deletion_protection"),
        ({"labels": {"a": 1}}, "labels"),
        ({"hypervisor": "x"}, "hypervisor"),
    ],
)
def test_a_wrong_field_is_named(
    world: World, api: Api, changes: dict[str, Any], field: str
) -> None:
    answer = api.post("instances", body(world, **changes))
    assert answer.status_code == 400, answer.content
    details = answer.json()["error"]["details"]
    violations = next(d for d in details if d["@type"].endswith("BadRequest"))["field_violations"]
    assert [violation["field"] for violation in violations] == [field]
    assert not Instance.objects.exists()


def test_output_only_fields_of_a_body_are_ignored(world: World, api: Api) -> None:
    answer = api.post("instances", body(world, state="RUNNING", uid="x", reconciling=False))
    assert answer.status_code == 200, answer.content
    assert Instance.objects.get().state == "PENDING"


class TestUpdate:
    def test_only_what_the_mask_names_is_changed(self, world: World, api: Api) -> None:
        instance = world.instance(display_name="old")
        path = f"instances/{instance.resource_id}?update_mask=instance_type"
        sent = {"instance_type": world.medium.resource_id, "display_name": "new"}
        assert api.patch(path, sent).status_code == 200
        instance.refresh_from_db()
        assert (instance.instance_type, instance.display_name) == (world.medium, "old")

    def test_what_was_read_can_be_sent_back_with_one_change(self, world: World, api: Api) -> None:
        instance = world.instance(volumes=2)
        path = f"instances/{instance.resource_id}"
        answer = api.patch(path, {**api.get(path).json(), "display_name": "new"})
        assert answer.status_code == 200, answer.content
        assert answer.json()["done"] is True
        instance.refresh_from_db()
        assert (instance.display_name, instance.generation) == ("new", 1)

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"availability_zone": "elsewhere"}, "availability_zone"),
            ({"volumes": []}, "volumes"),
            ({"colour": "red"}, "colour"),
        ],
    )
    def test_what_cannot_be_changed_is_refused(
        self, world: World, api: Api, changes: dict[str, Any], field: str
    ) -> None:
        answer = api.patch(f"instances/{world.instance().resource_id}", changes)
        assert answer.status_code == 400
        assert answer.json()["error"]["message"].startswith(field)

    def test_an_old_etag_is_refused(self, world: World, api: Api) -> None:
        instance = world.instance()
        path = f"instances/{instance.resource_id}"
        etag = api.get(path)["ETag"]
        assert api.patch(path, {"display_name": "a"}, HTTP_IF_MATCH=etag).status_code == 200
        answer = api.patch(path, {"display_name": "b"}, HTTP_IF_MATCH=etag)
        assert answer.status_code == 409
        assert answer.json()["error"]["status"] == "ABORTED"

    def test_what_shows_a_volume_that_has_grown_is_not_the_same_as_before(
        self, world: World, api: Api
    ) -> None:
        instance = world.instance()
        path = f"instances/{instance.resource_id}"
        before = api.get(path)["ETag"]
        assert api.get(path, HTTP_IF_NONE_MATCH=before).status_code == 304
        volume = instance.volume_attachments.get().volume
        grown = api.post(f"volumes/{volume.resource_id}:grow", {"size": "50Gi"})
        assert grown.status_code == 200, grown.content
        after = api.get(path, HTTP_IF_NONE_MATCH=before)
        assert after.status_code == 200
        assert after.json()["volumes"][0]["size"] == "50Gi"

    def test_a_blocked_move_names_the_volume_and_no_cluster(self, world: World, api: Api) -> None:
        instance = world.instance(volumes=0)
        volume = world.volume(blockers=["snapshots"])
        VolumeAttachment.objects.create(instance=instance, volume=volume, device_index=0)
        answer = api.patch(
            f"instances/{instance.resource_id}?validate_only=true",
            {"instance_type": world.new_small.resource_id},
        )
        error = answer.json()["error"]
        assert (error["code"], error["status"]) == (400, "FAILED_PRECONDITION")
        assert error["details"][0]["reason"] == "MOVE_BLOCKED"
        assert volume.name in error["message"]
        assert b"secret-cluster" not in answer.content


@pytest.mark.parametrize(
    ("before", "verb", "after"),
    [
        ("STOPPED", "start", "RUNNING"),
        ("RUNNING", "stop", "STOPPED"),
        ("RUNNING", "restart", "RUNNING"),
    ],
)
def test_power_verbs(world: World, api: Api, before: str, verb: str, after: str) -> None:
    instance = world.instance(desired_state=before)
    answer = api.post(f"instances/{instance.resource_id}:{verb}", {})
    assert answer.status_code == 200, answer.content
    assert answer.json()["metadata"]["verb"] == verb
    instance.refresh_from_db()
    assert (instance.desired_state, instance.generation) == (after, 2)


def test_a_volume_is_attached_and_detached(world: World, api: Api) -> None:
    instance, volume = world.instance(desired_state="STOPPED"), world.volume()
    path = f"instances/{instance.resource_id}"
    assert api.post(f"{path}:attachVolume", {"volume": volume.name}).status_code == 200
    ids = [item["id"] for item in api.get(path).json()["volumes"]]
    assert ids[1] == volume.resource_id
    detached = api.post(f"{path}:detachVolume", {"volume": volume.resource_id})
    assert detached.status_code == 200
    assert len(api.get(path).json()["volumes"]) == 1


@pytest.mark.parametrize("verb", ["attachVolume", "detachVolume"])
def test_a_volume_verb_needs_its_volume(world: World, api: Api, verb: str) -> None:
    instance = world.instance(desired_state="STOPPED")
    answer = api.post(f"instances/{instance.resource_id}:{verb}", {})
    assert answer.json()["error"]["message"].startswith("volume: ")


def test_delete_and_delete_again(world: World, api: Api) -> None:
    instance = world.instance()
    for _ in range(2):
        answer = api.delete(f"instances/{instance.resource_id}")
        assert answer.status_code == 200
        assert answer.json()["done"] is False
    assert api.get(f"instances/{instance.resource_id}").json()["delete_time"] is not None


class TestList:
    def test_it_filters_by_label_and_state(self, world: World, api: Api) -> None:
        wanted = world.instance(labels={"tier": "web"}, state="RUNNING")
        world.instance(labels={"tier": "web"}, state="STOPPED")
        world.instance(labels={"tier": "db"}, state="RUNNING")
        answer = api.get("instances?filter=labels.tier%3Dweb AND state%3DRUNNING").json()
        assert [item["name"] for item in answer["instances"]] == [wanted.name]

    def test_pages_hold_all_and_none_twice(self, world: World, api: Api) -> None:
        names = {world.instance().name for _ in range(5)}
        seen: list[str] = []
        token = ""
        while True:
            page = api.get(f"instances?page_size=2&page_token={token}").json()
            seen += [item["name"] for item in page["instances"]]
            token = page["next_page_token"]
            if not token:
                break
        assert len(seen) == 5
        assert set(seen) == names

    def test_the_number_of_queries_does_not_grow(
        self, world: World, api: Api, django_assert_max_num_queries: Any
    ) -> None:
        for count in (1, 5):
            for _ in range(count):
                world.instance(volumes=3)
            # session, user, memberships, project, instances and their two kinds of attachments
            with django_assert_max_num_queries(8):
                assert api.get("instances").status_code == 200

    def test_no_answer_names_a_cluster(self, world: World, api: Api) -> None:
        instance = world.instance()
        answers = [api.get("instances"), api.get(f"instances/{instance.resource_id}")]
        for answer in answers:
            for secret in (b"secret-cluster", b"kvm-", b"provider-volume", b"flavor"):
                assert secret not in answer.content


def requests(world: World, instance: Instance) -> list[tuple[str, str, Any]]:
    path = f"instances/{instance.resource_id}"
    return [
        ("POST", "instances", body(world)),
        ("PATCH", path, {"display_name": "x"}),
        ("POST", f"{path}:start", {}),
        ("POST", f"{path}:stop", {}),
        ("POST", f"{path}:restart", {}),
        ("POST", f"{path}:attachVolume", {"volume": "x"}),
        ("POST", f"{path}:detachVolume", {"volume": "x"}),
        ("DELETE", path, None),
    ]


@pytest.mark.parametrize(("who", "status"), [("viewer", 403), ("stranger", 404), ("nobody", 401)])
def test_who_may_not_write(world: World, who: str, status: int) -> None:
    instance = world.instance()
    client = api_as(world, who)
    for method, path, sent in requests(world, instance):
        assert client.send(method, path, sent).status_code == status, (method, path)
    instance.refresh_from_db()
    assert (instance.generation, instance.revision) == (1, 1)
    assert not Operation.objects.exists()


@pytest.mark.parametrize("who", ["editor", "admin", "operator"])
def test_who_may_write(world: World, who: str) -> None:
    client = api_as(world, who)
    assert client.post("instances", body(world)).status_code == 200


@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("viewer", 200),
        ("editor", 200),
        ("admin", 200),
        ("operator", 200),
        ("stranger", 404),
        ("nobody", 401),
    ],
)
def test_who_may_read(world: World, who: str, status: int) -> None:
    path = f"instances/{world.instance().resource_id}"
    client = api_as(world, who)
    assert client.get(path).status_code == status
    assert client.get("instances").status_code == status


def test_what_another_project_has_looks_like_nothing_also_by_the_number_of_queries(
    world: World, api: Api
) -> None:
    theirs = world.instance(project=world.other_project)
    # the first request notes the use of the token
    api.get("instances")
    foreign = world.other_project.resource_id
    pairs = [
        (f"{api.root}/instances/{theirs.resource_id}", f"{api.root}/instances/never-there"),
        (f"/v1/projects/{foreign}/instances", "/v1/projects/never-there/instances"),
        (
            f"/v1/projects/{foreign}/instances/{theirs.resource_id}",
            "/v1/projects/never-there/instances/never-there",
        ),
    ]
    for pair in pairs:
        seen = []
        for path in pair:
            with CaptureQueriesContext(connection) as queries:
                answer = api.client.get(path)
            text = answer.content.decode()
            for secret in (theirs.resource_id, foreign, "never-there"):
                text = text.replace(secret, "X")
            seen.append((answer.status_code, text, len(queries)))
        assert seen[0] == seen[1]
        assert seen[0][0] == 404


def test_the_operation_can_be_read_and_ends_with_the_resource(world: World, api: Api) -> None:
    instance = world.instance()
    path = f"instances/{instance.resource_id}"
    operation = api.patch(path, {"display_name": "new"}).json()
    uid = operation["name"].rpartition("/")[2]
    read = api.get(f"operations/{uid}").json()
    assert read["response"]["display_name"] == "new"
    assert update_instance.__name__.startswith(read["metadata"]["verb"])
