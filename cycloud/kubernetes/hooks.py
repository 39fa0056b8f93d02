"""Hooks around every call to the Kubernetes API, held by the running context (thread or task), not by the client.

A pass checks its lease in ``before``; tests count calls there, end a worker, or lose an answer in ``after``.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["AfterCall", "BeforeCall", "CallHooks", "call_hooks", "current_hooks"]

# with (verb, path, is_write); may raise, and the call is then not made
BeforeCall = Callable[[str, str, bool], None]
# after the answer has arrived, before anybody sees it
AfterCall = Callable[[str, str, bool], None]


def _nothing(verb: str, path: str, is_write: bool) -> None:
    """Stand in for a hook that nobody set."""


@dataclass(frozen=True)
class CallHooks:
    """``before`` may raise, and the call is not made; ``after`` runs when an answer has arrived.

    ``after`` also runs for an answer that is an error; it does not run where no answer came.
    """

    before: BeforeCall = _nothing
    after: AfterCall = _nothing


_NO_HOOKS = CallHooks()
_hooks: ContextVar[CallHooks] = ContextVar("cycloud_kubernetes_call_hooks", default=_NO_HOOKS)


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
