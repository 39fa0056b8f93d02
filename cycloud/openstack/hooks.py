"""Hooks around every call to a cluster, held by the running context (thread or task), not by a client.

The engine checks its lease in ``before``; crash tests end a worker in ``before`` or ``after``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from cycloud.openstack.access import AfterCall, BeforeCall


def _nothing(service: str, verb: str, is_write: bool) -> None:
    """Stand in for a hook that nobody set."""


@dataclass(frozen=True)
class CallHooks:
    """``before`` may raise, and the call is not made; ``after`` runs when an answer has arrived.

    ``after`` also runs for an answer that is an error; it does not run where no answer came.
    """

    before: BeforeCall = _nothing
    after: AfterCall = _nothing


_NO_HOOKS = CallHooks()
_hooks: ContextVar[CallHooks] = ContextVar("cycloud_call_hooks", default=_NO_HOOKS)


def current_hooks() -> CallHooks:
    """Return the hooks of the running context."""
    return _hooks.get()


@contextmanager
def call_hooks(
    *, before: BeforeCall | None = None, after: AfterCall | None = None
) -> Iterator[CallHooks]:
    """Use these hooks within the block; one that is left out keeps the outer block's."""
    outer = _hooks.get()
    hooks = CallHooks(before=before or outer.before, after=after or outer.after)
    token = _hooks.set(hooks)
    try:
        yield hooks
    finally:
        _hooks.reset(token)
