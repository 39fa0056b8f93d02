"""What an operator declares of a volume type."""

import re
from dataclasses import dataclass

from catalog.domain.fields import check_amount, check_provider_text, check_single
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.resources.metadata import check_display_name

# Cinder's limit for a volume is larger than any array; 1 PiB keeps typing errors out
_MAX_GIB = 1024 * 1024
_MAX_RETENTION_SECONDS = 10 * 366 * 24 * 3600
# Cinder's "host@backend#pool": manage needs all three
_BACKEND_HOST = re.compile(r"[^@#\s]+@[^@#\s]+#[^@#\s]+")


@dataclass(frozen=True)
class VolumePlacementInput:
    """``provider_id``: the cluster's own volume type id. ``provider_type``: the storage behind it."""

    cluster: str
    provider_id: str
    provider_type: str
    backend_host: str


@dataclass(frozen=True)
class VolumeTypeInput:
    """Sizes in GiB; ``retention_seconds``: how long deleted data can be brought back."""

    minimum_gib: int = 1
    maximum_gib: int = 16384
    granularity_gib: int = 1
    retention_seconds: int = 7 * 24 * 3600
    display_name: str = ""
    placements: tuple[VolumePlacementInput, ...] = ()

    def check(self) -> None:
        """Raise InvalidArgument naming the field that is wrong."""
        check_display_name(self.display_name)
        for name in ("minimum_gib", "maximum_gib", "granularity_gib"):
            check_amount(getattr(self, name), name, unit="GiB", minimum=1, maximum=_MAX_GIB)
        check_amount(
            self.retention_seconds,
            "retention_seconds",
            unit="seconds",
            minimum=0,
            maximum=_MAX_RETENTION_SECONDS,
        )
        if self.minimum_gib > self.maximum_gib:
            raise InvalidArgument.field(
                "maximum_gib",
                f"{self.maximum_gib} is smaller than minimum_gib, which is {self.minimum_gib}.",
            )
        for name in ("minimum_gib", "maximum_gib"):
            if getattr(self, name) % self.granularity_gib:
                raise InvalidArgument.field(
                    name, f"must be a multiple of granularity_gib, which is {self.granularity_gib}."
                )
        self._check_placements()

    def _check_placements(self) -> None:
        check_single((p.cluster for p in self.placements), "placements", "the cluster")
        for placement in self.placements:
            check_provider_text(
                placement.provider_id, "placements.provider_id", "the volume type id"
            )
            check_provider_text(
                placement.provider_type, "placements.provider_type", "the storage's name"
            )
            if len(placement.backend_host) > 255 or not _BACKEND_HOST.fullmatch(
                placement.backend_host
            ):
                raise InvalidArgument.field(
                    "placements.backend_host",
                    f"{placement.backend_host[:80]!r} is not host@backend#pool, as Cinder's "
                    "'get-pools' lists it.",
                )
