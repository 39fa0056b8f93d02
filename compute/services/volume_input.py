"""What a request says about a volume."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cycloud.core.aip.masks import MapChange

__all__ = ["VolumeInput", "VolumeUpdate"]


@dataclass(frozen=True)
class VolumeInput:
    """A volume to be made: names from the catalog, ``size_gib`` in GiB, ``image`` None for an empty one."""

    volume_type: str
    availability_zone: str
    size_gib: int
    image: str | None = None
    display_name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class VolumeUpdate:
    """A change of a volume; None leaves a field as it is. ``size_gib`` may only grow."""

    size_gib: int | None = None
    display_name: str | None = None
    labels: MapChange | None = None
    annotations: MapChange | None = None
