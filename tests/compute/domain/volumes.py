"""Volumes as the tests of their decision need them."""

from compute.domain.openstack_volume_state import Desired
from cycloud.openstack.observations import UID_KEY, VolumeSeen

UID = "7d1f"
SHARED = frozenset({"a", "b"})


def volume(id_: str = "v1", status: str = "available", **kw: object) -> VolumeSeen:
    defaults: dict[str, object] = {"size_gib": 10, "metadata": {UID_KEY: UID}}
    return VolumeSeen(id=id_, status=status, **{**defaults, **kw})  # type: ignore[arg-type]


def wanted(**kw: object) -> Desired:
    defaults: dict[str, object] = {"uid": UID, "target": "a", "size_gib": 10, "shared": SHARED}
    return Desired(**{**defaults, **kw})  # type: ignore[arg-type]


def held(**kw: object) -> Desired:
    """A volume with bytes, in a."""
    defaults: dict[str, object] = {
        "home": "a",
        "provider_id": "v1",
        "created": True,
        "references": ("volume-v1",),
        "footprint": frozenset({"a"}),
    }
    return wanted(**{**defaults, **kw})
