"""What an operator declares of a public image."""

from dataclasses import dataclass

from catalog.domain.fields import check_amount, check_provider_text, check_single
from cycloud.core.resources.metadata import check_display_name

_MAX_GIB = 16384


@dataclass(frozen=True)
class ProviderImageInput:
    """``provider_id``: the cluster's own image id."""

    cluster: str
    provider_id: str


@dataclass(frozen=True)
class PublicImageInput:
    """``minimum_gib``: the smallest root volume for it."""

    minimum_gib: int = 1
    display_name: str = ""
    provider_images: tuple[ProviderImageInput, ...] = ()

    def check(self) -> None:
        """Raise InvalidArgument naming the field that is wrong."""
        check_display_name(self.display_name)
        check_amount(self.minimum_gib, "minimum_gib", unit="GiB", minimum=1, maximum=_MAX_GIB)
        check_single((i.cluster for i in self.provider_images), "provider_images", "the cluster")
        for image in self.provider_images:
            check_provider_text(image.provider_id, "provider_images.provider_id", "the image id")
