"""Where a type is made: its cluster and the cluster's own ids. For services and controllers only."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from catalog.domain.placement import NoPlacement, Offer, choose_placement
from catalog.models import (
    AvailabilityZone,
    InstancePlacement,
    InstanceType,
    OpenStackCluster,
    PublicImage,
    PublicOpenStackImage,
    VolumePlacement,
    VolumeType,
)

__all__ = [
    "InstancePlacement",
    "NoPlacement",
    "VolumePlacement",
    "choose_instance_placement",
    "choose_volume_placement",
    "image_in_cluster",
    "instance_placement",
    "volume_placement",
    "volume_placements",
]


@dataclass(frozen=True)
class _InstanceOffer(Offer):
    row: InstancePlacement


@dataclass(frozen=True)
class _VolumeOffer(Offer):
    row: VolumePlacement


def instance_placement(
    instance_type: InstanceType, zone: AvailabilityZone
) -> InstancePlacement | None:
    """Return the type's placement in the zone, whatever the state of its cluster."""
    return (
        InstancePlacement.objects.select_related("cluster", "availability_zone")
        .filter(instance_type=instance_type, availability_zone=zone)
        .first()
    )


def choose_instance_placement(
    instance_type: InstanceType, zone: AvailabilityZone, current: UUID | None = None
) -> InstancePlacement | NoPlacement:
    """Return the placement to use; ``current`` is the uid of the cluster the instance is in."""
    row = instance_placement(instance_type, zone)
    offers = (
        [_InstanceOffer(zone.resource_id, row.cluster.uid, row.cluster.state, row)] if row else []
    )
    chosen = choose_placement(offers, zone.resource_id, current)
    return chosen if isinstance(chosen, NoPlacement) else chosen.row


def volume_placement(volume_type: VolumeType, cluster: OpenStackCluster) -> VolumePlacement | None:
    """Return the type's placement in that cluster, if it has one."""
    return (
        VolumePlacement.objects.select_related("cluster__availability_zone")
        .filter(volume_type=volume_type, cluster=cluster)
        .first()
    )


def volume_placements(volume_type: VolumeType, zone: AvailabilityZone) -> list[VolumePlacement]:
    """Return the type's placements in the zone by cluster id, whatever the state of the clusters."""
    return list(
        VolumePlacement.objects.select_related("cluster__availability_zone")
        .filter(volume_type=volume_type, cluster__availability_zone=zone)
        .order_by("cluster__resource_id")
    )


def choose_volume_placement(
    volume_type: VolumeType, zone: AvailabilityZone, current: UUID | None = None
) -> VolumePlacement | NoPlacement:
    """Return the placement for a volume that no instance draws to a cluster."""
    offers: Iterable[_VolumeOffer] = [
        _VolumeOffer(zone.resource_id, row.cluster.uid, row.cluster.state, row)
        for row in volume_placements(volume_type, zone)
    ]
    chosen = choose_placement(offers, zone.resource_id, current)
    return chosen if isinstance(chosen, NoPlacement) else chosen.row


def image_in_cluster(image: PublicImage, cluster: OpenStackCluster) -> str | None:
    """Return the image's own id in that cluster, if it is there."""
    return (
        PublicOpenStackImage.objects.filter(public_image=image, cluster=cluster)
        .values_list("provider_id", flat=True)
        .first()
    )
