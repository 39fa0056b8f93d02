"""REST: volume types. Everybody reads them without their placements, operators write."""

from typing import Any

from django.db.models import QuerySet

from catalog.api.common import CatalogCollection, common_fields, identity
from catalog.selectors.catalog import (
    VolumeType,
    get_volume_type,
    list_volume_types,
    zones_of_volume_type,
)
from catalog.services.volume_types import (
    VolumePlacementInput,
    VolumeTypeInput,
    create_volume_type,
    delete_volume_type,
    update_volume_type,
)
from cycloud.catalog.v1 import volume_type_pb2
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Json, Result
from cycloud.core.aip.quantities import format_gib
from cycloud.core.iam.actor import Actor

# JSON field -> field of the input, in GiB
_SIZES = {
    "minimum_size": "minimum_gib",
    "maximum_size": "maximum_gib",
    "granularity": "granularity_gib",
}


class VolumeTypes(CatalogCollection[VolumeType]):
    name = "volumeTypes"
    kind = VolumeType.kind
    message = volume_type_pb2.VolumeType.DESCRIPTOR.full_name
    id_parameter = "volume_type_id"
    list_key = "volume_types"
    updatable = frozenset({"display_name", "retention_seconds", "placements", *_SIZES})
    output_only = frozenset({"availability_zones", "managed_by"})

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[VolumeType]:
        return list_volume_types()

    def find(self, call: Call, resource_id: str) -> VolumeType:
        return get_volume_type(resource_id)

    def to_json(self, resource: VolumeType, actor: Actor) -> Json:
        answer: Json = {
            **common_fields(resource),
            **{field: format_gib(getattr(resource, name)) for field, name in _SIZES.items()},
            "retention_seconds": resource.retention_seconds,
            "availability_zones": zones_of_volume_type(resource),
        }
        if actor.is_operator:
            answer["managed_by"] = resource.managed_by
            answer["placements"] = [
                {
                    "cluster": placement.cluster.resource_id,
                    "provider_id": placement.provider_id,
                    "provider_type": placement.provider_type,
                    "backend_host": placement.backend_host,
                }
                for placement in resource.placements.all()
            ]
        return answer

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[VolumeType]:
        data = VolumeTypeInput(**_values(body))
        body.finish()
        return create_volume_type(
            actor=call.actor,
            resource_id=identity(self, resource_id),
            data=data,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[VolumeType]:
        changes = _values(body)
        body.finish()
        return update_volume_type(
            actor=call.actor, resource_id=resource_id, changes=changes, options=call.options
        )

    def delete(self, call: Call, resource_id: str) -> Result[VolumeType]:
        delete_volume_type(actor=call.actor, resource_id=resource_id, options=call.options)
        return None


def _values(body: Body) -> dict[str, Any]:
    """Read the fields that are there; the input has defaults for the others."""
    values: dict[str, Any] = {}
    if body.has("display_name"):
        values["display_name"] = body.text("display_name", "")
    if body.has("retention_seconds"):
        values["retention_seconds"] = body.integer("retention_seconds")
    for field, name in _SIZES.items():
        if body.has(field):
            values[name] = body.gib(field)
    if body.has("placements"):
        values["placements"] = _placements(body)
    return values


def _placements(body: Body) -> tuple[VolumePlacementInput, ...]:
    placements = []
    for item in body.objects("placements"):
        placements.append(
            VolumePlacementInput(
                cluster=item.text("cluster"),
                provider_id=item.text("provider_id"),
                provider_type=item.text("provider_type"),
                backend_host=item.text("backend_host"),
            )
        )
        item.finish()
    return tuple(placements)
