"""How a request names other objects, and what it is told where there is no such object."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from cycloud.core.aip.errors import CycloudError, InvalidArgument, NotFound

__all__ = ["catalog_reference", "fields_under", "project_reference"]

T = TypeVar("T")


def catalog_reference(get: Callable[[str], T], value: str, collection: str, field: str) -> T:
    """Return the catalog object that ``value`` ("m8a.medium" or "instanceTypes/m8a.medium") names.

    Raises InvalidArgument for ``field`` if the catalog has none of that name.
    """
    resource_id = value.removeprefix(f"{collection}/")
    try:
        return get(resource_id)
    except NotFound:
        raise InvalidArgument.field(
            field,
            f"there is no {resource_id[:80]!r} in the catalog. List /v1/{collection} to see what is "
            "offered.",
            "REFERENCE_NOT_FOUND",
        ) from None


def project_reference(value: str, project_id: str, collection: str, field: str) -> str:
    """Return the id of an object of the same project, from its id or its full name.

    Raises InvalidArgument for ``field`` if the name is malformed or of another project; the answer does not
    tell whether that other object exists.
    """
    if "/" not in value and value:
        return value
    prefix = f"projects/{project_id}/{collection}/"
    resource_id = value.removeprefix(prefix)
    if not resource_id or "/" in resource_id:
        raise InvalidArgument.field(
            field,
            f"{value[:160]!r} does not name one of the {collection} of projects/{project_id}. Use its id, "
            f"or its name {prefix}ID.",
            "INVALID_REFERENCE",
        )
    return resource_id


@contextmanager
def fields_under(prefix: str) -> Iterator[None]:
    """Let errors from within name their fields as seen from the outer request ("volumes[0].size")."""
    try:
        yield
    except CycloudError as error:
        if any(error.message.startswith(f"{v.field}: ") for v in error.violations):
            error.message = f"{prefix}.{error.message}"
        error.violations = tuple(
            replace(violation, field=f"{prefix}.{violation.field}")
            for violation in error.violations
        )
        raise
