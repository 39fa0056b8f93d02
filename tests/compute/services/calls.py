"""Short ways to call the services in these tests."""

from dataclasses import replace
from typing import Any

from compute.models import Instance
from compute.services.instances import (
    InlineNetworkInterface,
    InlineVolume,
    InstanceInput,
    create_instance,
)
from cycloud.core.aip.models import Operation
from cycloud.core.aip.writes import WriteOptions, Written
from cycloud.core.reconcile.models import DueRow
from cycloud.core.resources.models import Reconciled
from tests.factories.compute import World

DRY = WriteOptions(validate_only=True)


def instance_input(world: World, **changes: Any) -> InstanceInput:
    """An instance with one inline volume and one inline network interface."""
    base = InstanceInput(
        instance_type=world.small.resource_id,
        availability_zone=world.zone.resource_id,
        volumes=(InlineVolume(world.shared.resource_id, 20, world.image.resource_id),),
        network_interfaces=(InlineNetworkInterface(world.subnet.resource_id),),
    )
    return replace(base, **changes)


def create(world: World, instance_id: str = "web", **changes: Any) -> Written[Instance]:
    return create_instance(
        actor=world.actor(),
        project_id=world.project.resource_id,
        instance_id=instance_id,
        data=instance_input(world, **changes),
    )


def call(world: World, verb: Any, instance: Instance, **more: Any) -> Written[Instance]:
    """Call a verb on the instance as an editor of its project."""
    return verb(  # type: ignore[no-any-return]
        actor=world.actor(),
        project_id=instance.project.resource_id,
        instance_id=instance.resource_id,
        **more,
    )


def is_due(controller: str, resource: Reconciled) -> bool:
    return DueRow.objects.filter(controller=controller, key=str(resource.uid)).exists()


def superseded(verb: str, target: Reconciled) -> bool:
    """Whether the operation of that verb was ended by a later one."""
    operation = Operation.objects.get(verb=verb, target_uid=target.uid)
    return operation.done and (operation.error or {}).get("reason") == "SUPERSEDED"
