"""Field masks: which fields an update is to change (AIP-134, AIP-161), which a reading is to show (AIP-157).

A path is a field of the resource, or a key of a map in it: ``labels.env``, with a key that is more than letters,
digits, ``-`` and ``_`` in backticks: ``labels.`app.example.com/tier```. Lists cannot be masked inside.
"""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["MAPS", "MapChange", "MapPatch", "Mask", "changed_map", "parse_mask", "parse_read_mask"]

# the fields of resources that are maps, wherever a resource has them
MAPS = frozenset({"labels", "annotations"})
MAX_LENGTH = 4000
_SEPARATOR = re.compile(r"\s*(?:,|\Z)\s*")
_PATH = re.compile(r"(?P<field>[A-Za-z_][A-Za-z0-9_]*|\*)(?P<rest>(?:\.(?:`[^`]*`|[^`.,\s]+))*)")
_KEY = re.compile(r"\.(?:`(?P<quoted>[^`]+)`|(?P<plain>[A-Za-z0-9_-]+))")


@dataclass(frozen=True)
class Mask:
    """``fields``: those that are meant as a whole. ``keys``: of maps that are not, the keys that are meant."""

    fields: frozenset[str]
    keys: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        """Whether a field is meant, as a whole or in part."""
        return name in self.fields or name in self.keys

    def applied_to(self, resource: Mapping[str, Any]) -> dict[str, Any]:
        """Return what of a resource's JSON the mask shows; its fields keep their order."""
        shown: dict[str, Any] = {}
        for name, value in resource.items():
            if name in self.fields:
                shown[name] = value
            elif name in self.keys:
                keys = self.keys[name]
                shown[name] = {k: v for k, v in (value or {}).items() if k in keys}
        return shown


@dataclass(frozen=True)
class MapPatch:
    """A change of some keys of a map: ``changed`` get these values, ``removed`` go, all others stay as they are."""

    changed: Mapping[str, str]
    removed: tuple[str, ...] = ()

    def applied_to(self, current: Mapping[str, str]) -> dict[str, str]:
        """Return the map with the change made."""
        kept = {key: value for key, value in current.items() if key not in self.removed}
        return {**kept, **self.changed}


# a new map, or a change of some of its keys
MapChange: TypeAlias = Mapping[str, str] | MapPatch


def changed_map(current: Mapping[str, str], change: MapChange) -> Mapping[str, str]:
    """Return how a map is after an update; nothing of it is checked yet."""
    return change.applied_to(current) if isinstance(change, MapPatch) else change


def parse_mask(
    text: str, *, updatable: Set[str], output_only: Set[str], body: Mapping[str, Any]
) -> Mask:
    """Return what an update is to change.

    Without a mask: the fields that the body has (unknown ones too: reading the body refuses them). ``*``:
    all updatable ones, so that an absent one is reset. Output-only fields are ignored, as AIP-203 asks.
    Raises InvalidArgument naming a path that there is not, or that cannot be changed.
    """
    paths = _paths(text, "update_mask")
    if not paths:
        return Mask(frozenset(body) - output_only)
    if paths == [("*", None)]:
        return Mask(frozenset(updatable))
    kept = [(name, key) for name, key in paths if name not in output_only]
    _check_known(kept, updatable, "update_mask", "is no field that can be changed")
    return _mask(kept)


def parse_read_mask(text: str, known: Set[str]) -> Mask | None:
    """Return what a reading is to show; None for all of it (no mask, or ``*``).

    ``known`` are the fields that the resource has. Raises InvalidArgument naming a path that there is not.
    """
    paths = _paths(text, "read_mask")
    if not paths or paths == [("*", None)]:
        return None
    _check_known(paths, known, "read_mask", "is no field of this resource")
    return _mask(paths)


def _mask(paths: list[tuple[str, str | None]]) -> Mask:
    fields = frozenset(name for name, key in paths if key is None)
    keys: dict[str, frozenset[str]] = {}
    for name, key in paths:
        if key is not None and name not in fields:
            keys[name] = keys.get(name, frozenset()) | {key}
    return Mask(fields, keys)


def _check_known(
    paths: list[tuple[str, str | None]], known: Set[str], mask: str, complaint: str
) -> None:
    for name, key in sorted(paths, key=lambda path: (path[0], path[1] or "")):
        shown = name if key is None else f"{name}.{key}"
        if name not in known:
            raise _wrong(
                mask,
                f"{shown[:80]!r} {complaint}. Those are: {', '.join(sorted(known)) or 'none'}.",
            )
        if key is not None and name not in MAPS:
            raise _wrong(mask, f"{shown[:80]!r} is inside of {name!r}; name {name!r} as a whole.")


def _paths(text: str, mask: str) -> list[tuple[str, str | None]]:
    """Return the paths of a mask: a field, and the key in it or None."""
    if not text.strip():
        return []
    if len(text) > MAX_LENGTH:
        raise _wrong(mask, f"is longer than {MAX_LENGTH} characters.")
    found: list[tuple[str, str | None]] = []
    at = len(text) - len(text.lstrip())
    while True:
        path = _PATH.match(text, at)
        after = _SEPARATOR.match(text, path.end()) if path else None
        if path is None or after is None:
            raise _wrong(
                mask,
                f"cannot be read from {text[at : at + 40]!r} on. Write fields with commas between them, such as "
                "display_name,labels.",
            )
        found.append((path["field"], _key(path, mask)))
        at = after.end()
        if "," not in after[0]:
            return found


def _key(path: re.Match[str], mask: str) -> str | None:
    if not path["rest"]:
        return None
    key = _KEY.fullmatch(path["rest"])
    if key is None or path["field"] == "*":
        raise _wrong(
            mask,
            f"{path[0][:80]!r} is no path. Put a key that is more than letters, digits, '-' and '_' in "
            "backticks, as in labels.`app.example.com/tier`.",
        )
    return key["quoted"] or key["plain"]


def _wrong(mask: str, description: str) -> InvalidArgument:
    return InvalidArgument.field(mask, description, "UNKNOWN_PATH")
