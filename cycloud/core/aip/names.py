"""Resource ids and names (AIP-122, AIP-133): ``projects/p/instances/web-1``."""

import re
import secrets

from cycloud.core.aip.errors import InvalidArgument

# RFC 1034 label, as AIP-122 recommends for user-settable ids
_ID = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")


def check_resource_id(value: str, field: str) -> str:
    """Return ``value`` if it is a good resource id.

    Raises InvalidArgument naming ``field`` otherwise.
    """
    if not _ID.fullmatch(value):
        raise InvalidArgument.field(
            field,
            f"{value[:80]!r} is not a resource id. Use up to 63 lower-case letters, digits and "
            "hyphens, starting with a letter and not ending with a hyphen.",
            "INVALID_RESOURCE_ID",
        )
    return value


def generated_id(prefix: str) -> str:
    """Return a new id such as ``vol-3f9c…`` for a resource whose creator chose none."""
    return f"{prefix}-{secrets.token_hex(6)}"
