"""Filters, orders and masks over REST, on the resources of a project."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest

from compute.models import Instance, Volume
from cycloud.core.clock import now
from cycloud.core.conditions import Condition, Status, to_json
from tests.compute.api.conftest import Api
from tests.factories.compute import World


def names(api: Api, path: str, **query: str) -> list[str]:
    text = "&".join(f"{name}={quote(value)}" for name, value in query.items())
    answer = api.get(f"{path}?{text}")
    assert answer.status_code == 200, answer.content
    return [item["name"].rpartition("/")[2] for item in answer.json()[path]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("conditions.Ready.reason = Moving", ["b"]),
        ('conditions.Ready = "True"', ["a"]),
        ("conditions:Ready", ["a", "b"]),
        ("NOT conditions.Ready.status = True", ["b", "c"]),
        ("annotations.note = *and*", ["a"]),
        ("annotations:note labels.env != prod", ["b"]),
        ("labels.'env' = prod", ["a"]),
        ("deletion_protection = true", ["c"]),
        ("generation > 1", ["c"]),
    ],
)
def test_instances_are_found_by_what_they_show(
    world: World, api: Api, text: str, expected: list[str]
) -> None:
    ready = Condition("Ready", Status.TRUE, "Updated")
    moving = Condition("Ready", Status.FALSE, "Moving", "on its way")
    world.instance(
        resource_id="a",
        conditions=to_json([ready]),
        labels={"env": "prod"},
        annotations={"note": "this and that"},
    )
    world.instance(resource_id="b", conditions=to_json([moving]), annotations={"note": ""})
    world.instance(resource_id="c", deletion_protection=True, generation=2)
    assert names(api, "instances", filter=text) == expected


@pytest.mark.parametrize("by_full_name", [True, False])
def test_an_attached_instance_is_found_by_id_and_by_name(
    world: World, api: Api, by_full_name: bool
) -> None:
    instance = world.instance(resource_id="web-1", volumes=2)
    world.volume()
    value = instance.name if by_full_name else "web-1"
    assert len(names(api, "volumes", filter=f'attached_instance = "{value}"')) == 2
    assert len(names(api, "volumes", filter="NOT attached_instance:*")) == 1
    other = instance.name.replace(world.project.name, "projects/other")
    assert names(api, "volumes", filter=f'attached_instance = "{other}"') == []


def test_an_address_that_is_none_is_refused_on_every_database(world: World, api: Api) -> None:
    world.network_interface()
    answer = api.get("networkInterfaces?filter=" + quote("ip_address = ten"))
    assert answer.status_code == 400
    answer = api.get("networkInterfaces?filter=" + quote("ip_address = 10.0.1.2"))
    assert len(answer.json()["network_interfaces"]) == 1


def test_volumes_are_ordered_by_several_fields_and_without_a_value_last(
    world: World, api: Api
) -> None:
    time = now()
    for resource_id, size_gib, days in (
        ("a", 10, None),
        ("b", 20, 2),
        ("c", 10, 1),
        ("d", 20, None),
    ):
        volume = world.volume(resource_id=resource_id, size_gib=size_gib)
        if days:
            purge_time = time + timedelta(days=days)
            Volume.objects.filter(pk=volume.pk).update(purge_time=purge_time, delete_time=time)
    for order, expected in (
        ("purge_time, name", ["c", "b", "a", "d"]),
        ("purge_time desc, name", ["a", "d", "b", "c"]),
        ("size desc, purge_time, name", ["b", "d", "c", "a"]),
    ):
        assert names(api, "volumes", order_by=order, show_deleted="true") == expected
        seen: list[str] = []
        token = ""
        while True:
            path = f"volumes?show_deleted=true&page_size=1&order_by={quote(order)}"
            page = api.get(f"{path}&page_token={token}").json()
            seen += [item["name"].rpartition("/")[2] for item in page["volumes"]]
            token = page["next_page_token"]
            if not token:
                break
        assert seen == expected


class TestMaskOfAMap:
    @pytest.fixture(params=["instances", "volumes", "subnets", "vpcs", "networkInterfaces"])
    def target(self, request: Any, world: World) -> Any:
        make: dict[str, Callable[[], Any]] = {
            "instances": world.instance,
            "volumes": world.volume,
            "subnets": lambda: world.subnet,
            "vpcs": lambda: world.subnet.vpc,
            "networkInterfaces": world.network_interface,
        }
        resource = make[request.param]()
        labels = {"env": "test", "keep": "1", "a.b/c": "x"}
        type(resource)._default_manager.filter(pk=resource.pk).update(labels=labels)
        resource.refresh_from_db()
        return resource

    @staticmethod
    def patch(api: Api, target: Any, mask: str, body: Any) -> Any:
        return api.patch(
            f"{target.collection}/{target.resource_id}?update_mask={quote(mask)}", body
        )

    def test_only_the_named_keys_change(self, api: Api, target: Any) -> None:
        mask = "labels.env,labels.new,labels.`a.b/c`,annotations.note"
        body = {"labels": {"env": "prod", "new": "2", "other": "no"}, "annotations": {"note": "n"}}
        answer = self.patch(api, target, mask, body)
        assert answer.status_code == 200, answer.content
        target.refresh_from_db()
        assert target.labels == {"env": "prod", "keep": "1", "new": "2"}
        assert target.annotations == {"note": "n"}

    @pytest.mark.parametrize(
        ("mask", "body", "field"),
        [
            ("labels.a.b/c", {}, "update_mask"),
            ("name.x,display_name.x", {"display_name": {}}, "update_mask"),
            ("labels.colour,size2", {}, "update_mask"),
            ("labels.`not a key`", {"labels": {"not a key": "x"}}, "labels"),
            ("labels.env", {"labels": {"env": 1}}, "labels"),
        ],
    )
    def test_a_wrong_path_or_value_changes_nothing(
        self, api: Api, target: Any, mask: str, body: Any, field: str
    ) -> None:
        answer = self.patch(api, target, mask, body)
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][1]["field_violations"][0]["field"] == field
        target.refresh_from_db()
        assert target.labels == {"env": "test", "keep": "1", "a.b/c": "x"}

    def test_a_star_resets_what_the_body_leaves_out(self, api: Api, target: Any) -> None:
        if target.collection in ("instances", "volumes"):
            pytest.skip("these have required fields, which a full replacement must name")
        assert self.patch(api, target, "*", {"display_name": "x"}).status_code == 200
        target.refresh_from_db()
        assert (target.display_name, target.labels) == ("x", {})


class TestGrow:
    def test_a_volume_grows(self, world: World, api: Api) -> None:
        volume = world.volume(size_gib=20)
        answer = api.post(f"volumes/{volume.resource_id}:grow", {"size": "30Gi"})
        assert answer.status_code == 200, answer.content
        assert answer.json()["done"] is False
        assert answer.json()["metadata"]["verb"] == "grow"
        volume.refresh_from_db()
        assert (volume.size_gib, volume.generation) == (30, 2)

    def test_its_own_size_again_is_done_at_once(self, world: World, api: Api) -> None:
        volume = world.volume(size_gib=20)
        answer = api.post(f"volumes/{volume.resource_id}:grow", {"size": "20Gi"})
        assert answer.json()["done"] is True
        volume.refresh_from_db()
        assert volume.generation == 1

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "size"),
            ({"size": "10Gi"}, "size"),
            ({"size": 30}, "size"),
            ({"size": "31Gi"}, "size"),
            ({"size": "30Gi", "volume_type": "x"}, "volume_type"),
        ],
    )
    def test_a_wrong_size_changes_nothing(
        self, world: World, api: Api, body: Any, field: str
    ) -> None:
        volume = world.volume(size_gib=20)
        answer = api.post(f"volumes/{volume.resource_id}:grow", body)
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][1]["field_violations"][0]["field"] == field
        volume.refresh_from_db()
        assert (volume.size_gib, volume.generation) == (20, 1)

    def test_a_dry_run_grows_nothing(self, world: World, api: Api) -> None:
        volume = world.volume(size_gib=20)
        body = {"size": "30Gi", "validate_only": True}
        assert api.post(f"volumes/{volume.resource_id}:grow", body).status_code == 200
        volume.refresh_from_db()
        assert volume.size_gib == 20

    def test_a_deleted_volume_does_not_grow(self, world: World, api: Api) -> None:
        volume = world.volume(size_gib=20)
        api.delete(f"volumes/{volume.resource_id}")
        answer = api.post(f"volumes/{volume.resource_id}:grow", {"size": "30Gi"})
        assert answer.json()["error"]["details"][0]["reason"] == "VOLUME_DELETED"


def test_a_change_of_a_key_is_made_on_what_is_there_then(world: World, api: Api) -> None:
    """Two clients that change different keys do not undo each other."""
    instance = world.instance(labels={"a": "1"})
    path = f"instances/{instance.resource_id}"
    for key in ("b", "c"):
        answer = api.patch(f"{path}?update_mask=labels.{key}", {"labels": {key: "2"}})
        assert answer.status_code == 200
    assert Instance.objects.get(pk=instance.pk).labels == {"a": "1", "b": "2", "c": "2"}
