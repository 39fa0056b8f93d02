"""The feed told everything: who only replays it knows each resource as the API shows it."""

from typing import Any
from uuid import UUID

from compute.models import Instance, Volume
from compute.services.instance_attachments import attach_volume, detach_volume
from compute.services.instance_input import InlineNetworkInterface, InstanceUpdate
from compute.services.instance_power import start_instance, stop_instance
from compute.services.instances import delete_instance, update_instance
from compute.services.volumes import (
    VolumeUpdate,
    delete_volume,
    undelete_volume,
    update_volume,
)
from cycloud.core.changes import feed
from cycloud.core.changes.models import ChangeType
from cycloud.core.changes.snapshots import bodies, watched
from networking.models import VPC, NetworkInterface, Subnet
from networking.services.network_interfaces import delete_network_interface
from tests.compute.reconcilers.test_move import declare_type
from tests.support.clouds import PROJECT, Clouds

Picture = dict[UUID, Any]
MODELS: dict[str, Any] = {
    model.kind: model for model in (Instance, Volume, NetworkInterface, Subnet, VPC)
}


def replayed() -> dict[str, Picture]:
    """What a watch from the beginning knows now."""
    pictures: dict[str, Picture] = {kind: {} for kind in watched()}
    for change in feed.read(0, 10_000):
        picture = pictures[change.kind]
        known = change.uid in picture
        assert known == (change.type != ChangeType.ADDED), f"{change} {change.body['name']}"
        if change.type == ChangeType.DELETED:
            del picture[change.uid]
        else:
            picture[change.uid] = change.body
    return pictures


def shown() -> dict[str, Picture]:
    """What the API shows now."""
    return {
        kind: bodies(kind, set(model._default_manager.values_list("uid", flat=True)))
        for kind, model in MODELS.items()
    }


def assert_told() -> None:
    told, true = replayed(), shown()
    for kind in MODELS:
        assert told[kind] == true[kind], kind


def test_the_kinds_that_are_watched() -> None:
    assert set(watched()) == set(MODELS)


def test_a_life_is_told_from_its_beginning_to_its_end(clouds: Clouds) -> None:
    """With a move, a volume that comes and goes, and parts that outlive the instance."""
    who: dict[str, Any] = {"actor": clouds.actor, "project_id": PROJECT}
    web: dict[str, Any] = {**who, "instance_id": "web-1"}
    clouds.create()
    assert_told()
    clouds.settle()
    assert_told()
    update_volume(**who, volume_id="web-1-data", changes=VolumeUpdate(size_gib=40))
    clouds.settle()
    assert_told()
    declare_type(clouds, "m8a.medium")
    stop_instance(**web)
    clouds.settle()
    detach_volume(**web, volume_id="web-1-data")
    assert_told()
    attach_volume(**web, volume_id="web-1-data")
    clouds.settle()
    assert_told()
    start_instance(**web)
    clouds.settle()
    assert_told()
    delete_instance(**web)
    assert_told()
    clouds.settle()
    assert_told()
    assert replayed()["Instance"] == {}
    (interface,) = NetworkInterface.objects.all()
    delete_network_interface(**who, network_interface_id=interface.resource_id)
    delete_volume(**who, volume_id="web-1-root")
    delete_volume(**who, volume_id="web-1-data")
    clouds.settle()
    undelete_volume(**who, volume_id="web-1-data")
    clouds.settle()
    assert_told()
    # the retention of the other one passes
    clouds.clock.advance(3600 * 24 * 30)
    clouds.settle()
    assert_told()
    left = replayed()
    assert [body["name"] for body in left["Volume"].values()] == [
        f"projects/{PROJECT}/volumes/web-1-data"
    ]
    assert left["NetworkInterface"] == {}


def test_a_replaced_network_interface_is_told_to_be_free(clouds: Clouds) -> None:
    clouds.running()
    who: dict[str, Any] = {"actor": clouds.actor, "project_id": PROJECT, "instance_id": "web-1"}
    stop_instance(**who)
    clouds.settle()
    changes = InstanceUpdate(network_interfaces=(InlineNetworkInterface("main"),))
    update_instance(**who, changes=changes)
    assert_told()
    clouds.settle()
    assert_told()
