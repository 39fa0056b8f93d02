"""Why a person did what cannot be taken back: asked for, and kept in the audit log."""

from typing import Final

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["REASON_LENGTH", "check_reason"]

REASON_LENGTH: Final = 500


def check_reason(reason: str) -> str:
    """Return the reason without blanks around it. Raises InvalidArgument where there is none, or a novel."""
    text = reason.strip()
    if not text:
        raise InvalidArgument.field(
            "reason", "is missing. Say why this cannot be done in order; the audit log keeps it."
        )
    if len(text) > REASON_LENGTH:
        raise InvalidArgument.field("reason", f"is longer than {REASON_LENGTH} characters.")
    return text
