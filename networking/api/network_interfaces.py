"""REST: network interfaces."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import QuerySet

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json, Result
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.filters import Field, Kind, resource_filters
from cycloud.core.aip.representation import resource_fields
from cycloud.core.iam.actor import Actor
from cycloud.networking.v1 import network_interface_pb2
from networking.selectors.networks import (
    NetworkInterface,
    get_network_interface,
    list_network_interfaces,
)
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    Strategy,
    create_network_interface,
    delete_network_interface,
    update_network_interface,
)


class NetworkInterfaces(Collection[NetworkInterface]):
    name = "networkInterfaces"
    kind = NetworkInterface.kind
    message = network_interface_pb2.NetworkInterface.DESCRIPTOR.full_name
    id_parameter = "network_interface_id"
    list_key = "network_interfaces"
    # ``allocation`` is an instruction for the creation and is not kept
    immutable = frozenset({"subnet", "ip_address"})
    output_only = frozenset({"mac_address", "availability_zone", "attached_instance", "managed_by"})
    orders = {**Collection.orders, "display_name": "display_name"}
    filters = {
        **resource_filters(name),
        "subnet": Field("subnet__resource_id", Kind.ENUM),
        "availability_zone": Field("subnet__availability_zone__resource_id", Kind.ENUM),
        "ip_address": Field("ip_address", Kind.ADDRESS),
        "mac_address": Field("mac_address", Kind.ENUM),
        "attached_instance": Field(
            "attachment__instance__resource_id",
            Kind.NAME,
            collection="instances",
            project="attachment__instance__project__resource_id",
        ),
    }

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[NetworkInterface]:
        return list_network_interfaces(actor=call.actor, project_id=call.project_id)

    def find(self, call: Call, resource_id: str) -> NetworkInterface:
        return get_network_interface(
            actor=call.actor, project_id=call.project_id, network_interface_id=resource_id
        )

    def by_uid(self, uids: set[UUID]) -> Mapping[UUID, NetworkInterface]:
        rows = NetworkInterface.objects.select_related(
            "project", "subnet__availability_zone", "attachment__instance__project"
        )
        return {row.uid: row for row in rows.filter(uid__in=uids)}

    def to_json(self, resource: NetworkInterface, actor: Actor) -> Json:
        attachment = getattr(resource, "attachment", None)
        return {
            **resource_fields(resource),
            "managed_by": resource.managed_by,
            "subnet": resource.subnet.resource_id,
            "availability_zone": resource.subnet.availability_zone.resource_id,
            "ip_address": resource.ip_address,
            "mac_address": resource.mac_address,
            "attached_instance": attachment.instance.name if attachment else None,
        }

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[NetworkInterface]:
        data = NetworkInterfaceInput(
            subnet=body.text("subnet"),
            ip_address=body.text("ip_address", None),
            strategy=_strategy(body),
            display_name=body.text("display_name", ""),
            labels=body.text_map("labels"),
            annotations=body.text_map("annotations"),
        )
        body.finish()
        return create_network_interface(
            actor=call.actor,
            project_id=call.project_id,
            data=data,
            network_interface_id=resource_id,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[NetworkInterface]:
        changes = body.metadata_changes()
        body.finish()
        return update_network_interface(
            actor=call.actor,
            project_id=call.project_id,
            network_interface_id=resource_id,
            changes=changes,
            options=call.options,
        )

    def delete(self, call: Call, resource_id: str) -> Result[NetworkInterface]:
        return delete_network_interface(
            actor=call.actor,
            project_id=call.project_id,
            network_interface_id=resource_id,
            options=call.options,
        )


def _strategy(body: Body) -> Strategy:
    """Read how an address is chosen where none is asked for."""
    text = body.text("allocation", Strategy.LOWEST.value)
    try:
        return Strategy(text)
    except ValueError:
        known = ", ".join(strategy.value for strategy in Strategy)
        raise InvalidArgument.field(
            body.where("allocation"), f"{text[:40]!r} is none of {known}."
        ) from None
