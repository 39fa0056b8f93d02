"""The controllers by name, as CYCLOUD_CONTROLLERS has them (dotted paths of classes)."""

from collections.abc import Callable
from functools import cache
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Outcome

__all__ = ["Controller", "controller", "is_held"]


class Controller(Protocol):
    """One kind of thing that is kept as declared. ``reconcile`` is level-triggered and keeps no state."""

    name: str

    def reconcile(self, work: Work) -> Outcome:
        """Read the spec, observe, decide afresh, apply, publish; LeaseLost may pass through."""
        ...


@cache
def _gate(queue: str) -> Callable[[], float] | None:
    path = settings.CYCLOUD_QUEUE_GATES.get(queue)
    gate: Callable[[], float] | None = import_string(path) if path else None
    return gate


def is_held(queue: str) -> bool:
    """Tell whether what the rows of a queue need is known to be down: they stay due until it is back."""
    gate = _gate(queue)
    return gate is not None and gate() > 0.0


@cache
def controller(name: str) -> Controller:
    """Return the controller of that name, imported at the first need of it; raises KeyError for an unknown one."""
    made: Controller = import_string(settings.CYCLOUD_CONTROLLERS[name])()
    return made
