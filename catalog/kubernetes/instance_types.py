"""InstanceType: a size of a family, and in which cluster of a zone which flavor it is."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from django.db.models import QuerySet

from catalog.kubernetes.apis import INSTANCE_TYPE
from catalog.kubernetes.catalog_kind import CatalogKind
from catalog.kubernetes.cluster_references import check_zones, cluster_reference, read_cluster
from catalog.models import InstanceFamily, InstanceType
from catalog.selectors.catalog import list_instance_types
from catalog.services.instance_families import InstanceFamilyInput, create_instance_family
from catalog.services.instance_types import (
    InstancePlacementInput,
    InstanceTypeInput,
    create_instance_type,
    delete_instance_type,
    update_instance_type,
)
from cycloud.core.aip.body import Body
from cycloud.core.aip.errors import AlreadyExists, InvalidArgument
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.fields import object_fields
from cycloud.kubernetes.kinds import Json, Manifest

__all__ = ["InstanceTypeKind"]

_ZONES: Final = "spec.availabilityZones"
_MEBIBYTE: Final = 1024 * 1024


class InstanceTypeKind(CatalogKind[InstanceType, InstanceTypeInput]):
    """Its family is made with the first type of it: adding a generation takes a cluster and its types."""

    api = INSTANCE_TYPE
    row_kind = InstanceType.kind
    collection = InstanceType.collection
    fields = {
        "instance_type_id": "metadata.name",
        "family": "spec.instanceFamily",
        "instance_family_id": "spec.instanceFamily",
        "vcpus": "spec.cpuInfo.vcpus",
        "memory_mib": "spec.memoryInfo.sizeBytes",
        "placements": _ZONES,
    }

    def rows(self) -> QuerySet[InstanceType]:
        return list_instance_types()

    def spec_of(self, row: InstanceType) -> Json:
        placements = [
            {
                "name": placement.availability_zone.resource_id,
                "computeCluster": cluster_reference(placement.cluster),
                "providerID": placement.provider_id,
            }
            for placement in row.placements.all()
        ]
        return {
            "displayName": row.display_name,
            "instanceFamily": row.family.resource_id,
            "cpuInfo": {"vcpus": row.vcpus},
            "memoryInfo": {"sizeBytes": row.memory_mib * _MEBIBYTE},
            "availabilityZones": sorted(placements, key=lambda item: str(item["name"])),
        }

    def read(self, spec: Body, resource_id: str) -> InstanceTypeInput:
        return InstanceTypeInput(
            family=spec.text("instanceFamily", "") or resource_id.partition(".")[0],
            vcpus=_inner(spec, "cpuInfo").integer("vcpus"),
            memory_mib=_mebibytes(spec),
            display_name=spec.text("displayName", ""),
            placements=tuple(
                InstancePlacementInput(
                    cluster=read_cluster(item),
                    provider_id=item.text("providerID"),
                    availability_zone=item.text("name"),
                )
                for item in spec.objects("availabilityZones")
            ),
        )

    def agrees(self, manifest: Manifest, spec: Json) -> bool:
        # without the name at hand a family that is left out cannot be told; the next pass on the object can
        family = spec.get("instanceFamily") or manifest.spec["instanceFamily"]
        return super().agrees(manifest, {**spec, "instanceFamily": family})

    def check(self, wanted: InstanceTypeInput) -> None:
        for index, placement in enumerate(wanted.placements):
            with object_fields({"placements.provider_id": f"{_ZONES}[{index}].providerID"}):
                InstanceTypeInput("any", 1, 1, placements=(placement,)).check()
        check_zones(wanted.placements, _ZONES)

    def create(
        self, actor: Actor, resource_id: str, wanted: InstanceTypeInput, options: WriteOptions
    ) -> None:
        _ensure_family(actor, wanted.family)
        create_instance_type(actor=actor, resource_id=resource_id, data=wanted, options=options)

    def update(
        self,
        actor: Actor,
        row: InstanceType,
        wanted: InstanceTypeInput,
        changes: Mapping[str, Any],
        options: WriteOptions,
    ) -> None:
        if "family" in changes:
            _ensure_family(actor, wanted.family)
        update_instance_type(
            actor=actor, resource_id=row.resource_id, changes=changes, options=options
        )

    def delete(self, actor: Actor, resource_id: str, options: WriteOptions) -> None:
        delete_instance_type(actor=actor, resource_id=resource_id, options=options)


def _ensure_family(actor: Actor, family: str) -> None:
    """Make the family if it is missing. It is the API's then: no object declares it, and types share it."""
    if InstanceFamily.objects.filter(resource_id=family).exists():
        return
    # another type of the family may have been faster
    with suppress(AlreadyExists):
        create_instance_family(actor=actor, resource_id=family, data=InstanceFamilyInput())


def _mebibytes(spec: Body) -> int:
    memory = _inner(spec, "memoryInfo")
    field = memory.where("sizeBytes")
    # beyond what Body takes for a whole number
    size = memory.json.get("sizeBytes")
    if not isinstance(size, int) or isinstance(size, bool):
        raise InvalidArgument.field(field, "must be a whole number of bytes.", "WRONG_TYPE")
    if size % _MEBIBYTE:
        below = size - size % _MEBIBYTE
        raise InvalidArgument.field(
            field,
            f"{size} is not a multiple of 1 MiB ({_MEBIBYTE} bytes). Use {below} or {below + _MEBIBYTE}.",
        )
    return size // _MEBIBYTE


def _inner(spec: Body, field: str) -> Body:
    inner = spec.inner(field)
    if inner is None:
        raise InvalidArgument.field(spec.where(field), "is missing; it is required.", "REQUIRED")
    return inner
