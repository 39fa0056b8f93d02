"""Finding what a catalog input refers to; what is not there is a wrong field of the input."""

from collections.abc import Iterable

from catalog.models import AvailabilityZone, InstanceFamily, OpenStackCluster
from cycloud.core.aip.errors import InvalidArgument

__all__ = ["clusters_by_id", "family_by_id", "zone_by_id"]


def zone_by_id(resource_id: str, field: str) -> AvailabilityZone:
    """Return the zone; raise InvalidArgument naming ``field`` if there is none."""
    zone = AvailabilityZone.objects.filter(resource_id=resource_id).first()
    if zone is None:
        raise InvalidArgument.field(
            field, f"there is no availability zone {resource_id[:80]!r}. Create it first."
        )
    return zone


def family_by_id(resource_id: str, field: str) -> InstanceFamily:
    """Return the family; raise InvalidArgument naming ``field`` if there is none."""
    family = InstanceFamily.objects.filter(resource_id=resource_id).first()
    if family is None:
        raise InvalidArgument.field(
            field, f"there is no instance family {resource_id[:80]!r}. Create it first."
        )
    return family


def clusters_by_id(resource_ids: Iterable[str], field: str) -> dict[str, OpenStackCluster]:
    """Return the clusters by id; raise InvalidArgument naming ``field`` if one is missing."""
    wanted = set(resource_ids)
    found = {
        cluster.resource_id: cluster
        for cluster in OpenStackCluster.objects.select_related("availability_zone").filter(
            resource_id__in=wanted
        )
    }
    for missing in sorted(wanted - found.keys()):
        raise InvalidArgument.field(
            field, f"there is no cluster {missing[:80]!r}. Create it first."
        )
    return found
