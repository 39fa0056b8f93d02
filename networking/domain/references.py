"""Short and full names of resources in the input of a request. Pure."""

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["local_id"]


def local_id(value: str, *, project_id: str, collection: str, field: str) -> str:
    """Return the id in ``subnet-1`` or ``projects/p/subnets/subnet-1``.

    Raises InvalidArgument for the full name of another project or collection.
    """
    if not isinstance(value, str) or not value:
        raise InvalidArgument.field(field, f"is needed: the id of one of the {collection}.")
    if "/" not in value:
        return value
    prefix = f"projects/{project_id}/{collection}/"
    resource_id = value.removeprefix(prefix)
    if not value.startswith(prefix) or not resource_id or "/" in resource_id:
        raise InvalidArgument.field(
            field, f"{value[:160]!r} is not one of the {collection} of projects/{project_id}."
        )
    return resource_id
