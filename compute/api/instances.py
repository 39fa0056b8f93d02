"""Instances over REST: JSON to the services' values and back. No rule is here."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from compute.models import Instance
from compute.selectors.instances import get_instance, instance_rows, list_instances
from compute.services.instance_attachments import attach_volume, detach_volume
from compute.services.instance_power import (
    cancel_start,
    restart_instance,
    start_instance,
    stop_instance,
)
from compute.services.instances import (
    InlineNetworkInterface,
    InlineVolume,
    InstanceInput,
    InstanceUpdate,
    NetworkInterfaceReference,
    VolumeReference,
    create_instance,
    delete_instance,
    update_instance,
)
from cycloud.compute.v1 import instance_pb2
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json
from cycloud.core.aip.filters import Field, Kind, resource_filters
from cycloud.core.aip.models import Operation
from cycloud.core.aip.quantities import format_gib
from cycloud.core.aip.representation import resource_fields
from cycloud.core.aip.writes import Written
from cycloud.core.iam.actor import Actor

__all__ = ["Instances"]

_POWER: Mapping[str, Callable[..., Written[Instance]]] = {
    "start": start_instance,
    "stop": stop_instance,
    "restart": restart_instance,
}
_VOLUMES: Mapping[str, Callable[..., Written[Instance]]] = {
    "attachVolume": attach_volume,
    "detachVolume": detach_volume,
}


class Instances(Collection[Instance]):
    """``/v1/projects/{project}/instances``."""

    name = Instance.collection
    kind = Instance.kind
    message = instance_pb2.Instance.DESCRIPTOR.full_name
    id_parameter = "instance_id"
    list_key = "instances"
    updatable = Collection.updatable | {
        "instance_type",
        "ssh_public_keys",
        "user_data",
        "network_interfaces",
        "desired_state",
        "deletion_protection",
    }
    immutable = frozenset({"availability_zone", "volumes"})
    output_only = frozenset({"state", "managed_by"})
    orders = {**Collection.orders, "display_name": "display_name"}
    filters = {
        **resource_filters(name),
        "state": Field("state", Kind.ENUM),
        "desired_state": Field("desired_state", Kind.ENUM),
        "instance_type": Field("instance_type__resource_id"),
        "availability_zone": Field("availability_zone__resource_id"),
        "deletion_protection": Field("deletion_protection", Kind.BOOLEAN),
    }
    verbs = frozenset(_POWER) | frozenset(_VOLUMES)

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[Instance]:
        # an instance is gone once it is deleted; until then it is shown as DELETING
        return list_instances(actor=call.actor, project_id=call.project_id)

    def find(self, call: Call, resource_id: str) -> Instance:
        return get_instance(actor=call.actor, project_id=call.project_id, instance_id=resource_id)

    def by_uid(self, uids: set[UUID]) -> Mapping[UUID, Instance]:
        return {instance.uid: instance for instance in instance_rows().filter(uid__in=uids)}

    def to_json(self, resource: Instance, actor: Actor) -> Json:
        return {
            **resource_fields(resource),
            "managed_by": resource.managed_by,
            "instance_type": resource.instance_type.resource_id,
            "availability_zone": resource.availability_zone.resource_id,
            "state": resource.state,
            "desired_state": resource.desired_state,
            "volumes": [
                {
                    "id": attachment.volume.resource_id,
                    "size": format_gib(attachment.volume.size_gib),
                    "boot": attachment.device_index == 0,
                }
                for attachment in resource.volume_attachments.all()
            ],
            "network_interfaces": [
                {
                    "id": attachment.network_interface.resource_id,
                    "ip_address": attachment.network_interface.ip_address,
                    "mac_address": attachment.network_interface.mac_address,
                }
                for attachment in resource.network_attachments.all()
            ],
            "ssh_public_keys": resource.ssh_public_keys,
            "user_data": resource.user_data,
            "deletion_protection": resource.deletion_protection,
        }

    def create(self, call: Call, resource_id: str | None, body: Body) -> Written[Instance]:
        data = InstanceInput(
            instance_type=body.text("instance_type"),
            availability_zone=body.text("availability_zone"),
            volumes=tuple(_volume(item) for item in body.objects("volumes")),
            network_interfaces=tuple(
                _network_interface(item) for item in body.objects("network_interfaces")
            ),
            ssh_public_keys=body.texts("ssh_public_keys"),
            user_data=body.text("user_data", ""),
            desired_state=body.text("desired_state", "RUNNING"),
            deletion_protection=body.boolean("deletion_protection", False),
            display_name=body.text("display_name", ""),
            labels=body.text_map("labels"),
            annotations=body.text_map("annotations"),
        )
        body.finish()
        return create_instance(
            actor=call.actor,
            project_id=call.project_id,
            instance_id=resource_id or "",
            data=data,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Written[Instance]:
        readers: dict[str, Callable[[], Any]] = {
            "instance_type": lambda: body.text("instance_type"),
            "ssh_public_keys": lambda: body.texts("ssh_public_keys"),
            "user_data": lambda: body.text("user_data", ""),
            "network_interfaces": lambda: tuple(
                _network_interface(item) for item in body.objects("network_interfaces")
            ),
            "desired_state": lambda: body.text("desired_state", "RUNNING"),
            "deletion_protection": lambda: body.boolean("deletion_protection", False),
            "display_name": lambda: body.text("display_name", ""),
            "labels": lambda: body.map_change("labels"),
            "annotations": lambda: body.map_change("annotations"),
        }
        changes = InstanceUpdate(**{f: read() for f, read in readers.items() if body.has(f)})
        body.finish()
        return update_instance(
            actor=call.actor,
            project_id=call.project_id,
            instance_id=resource_id,
            changes=changes,
            options=call.options,
        )

    def delete(self, call: Call, resource_id: str) -> Written[Instance]:
        return delete_instance(
            actor=call.actor,
            project_id=call.project_id,
            instance_id=resource_id,
            options=call.options,
        )

    def run_verb(self, verb: str, call: Call, resource_id: str, body: Body) -> Written[Instance]:
        arguments: dict[str, Any] = {
            "actor": call.actor,
            "project_id": call.project_id,
            "instance_id": resource_id,
            "options": call.options,
        }
        if verb in _POWER:
            body.finish()
            return _POWER[verb](**arguments)
        volume_id = body.text("volume")
        body.finish()
        return _VOLUMES[verb](volume_id=volume_id, **arguments)

    def cancel(self, call: Call, operation: Operation) -> None:
        if operation.verb == "start":
            cancel_start(actor=call.actor, operation=operation, options=call.options)
        else:
            super().cancel(call, operation)


def _volume(item: Body) -> VolumeReference | InlineVolume:
    volume: VolumeReference | InlineVolume
    if item.has("id"):
        volume = VolumeReference(item.text("id"))
    else:
        volume = InlineVolume(
            volume_type=item.text("volume_type"),
            size_gib=item.gib("size"),
            image=item.text("image", None),
            volume_id=item.text("volume_id", None),
        )
    item.finish()
    return volume


def _network_interface(item: Body) -> NetworkInterfaceReference | InlineNetworkInterface:
    interface: NetworkInterfaceReference | InlineNetworkInterface
    # output only, and so ignored where they come back with the id (AIP-203)
    item.has("mac_address")
    address = item.text("ip_address", None)
    if item.has("id"):
        interface = NetworkInterfaceReference(item.text("id"))
    else:
        interface = InlineNetworkInterface(item.text("subnet"), address)
    item.finish()
    return interface
