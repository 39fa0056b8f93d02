"""VolumeType: sizes, retention, and which volume type of which cluster shows which storage."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from catalog.kubernetes.apis import VOLUME_TYPE
from catalog.kubernetes.catalog_kind import CatalogKind
from catalog.kubernetes.cluster_references import check_zones, cluster_reference, read_cluster
from catalog.models import VolumeType
from catalog.selectors.catalog import list_volume_types
from catalog.services.volume_types import (
    VolumePlacementInput,
    VolumeTypeInput,
    create_volume_type,
    delete_volume_type,
    update_volume_type,
)
from cycloud.core.aip.body import Body
from cycloud.core.aip.quantities import format_gib
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.fields import object_fields
from cycloud.kubernetes.kinds import Json

__all__ = ["VolumeTypeKind"]

_ZONES: Final = "spec.availabilityZones"
_ITEM: Final = {
    "placements.provider_id": "providerID",
    "placements.provider_type": "providerType",
    "placements.backend_host": "backendHost",
}


@dataclass(frozen=True)
class _ZonedVolumePlacement(VolumePlacementInput):
    """The zone is the cluster's own; an object says it again, so that it can be read without looking that up."""

    availability_zone: str = ""


@dataclass(frozen=True)
class _VolumeTypeDeclaration(VolumeTypeInput):
    placements: tuple[_ZonedVolumePlacement, ...] = ()


class VolumeTypeKind(CatalogKind[VolumeType, _VolumeTypeDeclaration]):
    api = VOLUME_TYPE
    row_kind = VolumeType.kind
    collection = VolumeType.collection
    fields = {
        "volume_type_id": "metadata.name",
        "minimum_gib": "spec.minimumSize",
        "maximum_gib": "spec.maximumSize",
        "granularity_gib": "spec.granularity",
        "retention_seconds": "spec.retentionSeconds",
        "placements": _ZONES,
    }

    def rows(self) -> QuerySet[VolumeType]:
        return list_volume_types()

    def spec_of(self, row: VolumeType) -> Json:
        placements = [
            {
                "name": placement.cluster.availability_zone.resource_id,
                "computeCluster": cluster_reference(placement.cluster),
                "providerID": placement.provider_id,
                "providerType": placement.provider_type,
                "backendHost": placement.backend_host,
            }
            for placement in row.placements.all()
        ]
        return {
            "displayName": row.display_name,
            "minimumSize": format_gib(row.minimum_gib),
            "maximumSize": format_gib(row.maximum_gib),
            "granularity": format_gib(row.granularity_gib),
            "retentionSeconds": row.retention_seconds,
            "availabilityZones": sorted(
                placements, key=lambda item: (item["name"], item["computeCluster"]["name"])
            ),
        }

    def read(self, spec: Body, resource_id: str) -> _VolumeTypeDeclaration:
        return _VolumeTypeDeclaration(
            minimum_gib=spec.gib("minimumSize", VolumeTypeInput.minimum_gib),
            maximum_gib=spec.gib("maximumSize", VolumeTypeInput.maximum_gib),
            granularity_gib=spec.gib("granularity", VolumeTypeInput.granularity_gib),
            retention_seconds=spec.integer("retentionSeconds", VolumeTypeInput.retention_seconds),
            display_name=spec.text("displayName", ""),
            placements=tuple(
                _ZonedVolumePlacement(
                    cluster=read_cluster(item),
                    provider_id=item.text("providerID"),
                    provider_type=item.text("providerType"),
                    backend_host=item.text("backendHost"),
                    availability_zone=item.text("name"),
                )
                for item in spec.objects("availabilityZones")
            ),
        )

    def check(self, wanted: _VolumeTypeDeclaration) -> None:
        for index, placement in enumerate(wanted.placements):
            with object_fields({k: f"{_ZONES}[{index}].{v}" for k, v in _ITEM.items()}):
                VolumeTypeInput(placements=(placement,)).check()
        check_zones(wanted.placements, _ZONES)

    def create(
        self, actor: Actor, resource_id: str, wanted: _VolumeTypeDeclaration, options: WriteOptions
    ) -> None:
        create_volume_type(actor=actor, resource_id=resource_id, data=wanted, options=options)

    def update(
        self,
        actor: Actor,
        row: VolumeType,
        wanted: _VolumeTypeDeclaration,
        changes: Mapping[str, Any],
        options: WriteOptions,
    ) -> None:
        update_volume_type(
            actor=actor, resource_id=row.resource_id, changes=changes, options=options
        )

    def delete(self, actor: Actor, resource_id: str, options: WriteOptions) -> None:
        delete_volume_type(actor=actor, resource_id=resource_id, options=options)
