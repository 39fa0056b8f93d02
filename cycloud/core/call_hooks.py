"""Hooks around every call to a service outside, held by the running context (thread or task), not by a client.

The engine checks its lease in ``before``; tests count calls there, end a worker, or lose an answer in ``after``.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["AfterCall", "BeforeCall", "CallHooks", "HookPoint"]

# with two words on the call and whether it writes; may raise, and the call is then not made
BeforeCall = Callable[[str, str, bool], None]
# with the same, after the answer has arrived and before anybody sees it
AfterCall = Callable[[str, str, bool], None]


def _nothing(first: str, second: str, is_write: bool) -> None:
    """Stand in for a hook that nobody set."""


@dataclass(frozen=True)
class CallHooks:
    """``before`` may raise, and the call is not made; ``after`` runs when an answer has arrived.

    ``after`` also runs for an answer that is an error; it does not run where no answer came.
    """

    before: BeforeCall = _nothing
    after: AfterCall = _nothing


_NO_HOOKS = CallHooks()


class HookPoint:
    """The hooks of one kind of calls."""

    def __init__(self, name: str) -> None:
        self._hooks: ContextVar[CallHooks] = ContextVar(name, default=_NO_HOOKS)

    def current(self) -> CallHooks:
        """Return the hooks of the running context."""
        return self._hooks.get()

    @contextmanager
    def use(
        self, *, before: BeforeCall | None = None, after: AfterCall | None = None
    ) -> Iterator[CallHooks]:
        """Use these hooks within the block; one that is left out keeps the outer block's."""
        outer = self._hooks.get()
        hooks = CallHooks(before=before or outer.before, after=after or outer.after)
        token = self._hooks.set(hooks)
        try:
            yield hooks
        finally:
            self._hooks.reset(token)
