"""Sizes as users write them (Kubernetes quantities, whole GiB only): ``100Gi`` is 100."""

import re

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["format_gib", "parse_gib"]

_SIZE = re.compile(r"([1-9][0-9]{0,8})(Mi|Gi|Ti)")
_MEBIBYTES = {"Mi": 1, "Gi": 1024, "Ti": 1024 * 1024}
# what a PositiveIntegerField holds on every database
_MAX_GIB = 2**31 - 1


def parse_gib(text: object, field: str = "size") -> int:
    """Return a size in GiB: ``100Gi``, ``2Ti`` or ``2048Mi``. Raises InvalidArgument naming ``field``."""
    match = _SIZE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidArgument.field(
            field,
            f"{str(text)[:40]!r} is not a size. Write a whole number with a unit, such as '100Gi' or '2Ti'.",
            "INVALID_QUANTITY",
        )
    mebibytes = int(match[1]) * _MEBIBYTES[match[2]]
    if mebibytes % 1024 or mebibytes // 1024 > _MAX_GIB:
        raise InvalidArgument.field(
            field, f"{match[0]} is not a whole number of GiB within reason.", "INVALID_QUANTITY"
        )
    return mebibytes // 1024


def format_gib(gib: int) -> str:
    """Return the one way a size is shown: ``100Gi``, also above 1 TiB."""
    return f"{gib}Gi"
