"""REST: availability zones. Everybody reads, operators write."""

from typing import Any

from django.db.models import QuerySet

from catalog.api.common import CatalogCollection, common_fields, identity
from catalog.selectors.catalog import (
    AvailabilityZone,
    get_availability_zone,
    list_availability_zones,
)
from catalog.services.availability_zones import (
    AvailabilityZoneInput,
    create_availability_zone,
    delete_availability_zone,
    update_availability_zone,
)
from cycloud.catalog.v1 import availability_zone_pb2
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Json, Result
from cycloud.core.iam.actor import Actor


class AvailabilityZones(CatalogCollection[AvailabilityZone]):
    name = "availabilityZones"
    kind = AvailabilityZone.kind
    message = availability_zone_pb2.AvailabilityZone.DESCRIPTOR.full_name
    id_parameter = "availability_zone_id"
    list_key = "availability_zones"
    updatable = frozenset({"display_name"})

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[AvailabilityZone]:
        return list_availability_zones()

    def find(self, call: Call, resource_id: str) -> AvailabilityZone:
        return get_availability_zone(resource_id)

    def to_json(self, resource: AvailabilityZone, actor: Actor) -> Json:
        return common_fields(resource)

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[AvailabilityZone]:
        data = AvailabilityZoneInput(display_name=body.text("display_name", ""))
        body.finish()
        return create_availability_zone(
            actor=call.actor,
            resource_id=identity(self, resource_id),
            data=data,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[AvailabilityZone]:
        changes: dict[str, Any] = {}
        if body.has("display_name"):
            changes["display_name"] = body.text("display_name", "")
        body.finish()
        return update_availability_zone(
            actor=call.actor, resource_id=resource_id, changes=changes, options=call.options
        )

    def delete(self, call: Call, resource_id: str) -> Result[AvailabilityZone]:
        delete_availability_zone(actor=call.actor, resource_id=resource_id, options=call.options)
        return None
