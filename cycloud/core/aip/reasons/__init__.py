"""All reasons that a user can meet, with what they mean: one table for texts, docs/errors.md and tests.

A new reason is entered in the module of its area here, and docs/errors.md is written anew by
``manage.py error_reasons``. Tests find every reason that the code raises and compare.
"""

import re

from cycloud.core.aip.reasons import (
    catalog,
    compute,
    iam,
    kubernetes,
    networking,
    requests,
    watch,
)
from cycloud.core.aip.reasons.conditions import CONDITION_REASONS as _CONDITIONS
from cycloud.core.aip.reasons.fields import FIELD_REASONS as _FIELDS
from cycloud.core.aip.reasons.reason import ConditionReason, ErrorReason, FieldReason

__all__ = [
    "CONDITION_REASONS",
    "ERROR_REASONS",
    "FIELD_REASONS",
    "ConditionReason",
    "ErrorReason",
    "FieldReason",
    "error_word",
    "japanese_of",
]

ERROR_REASONS: dict[str, ErrorReason] = {
    entry.reason: entry
    for area in (requests, iam, catalog, networking, compute, watch, kubernetes)
    for entry in area.REASONS
}
FIELD_REASONS = {entry.reason: entry for entry in _FIELDS}
CONDITION_REASONS = {entry.reason: entry for entry in _CONDITIONS}


def error_word(reason: str) -> str:
    """Return a condition's reason as ErrorInfo spells it (AIP-193): MoveBlocked is MOVE_BLOCKED."""
    if reason.isupper():
        return reason
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", reason).upper()


_FROM_CONDITIONS = {error_word(reason): entry for reason, entry in CONDITION_REASONS.items()}


def japanese_of(reason: str, condition_reason: str = "") -> str:
    """Return the Japanese text of an ErrorInfo reason, with its placeholders; empty if there is none.

    ``condition_reason`` is the condition's own word where the error comes from one.
    """
    condition = CONDITION_REASONS.get(condition_reason) or _FROM_CONDITIONS.get(reason)
    error = None if condition_reason else ERROR_REASONS.get(reason)
    if error is not None:
        return error.japanese
    return condition.japanese if condition is not None else ""
