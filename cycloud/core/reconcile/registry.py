"""The controllers by name, as CYCLOUD_CONTROLLERS lists them (dotted paths of classes)."""

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
def _controllers() -> dict[str, Controller]:
    found: list[Controller] = [import_string(path)() for path in settings.CYCLOUD_CONTROLLERS]
    return {c.name: c for c in found}


@cache
def _gates() -> dict[str, Callable[[], float]]:
    return {queue: import_string(path) for queue, path in settings.CYCLOUD_QUEUE_GATES.items()}


def is_held(queue: str) -> bool:
    """Tell whether what the rows of a queue need is known to be down: they stay due until it is back."""
    gate = _gates().get(queue)
    return gate is not None and gate() > 0.0


def controller(name: str) -> Controller:
    """Return the controller of that name; raises KeyError for an unknown one."""
    return _controllers()[name]
