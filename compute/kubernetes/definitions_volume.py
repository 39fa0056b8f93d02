"""The custom resources of volumes: v1, and v1alpha1, which says the size as a number."""

from typing import Final

from compute.kubernetes.apis import VOLUME
from cycloud.kubernetes.crds.definition import Category, Column, Definition, Version
from cycloud.kubernetes.crds.fields import (
    CATALOG_ID,
    DISPLAY_NAME,
    QUANTITY,
    Field,
    Rule,
    proto,
)

__all__ = ["VOLUME_DEFINITION"]

_VOLUME: Final = "cycloud.compute.v1.Volume"
_GIB: Final = 1024**3
# what a row holds, in GiB
_MAX_GIB: Final = 2**31 - 1

_size = proto(
    _VOLUME,
    "size",
    QUANTITY,
    rules=(
        Rule(
            f"!isQuantity(self) || quantity(self).isInteger() && quantity(self).asInteger() % {_GIB} == 0 "
            f"&& quantity(self).asInteger() / {_GIB} <= {_MAX_GIB}",
            "size must be a whole number of GiB within reason, for example 100Gi or 2Ti",
        ),
    ),
)
_size_gib = proto(
    _VOLUME,
    "size",
    {"type": "integer", "format": "int64", "minimum": 1, "maximum": _MAX_GIB},
    name="sizeGiB",
    description="Its size in GiB. It can only grow.",
)


def _spec(size: Field) -> tuple[Field, ...]:
    return (
        proto(_VOLUME, "display_name", DISPLAY_NAME),
        proto(_VOLUME, "volume_type", CATALOG_ID),
        proto(_VOLUME, "availability_zone", CATALOG_ID),
        size,
        proto(_VOLUME, "image", CATALOG_ID),
    )


def _columns(size: Column) -> tuple[Column, ...]:
    return (
        Column("Type", ".spec.volumeType"),
        Column("Zone", ".spec.availabilityZone"),
        Column("State", ".status.state"),
        size,
        Column("Instance", ".status.attachedInstance", wide=True),
    )


# It is the volume that cannot shrink (status.size), not what was declared: a size that was refused, for example by a
# quota, can be taken back, and so can what somebody else wrote over ours. The status may change by itself.
_SAME_OR_NEW: Final = "!has(self.status) || !has(self.status.uid) || "
_never_shrinks = Rule(
    "self.spec.size == oldSelf.spec.size || " + _SAME_OR_NEW + "quantity(self.spec.size).compareTo("
    "quantity(has(self.status.size) ? self.status.size : oldSelf.spec.size)) >= 0",
    "size can only grow: make another Volume and copy the data to have a smaller one",
    field=".spec.size",
    expression="'size can only grow, and the volume has ' + "
    "(has(self.status) && has(self.status.size) ? self.status.size : oldSelf.spec.size) + "
    "': make another Volume and copy the data to have a smaller one'",
)
_never_shrinks_gib = Rule(
    "self.spec.sizeGiB == oldSelf.spec.sizeGiB || "
    + _SAME_OR_NEW
    + f"self.spec.sizeGiB * {_GIB} >= (has(self.status.size) "
    f"? quantity(self.status.size).asInteger() : oldSelf.spec.sizeGiB * {_GIB})",
    "sizeGiB can only grow: make another Volume and copy the data to have a smaller one",
    field=".spec.sizeGiB",
)

VOLUME_DEFINITION: Final = Definition(
    api=VOLUME,
    category=Category.INTERFACE,
    message=_VOLUME,
    taken_in=True,
    spec=_spec(_size),
    status=(
        proto(
            _VOLUME,
            "attached_instance",
            description="The instance that it is attached to. Missing: it is attached to none.",
        ),
        proto(_VOLUME, "state"),
        proto(
            _VOLUME,
            "size",
            QUANTITY,
            description="The size that the volume has, or is growing to.",
        ),
    ),
    columns=_columns(Column("Size", ".spec.size")),
    rules=(_never_shrinks,),
    earlier=(
        Version(
            "v1alpha1",
            spec=_spec(_size_gib),
            columns=_columns(Column("GiB", ".spec.sizeGiB", "integer")),
            rules=(_never_shrinks_gib,),
        ),
    ),
)
