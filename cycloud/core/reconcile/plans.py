"""What every decision returns."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from cycloud.core.conditions import READY, Condition, Status
from cycloud.core.reconcile.outcomes import Done, Outcome, Transient, Wait

A = TypeVar("A")

# a state that the provider is still changing is looked at again after the poll interval
POLL = Wait(-1.0, "the provider is at work")
# act, then look at once
AGAIN = Wait(0.0, "acted")
# another controller must let go first; it wakes this one when it has
HELD = Wait(5.0, "held by a server")
BLOCKED_RECHECK_SECONDS = 15.0


@dataclass(frozen=True)
class Plan(Generic[A]):
    """``actions`` in order, the conditions to publish, and how the pass ends if the actions go well."""

    conditions: tuple[Condition, ...]
    outcome: Outcome
    actions: tuple[A, ...] = ()
    # the decision needs every cluster that could hold the object to be looked at first
    look_everywhere: bool = False


def ready(reason: str, message: str = "") -> Condition:
    return Condition(READY, Status.TRUE, reason, message)


def not_ready(reason: str, message: str, *, terminal: bool = False) -> Condition:
    return Condition(READY, Status.FALSE, reason, message, terminal=terminal)


def unreachable(what: str) -> tuple[Condition, Transient]:
    """The condition and outcome of a pass that could not see what it needs."""
    message = f"{what} cannot be looked at at the moment; nothing is changed until it can."
    return not_ready("ProviderUnreachable", message), Transient(message)


__all__ = [
    "AGAIN",
    "BLOCKED_RECHECK_SECONDS",
    "HELD",
    "POLL",
    "Done",
    "Plan",
    "Transient",
    "Wait",
    "not_ready",
    "ready",
    "unreachable",
]
