"""One condition of a resource, and how a new observation of it is merged into the old list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

READY = "Ready"
UP_TO_DATE = "UpToDate"


class Status(StrEnum):
    """The three values of a condition (Kubernetes API conventions)."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


@dataclass(frozen=True)
class Condition:
    """``reason`` is a stable CamelCase word for programs, ``message`` a sentence for people.

    ``observed_generation`` is the generation of the spec that was looked at. ``terminal`` says that
    nothing changes until a person changes something; it ends the operation of that generation.
    """

    type: str
    status: Status
    reason: str
    message: str = ""
    observed_generation: int = 0
    last_transition_time: datetime | None = None
    terminal: bool = False

    @property
    def settled(self) -> bool:
        """Whether an operation that waits for this condition has ended."""
        return self.status is Status.TRUE or self.terminal


def find_condition(conditions: Iterable[Condition], type_: str) -> Condition | None:
    """Return the condition of that type, if it is in the list."""
    return next((c for c in conditions if c.type == type_), None)


def merge_conditions(
    old: Sequence[Condition], new: Sequence[Condition], now: datetime
) -> tuple[Condition, ...]:
    """Return ``new`` with transition times: kept where the status stayed, else ``now``.

    Types that ``new`` does not mention are dropped: a reconciler states all its conditions at each pass.
    """
    merged = []
    for condition in sorted(new, key=lambda c: (c.type != READY, c.type)):
        before = find_condition(old, condition.type)
        kept = before is not None and before.status is condition.status
        time = before.last_transition_time if kept and before is not None else now
        merged.append(replace(condition, last_transition_time=time))
    return tuple(merged)


def to_json(conditions: Iterable[Condition]) -> list[dict[str, Any]]:
    """Return the conditions as they are stored and served (RFC 3339 times)."""
    return [
        {
            "type": c.type,
            "status": c.status.value,
            "reason": c.reason,
            "message": c.message,
            "observed_generation": c.observed_generation,
            "last_transition_time": c.last_transition_time.isoformat()
            if c.last_transition_time
            else None,
            "terminal": c.terminal,
        }
        for c in conditions
    ]


def from_json(items: Iterable[Mapping[str, Any]]) -> tuple[Condition, ...]:
    """Read what :func:`to_json` wrote."""
    return tuple(
        Condition(
            type=item["type"],
            status=Status(item["status"]),
            reason=item["reason"],
            message=item["message"],
            observed_generation=item["observed_generation"],
            last_transition_time=datetime.fromisoformat(item["last_transition_time"])
            if item["last_transition_time"]
            else None,
            terminal=item.get("terminal", False),
        )
        for item in items
    )
