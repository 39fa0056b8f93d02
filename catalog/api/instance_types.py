"""REST: instance types. Everybody reads them without their placements, operators write."""

from typing import Any

from django.db.models import QuerySet

from catalog.api.common import CatalogCollection, common_fields, identity
from catalog.selectors.catalog import (
    InstanceType,
    get_instance_type,
    list_instance_types,
    zones_of_instance_type,
)
from catalog.services.instance_types import (
    InstancePlacementInput,
    InstanceTypeInput,
    create_instance_type,
    delete_instance_type,
    update_instance_type,
)
from cycloud.catalog.v1 import instance_type_pb2
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Json, Result
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.iam.actor import Actor


class InstanceTypes(CatalogCollection[InstanceType]):
    name = "instanceTypes"
    kind = InstanceType.kind
    message = instance_type_pb2.InstanceType.DESCRIPTOR.full_name
    id_parameter = "instance_type_id"
    list_key = "instance_types"
    updatable = frozenset({"display_name", "family", "vcpus", "memory_mib", "placements"})
    output_only = frozenset({"availability_zones", "managed_by"})
    filters = {
        **CatalogCollection.filters,
        "family": Field("family__resource_id", Kind.ENUM),
        "vcpus": Field("vcpus", Kind.NUMBER),
        "memory_mib": Field("memory_mib", Kind.NUMBER),
    }

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[InstanceType]:
        return list_instance_types()

    def find(self, call: Call, resource_id: str) -> InstanceType:
        return get_instance_type(resource_id)

    def to_json(self, resource: InstanceType, actor: Actor) -> Json:
        answer: Json = {
            **common_fields(resource),
            "family": resource.family.resource_id,
            "vcpus": resource.vcpus,
            "memory_mib": resource.memory_mib,
            "availability_zones": zones_of_instance_type(resource),
        }
        if actor.is_operator:
            answer["managed_by"] = resource.managed_by
            answer["placements"] = [
                {
                    "cluster": placement.cluster.resource_id,
                    "provider_id": placement.provider_id,
                    "availability_zone": placement.availability_zone.resource_id,
                }
                for placement in resource.placements.all()
            ]
        return answer

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[InstanceType]:
        data = InstanceTypeInput(
            family=body.text("family"),
            vcpus=body.integer("vcpus"),
            memory_mib=body.integer("memory_mib"),
            display_name=body.text("display_name", ""),
            placements=_placements(body),
        )
        body.finish()
        return create_instance_type(
            actor=call.actor,
            resource_id=identity(self, resource_id),
            data=data,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[InstanceType]:
        changes: dict[str, Any] = {}
        if body.has("display_name"):
            changes["display_name"] = body.text("display_name", "")
        if body.has("family"):
            changes["family"] = body.text("family")
        for field in ("vcpus", "memory_mib"):
            if body.has(field):
                changes[field] = body.integer(field)
        if body.has("placements"):
            changes["placements"] = _placements(body)
        body.finish()
        return update_instance_type(
            actor=call.actor, resource_id=resource_id, changes=changes, options=call.options
        )

    def delete(self, call: Call, resource_id: str) -> Result[InstanceType]:
        delete_instance_type(actor=call.actor, resource_id=resource_id, options=call.options)
        return None


def _placements(body: Body) -> tuple[InstancePlacementInput, ...]:
    placements = []
    for item in body.objects("placements"):
        placements.append(
            InstancePlacementInput(
                cluster=item.text("cluster"),
                provider_id=item.text("provider_id"),
                availability_zone=item.text("availability_zone", ""),
            )
        )
        item.finish()
    return tuple(placements)
