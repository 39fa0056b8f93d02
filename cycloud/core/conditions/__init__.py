"""Conditions after the Kubernetes API conventions: pure values, no framework.

``last_transition_time`` changes only with ``status``; polarity is positive; ``Ready`` is the main type.
"""

from cycloud.core.conditions.condition import (
    READY,
    UP_TO_DATE,
    Condition,
    Status,
    find_condition,
    from_json,
    merge_conditions,
    to_json,
)

__all__ = [
    "READY",
    "UP_TO_DATE",
    "Condition",
    "Status",
    "find_condition",
    "from_json",
    "merge_conditions",
    "to_json",
]
