"""Short ways to declare things, and to read and set quotas."""

from typing import Any

from compute.models import Instance, Volume
from compute.services.instances import InstanceUpdate, update_instance
from compute.services.volumes import VolumeInput, create_volume
from cycloud.core.aip.writes import Written
from cycloud.core.iam.actor import Role
from cycloud.core.quotas.selectors import list_quotas
from cycloud.core.quotas.services import set_quota_limit
from networking.models import NetworkInterface
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    create_network_interface,
)
from tests.compute.services.calls import call
from tests.factories.compute import World
from tests.factories.iam import OPERATOR


def limit(world: World, **limits: int | None) -> None:
    for quota_id, value in limits.items():
        set_quota_limit(
            actor=OPERATOR, project_id=world.project.resource_id, quota_id=quota_id, limit=value
        )


def usage(world: World) -> dict[str, int]:
    quotas = list_quotas(actor=world.actor(Role.VIEWER), project_id=world.project.resource_id)
    return {quota.resource.resource_id: quota.usage for quota in quotas}


def make_volume(world: World, size_gib: int = 20, **more: Any) -> Written[Volume]:
    data = VolumeInput(world.shared.resource_id, world.zone.resource_id, size_gib)
    return create_volume(
        actor=world.actor(), project_id=world.project.resource_id, data=data, **more
    )


def make_interface(world: World) -> Written[NetworkInterface]:
    return create_network_interface(
        actor=world.actor(),
        project_id=world.project.resource_id,
        data=NetworkInterfaceInput(world.subnet.resource_id),
    )


def change(world: World, verb: Any, volume: Volume, **more: Any) -> Written[Volume]:
    return verb(  # type: ignore[no-any-return]
        actor=world.actor(),
        project_id=world.project.resource_id,
        volume_id=volume.resource_id,
        **more,
    )


def resize(world: World, instance: Instance, kind: Any) -> None:
    call(world, update_instance, instance, changes=InstanceUpdate(instance_type=kind.resource_id))
