"""The controllers by name, as CYCLOUD_CONTROLLERS lists them (dotted paths of classes)."""

from functools import cache
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Outcome

__all__ = ["Controller", "controller"]


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


def controller(name: str) -> Controller:
    """Return the controller of that name; raises KeyError for an unknown one."""
    return _controllers()[name]
