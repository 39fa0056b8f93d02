"""REST: subnets."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import QuerySet

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json, Result
from cycloud.core.aip.filters import Field, Kind, resource_filters
from cycloud.core.aip.representation import resource_fields
from cycloud.core.iam.actor import Actor
from cycloud.networking.v1 import subnet_pb2
from networking.selectors.networks import Subnet, get_subnet, list_subnets
from networking.services.subnets import SubnetInput, create_subnet, delete_subnet, update_subnet


class Subnets(Collection[Subnet]):
    name = "subnets"
    kind = Subnet.kind
    message = subnet_pb2.Subnet.DESCRIPTOR.full_name
    id_parameter = "subnet_id"
    list_key = "subnets"
    immutable = frozenset({"vpc", "availability_zone", "cidr", "gateway_ip"})
    orders = {**Collection.orders, "display_name": "display_name"}
    filters = {
        **resource_filters(name),
        "vpc": Field("vpc__resource_id", Kind.ENUM),
        "availability_zone": Field("availability_zone__resource_id", Kind.ENUM),
        "cidr": Field("cidr"),
    }

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[Subnet]:
        return list_subnets(actor=call.actor, project_id=call.project_id)

    def find(self, call: Call, resource_id: str) -> Subnet:
        return get_subnet(actor=call.actor, project_id=call.project_id, subnet_id=resource_id)

    def by_uid(self, uids: set[UUID]) -> Mapping[UUID, Subnet]:
        rows = Subnet.objects.select_related("project", "vpc", "availability_zone")
        return {row.uid: row for row in rows.filter(uid__in=uids)}

    def to_json(self, resource: Subnet, actor: Actor) -> Json:
        return {
            **resource_fields(resource),
            "vpc": resource.vpc.resource_id,
            "availability_zone": resource.availability_zone.resource_id,
            "cidr": resource.cidr,
            "gateway_ip": resource.gateway_ip,
        }

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[Subnet]:
        data = SubnetInput(
            vpc=body.text("vpc"),
            availability_zone=body.text("availability_zone"),
            cidr=body.text("cidr"),
            gateway_ip=body.text("gateway_ip", None),
            display_name=body.text("display_name", ""),
            labels=body.text_map("labels"),
            annotations=body.text_map("annotations"),
        )
        body.finish()
        return create_subnet(
            actor=call.actor,
            project_id=call.project_id,
            data=data,
            subnet_id=resource_id,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[Subnet]:
        changes = body.metadata_changes()
        body.finish()
        return update_subnet(
            actor=call.actor,
            project_id=call.project_id,
            subnet_id=resource_id,
            changes=changes,
            options=call.options,
        )

    def delete(self, call: Call, resource_id: str) -> Result[Subnet]:
        return delete_subnet(
            actor=call.actor,
            project_id=call.project_id,
            subnet_id=resource_id,
            options=call.options,
        )
