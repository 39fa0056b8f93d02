"""REST: VPCs."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import QuerySet

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json, Result
from cycloud.core.aip.filters import resource_filters
from cycloud.core.aip.representation import resource_fields
from cycloud.core.iam.actor import Actor
from cycloud.networking.v1 import vpc_pb2
from networking.selectors.networks import VPC, get_vpc, list_vpcs
from networking.services.vpcs import VpcInput, create_vpc, delete_vpc, update_vpc


class Vpcs(Collection[VPC]):
    name = "vpcs"
    kind = VPC.kind
    message = vpc_pb2.VPC.DESCRIPTOR.full_name
    id_parameter = "vpc_id"
    list_key = "vpcs"
    orders = {**Collection.orders, "display_name": "display_name"}
    filters = resource_filters(name)

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[VPC]:
        return list_vpcs(actor=call.actor, project_id=call.project_id)

    def find(self, call: Call, resource_id: str) -> VPC:
        return get_vpc(actor=call.actor, project_id=call.project_id, vpc_id=resource_id)

    def by_uid(self, uids: set[UUID]) -> Mapping[UUID, VPC]:
        rows = VPC.objects.select_related("project")
        return {row.uid: row for row in rows.filter(uid__in=uids)}

    def to_json(self, resource: VPC, actor: Actor) -> Json:
        return resource_fields(resource)

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[VPC]:
        data = VpcInput(
            display_name=body.text("display_name", ""),
            labels=body.text_map("labels"),
            annotations=body.text_map("annotations"),
        )
        body.finish()
        return create_vpc(
            actor=call.actor,
            project_id=call.project_id,
            data=data,
            vpc_id=resource_id,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[VPC]:
        changes = body.metadata_changes()
        body.finish()
        return update_vpc(
            actor=call.actor,
            project_id=call.project_id,
            vpc_id=resource_id,
            changes=changes,
            options=call.options,
        )

    def delete(self, call: Call, resource_id: str) -> Result[VPC]:
        return delete_vpc(
            actor=call.actor, project_id=call.project_id, vpc_id=resource_id, options=call.options
        )
