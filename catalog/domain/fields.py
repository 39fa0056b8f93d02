"""Rules for the fields that several kinds of the catalog share. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from cycloud.core.aip.errors import InvalidArgument

# RFC 1034 label as for other resources, and more of them after dots: "m8a.medium", "ubuntu-24.04" (a subdomain in the
# sense of RFC 1123, as names of Kubernetes objects have to be)
_ID = re.compile(r"(?=.{1,63}\Z)[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_PROVIDER_TEXT = re.compile(r"[!-~]{1,255}")

T = TypeVar("T")


def check_catalog_id(value: str, field: str) -> str:
    """Return ``value`` if it is an id of a catalog resource; raise InvalidArgument else."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise InvalidArgument.field(
            field,
            f"{str(value)[:80]!r} is not an id of the catalog. Use up to 63 lower-case letters, digits, "
            "hyphens and dots, starting with a letter, with a letter or digit at the end and beside each dot.",
            "INVALID_RESOURCE_ID",
        )
    return value


def check_amount(value: int, field: str, *, unit: str, minimum: int, maximum: int) -> int:
    """Return ``value`` if it is a whole number from ``minimum`` to ``maximum``."""
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise InvalidArgument.field(
            field, f"{str(value)[:40]} is not a whole number from {minimum} to {maximum} ({unit})."
        )
    return value


def check_provider_text(value: str, field: str, meaning: str) -> str:
    """Return ``value`` if it can be an id or name in OpenStack: 1 to 255 visible ASCII characters."""
    if not isinstance(value, str) or not _PROVIDER_TEXT.fullmatch(value):
        raise InvalidArgument.field(
            field, f"{meaning} must have 1 to 255 visible ASCII characters and no space."
        )
    return value


def check_single(values: Iterable[str], field: str, meaning: str) -> None:
    """Raise InvalidArgument if one of ``values`` comes twice."""
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise InvalidArgument.field(field, f"there are two entries for {meaning} {value}.")
        seen.add(value)


def with_changes(current: T, changes: Mapping[str, Any]) -> T:
    """Return the input ``current`` with some fields changed; raise InvalidArgument for an unknown one."""
    known = {field.name for field in fields(current)}  # type: ignore[arg-type]
    for name in changes:
        if name not in known:
            raise InvalidArgument.field(
                "update_mask",
                f"{name[:80]!r} cannot be changed. These can: {', '.join(sorted(known))}.",
                "UNKNOWN_FIELD",
            )
    return replace(current, **changes)  # type: ignore[type-var]
