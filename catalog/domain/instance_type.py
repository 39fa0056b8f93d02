"""What an operator declares of instance families and types."""

from dataclasses import dataclass

from catalog.domain.fields import check_amount, check_catalog_id, check_provider_text, check_single
from cycloud.core.resources.metadata import check_display_name

_MAX_VCPUS = 1024
_MAX_MEMORY_MIB = 64 * 1024 * 1024


@dataclass(frozen=True)
class InstanceFamilyInput:
    display_name: str = ""

    def check(self) -> None:
        """Raise InvalidArgument naming the field that is wrong."""
        check_display_name(self.display_name)


@dataclass(frozen=True)
class InstancePlacementInput:
    """``provider_id``: the cluster's own flavor id. ``availability_zone`` "": the cluster's zone."""

    cluster: str
    provider_id: str
    availability_zone: str = ""


@dataclass(frozen=True)
class InstanceTypeInput:
    """``family`` is an id; a zone has one placement at most."""

    family: str
    vcpus: int
    memory_mib: int
    display_name: str = ""
    placements: tuple[InstancePlacementInput, ...] = ()

    def check(self) -> None:
        """Raise InvalidArgument naming the field that is wrong."""
        check_display_name(self.display_name)
        check_catalog_id(self.family, "family")
        check_amount(self.vcpus, "vcpus", unit="vCPUs", minimum=1, maximum=_MAX_VCPUS)
        check_amount(self.memory_mib, "memory_mib", unit="MiB", minimum=1, maximum=_MAX_MEMORY_MIB)
        check_single((p.cluster for p in self.placements), "placements", "the cluster")
        for placement in self.placements:
            check_provider_text(placement.provider_id, "placements.provider_id", "the flavor id")
