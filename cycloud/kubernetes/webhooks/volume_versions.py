"""Volume v1alpha1 and v1: ``spec.sizeGiB`` (a whole number) became ``spec.size`` (a quantity such as ``10Gi``).

A quantity can be written in more than one way, and not every text that somebody stored is a size. Where the text is not
the one that the number would give back, v1alpha1 carries it in an annotation:

| v1 ``spec.size`` | v1alpha1 ``spec.sizeGiB`` | annotation |
|------------------|---------------------------|------------|
| ``10Gi``         | 10                        |            |
| ``1Ti``          | 1024                      | ``1Ti``    |
| ``1536Mi``       | missing                   | ``1536Mi`` |
| missing          | missing                   |            |

The annotation counts only as long as the number is the one that it gives: who changes ``sizeGiB`` has said what they
want. It never gets into v1. Nothing is judged here, since one object that cannot be converted would make whole lists
fail: the rules for sizes are the services'.
"""

import re
from typing import Final

from cycloud.kubernetes.kinds import Json

__all__ = ["SIZE_ANNOTATION", "VOLUME_GROUP", "volume_to_v1", "volume_to_v1alpha1"]

VOLUME_GROUP: Final = "storage.interface.compute.cycloud.jp"
SIZE_ANNOTATION: Final = "cycloud.jp/v1-size"
_QUANTITY = re.compile(r"(0|-?[1-9][0-9]{0,18})(Mi|Gi|Ti)")
_MEBIBYTES: Final = {"Mi": 1, "Gi": 1024, "Ti": 1024 * 1024}
# the schema's int64
_MOST: Final = 2**63


def volume_to_v1alpha1(parts: Json) -> Json:
    """Return spec and annotations of a v1 Volume as v1alpha1 has them."""
    spec, annotations = dict(parts["spec"]), dict(parts["annotations"])
    annotations.pop(SIZE_ANNOTATION, None)
    size = spec.pop("size", None)
    gib = _gib(size)
    if gib is not None:
        spec["sizeGiB"] = gib
    if isinstance(size, str) and (gib is None or size != _canonical(gib)):
        annotations[SIZE_ANNOTATION] = size
    return {"spec": spec, "annotations": annotations}


def volume_to_v1(parts: Json) -> Json:
    """Return spec and annotations of a v1alpha1 Volume as v1 has them."""
    spec, annotations = dict(parts["spec"]), dict(parts["annotations"])
    kept = annotations.pop(SIZE_ANNOTATION, None)
    gib = spec.pop("sizeGiB", None)
    if isinstance(kept, str) and _gib(kept) == gib:
        spec["size"] = kept
    elif gib is not None:
        spec["size"] = _canonical(gib)
    return {"spec": spec, "annotations": annotations}


def _canonical(gib: object) -> str:
    return f"{gib}Gi"


def _gib(size: object) -> int | None:
    """Return a size in GiB, None for what is no whole number of them."""
    match = _QUANTITY.fullmatch(size) if isinstance(size, str) else None
    if match is None:
        return None
    mebibytes = int(match[1]) * _MEBIBYTES[match[2]]
    gib = mebibytes // 1024
    return None if mebibytes % 1024 or not -_MOST <= gib < _MOST else gib
