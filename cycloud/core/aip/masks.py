"""Update masks (AIP-161): which fields an update is to change."""

from collections.abc import Mapping, Set
from typing import Any

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["parse_mask"]


def parse_mask(
    text: str, *, updatable: Set[str], output_only: Set[str], body: Mapping[str, Any]
) -> frozenset[str]:
    """Return the fields to change.

    Without a mask: the fields that the body has (unknown ones too: reading the body refuses them). ``*``:
    all updatable ones, so that an absent one is reset. Output-only paths are ignored, as AIP-203 asks.
    Raises InvalidArgument naming a path that there is not, or that cannot be changed.
    """
    if not text:
        return frozenset(body) - output_only
    paths = {path.strip() for path in text.split(",")}
    if paths == {"*"}:
        return frozenset(updatable)
    for path in sorted(paths - output_only):
        if path not in updatable:
            raise InvalidArgument.field(
                "update_mask",
                f"{path[:80]!r} is no field that can be changed. Those are: "
                f"{', '.join(sorted(updatable)) or 'none'}.",
                "UNKNOWN_PATH",
            )
    return frozenset(paths) - output_only
