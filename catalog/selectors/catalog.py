"""What everybody may see of the catalog: zones, types and images, without clusters."""

from typing import TypeVar

from django.db.models import QuerySet

from catalog.models import (
    AvailabilityZone,
    ClusterState,
    InstanceFamily,
    InstanceType,
    PublicImage,
    VolumeType,
)
from catalog.models.resource import CatalogResource
from cycloud.core.aip.errors import NotFound

__all__ = [
    "AvailabilityZone",
    "InstanceFamily",
    "InstanceType",
    "PublicImage",
    "VolumeType",
    "find_availability_zone",
    "get_availability_zone",
    "get_instance_family",
    "get_instance_type",
    "get_public_image",
    "get_volume_type",
    "list_availability_zones",
    "list_instance_families",
    "list_instance_types",
    "list_public_images",
    "list_volume_types",
    "zones_of_instance_type",
    "zones_of_volume_type",
]

R = TypeVar("R", bound=CatalogResource)


def list_availability_zones() -> QuerySet[AvailabilityZone]:
    """Return all zones by id."""
    return AvailabilityZone.objects.order_by("resource_id")


def get_availability_zone(resource_id: str) -> AvailabilityZone:
    """Return the zone; raise NotFound."""
    return _get(list_availability_zones(), resource_id)


def find_availability_zone(resource_id: str) -> AvailabilityZone | None:
    """Return the zone if there is one."""
    return list_availability_zones().filter(resource_id=resource_id).first()


def list_instance_families() -> QuerySet[InstanceFamily]:
    """Return all families by id."""
    return InstanceFamily.objects.order_by("resource_id")


def get_instance_family(resource_id: str) -> InstanceFamily:
    """Return the family; raise NotFound."""
    return _get(list_instance_families(), resource_id)


def list_instance_types() -> QuerySet[InstanceType]:
    """Return all types by id, with family, placements, their zones and clusters (4 queries)."""
    return (
        InstanceType.objects.select_related("family")
        .prefetch_related("placements__availability_zone", "placements__cluster")
        .order_by("resource_id")
    )


def get_instance_type(resource_id: str) -> InstanceType:
    """Return the type; raise NotFound."""
    return _get(list_instance_types(), resource_id)


def zones_of_instance_type(instance_type: InstanceType) -> list[str]:
    """Return the ids of the zones in which new instances of the type can be made now."""
    return sorted(
        placement.availability_zone.resource_id
        for placement in instance_type.placements.all()
        if placement.cluster.state == ClusterState.ACTIVE
    )


def list_volume_types() -> QuerySet[VolumeType]:
    """Return all types by id, with placements, their clusters and zones."""
    return VolumeType.objects.prefetch_related("placements__cluster__availability_zone").order_by(
        "resource_id"
    )


def get_volume_type(resource_id: str) -> VolumeType:
    """Return the type; raise NotFound."""
    return _get(list_volume_types(), resource_id)


def zones_of_volume_type(volume_type: VolumeType) -> list[str]:
    """Return the ids of the zones in which new volumes of the type can be made now."""
    return sorted(
        {
            placement.cluster.availability_zone.resource_id
            for placement in volume_type.placements.all()
            if placement.cluster.state == ClusterState.ACTIVE
        }
    )


def list_public_images() -> QuerySet[PublicImage]:
    """Return all images by id, with their ids in the clusters."""
    return PublicImage.objects.prefetch_related("provider_images__cluster").order_by("resource_id")


def get_public_image(resource_id: str) -> PublicImage:
    """Return the image; raise NotFound. ``minimum_gib`` is the smallest root volume for it."""
    return _get(list_public_images(), resource_id)


def _get(rows: QuerySet[R], resource_id: str) -> R:
    resource = rows.filter(resource_id=resource_id).first()
    if resource is None:
        collection = rows.model.collection
        raise NotFound(
            f"There is no {collection}/{resource_id[:80]}. List {collection} to see what is offered.",
            resource=f"{collection}/{resource_id[:80]}",
        )
    return resource
