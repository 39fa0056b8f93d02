"""What the catalog lets a volume be: its size, and whether its type is offered where it is to be."""

from catalog.selectors.placements import NoPlacement, choose_volume_placement
from compute.models import Volume
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument

__all__ = ["check_growth", "check_offered", "check_size"]


def check_size(volume: Volume, size_gib: int, field: str) -> None:
    """Raise InvalidArgument for ``field`` if the size is not one that the volume's type and image allow."""
    kind = volume.volume_type
    if not kind.minimum_gib <= size_gib <= kind.maximum_gib:
        raise InvalidArgument.field(
            field,
            f"{size_gib}Gi is outside of what {kind.resource_id} offers: {kind.minimum_gib}Gi to "
            f"{kind.maximum_gib}Gi.",
            "SIZE_OUT_OF_RANGE",
        )
    if size_gib % kind.granularity_gib:
        raise InvalidArgument.field(
            field,
            f"{size_gib}Gi is not a multiple of {kind.granularity_gib}Gi, which {kind.resource_id} "
            "needs.",
            "SIZE_GRANULARITY",
        )
    image = volume.image
    if image is not None and size_gib < image.minimum_gib:
        raise InvalidArgument.field(
            field,
            f"the image {image.resource_id} needs at least {image.minimum_gib}Gi; this is {size_gib}Gi.",
            "SIZE_BELOW_IMAGE",
        )


def check_offered(volume: Volume) -> None:
    """Raise FailedPrecondition if no cluster takes new volumes of that type in that zone."""
    if isinstance(
        choose_volume_placement(volume.volume_type, volume.availability_zone), NoPlacement
    ):
        kind = volume.volume_type.resource_id
        zone = volume.availability_zone.resource_id
        raise FailedPrecondition(
            f"The volume type {kind} is not available in zone {zone} at the moment. Choose another type or "
            "zone, or ask your platform team when it will be.",
            reason="VOLUME_TYPE_UNAVAILABLE",
            metadata={"volume_type": kind, "availability_zone": zone},
        )


def check_growth(volume: Volume, size_gib: int) -> None:
    """Raise InvalidArgument if the size is smaller than the present one, or not allowed."""
    if size_gib < volume.size_gib:
        raise InvalidArgument.field(
            "size",
            f"{volume.name} has {volume.size_gib}Gi and volumes never shrink; {size_gib}Gi is less. Make a "
            "smaller volume and copy what you need.",
            "VOLUME_NEVER_SHRINKS",
        )
    check_size(volume, size_gib, "size")
