"""Threads for what takes long, apart from those of the other calls."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import grpc

from cycloud.core.aip.rpc.frames import Continuation, MaybeHandler, is_ours

__all__ = ["Pools"]

# callers beyond the limit get their refusal in a thread of these
_FOR_REFUSALS: Final = 8
_WAIT: Final = "/google.longrunning.Operations/WaitOperation"


class Pools(grpc.ServerInterceptor):  # type: ignore[type-arg]
    """Gives watches and waits their own pools; to be the outermost interceptor.

    The methods themselves keep the limits (``cycloud.core.changes.hub``, ``cycloud.core.aip.waiting``) and refuse
    or answer at once beyond them. ``begin`` runs first in each thread.
    """

    def __init__(self, calls: int, watches: int, waits: int, begin: Callable[[], None]) -> None:
        self.calls = ThreadPoolExecutor(calls, "grpc-call", begin)
        self._watches = ThreadPoolExecutor(watches + _FOR_REFUSALS, "grpc-watch", begin)
        self._waits = ThreadPoolExecutor(waits + _FOR_REFUSALS, "grpc-wait", begin)

    def intercept_service(
        self,
        continuation: Continuation,
        handler_call_details: grpc.HandlerCallDetails,
    ) -> MaybeHandler:
        handler = continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not is_ours(method):
            return handler
        if handler.unary_stream is not None:
            _run_in(self._watches, handler.unary_stream)
        elif method == _WAIT:
            _run_in(self._waits, handler.unary_unary)
        return handler

    def shutdown(self) -> None:
        """Take no more work, and return when the threads have ended. Their calls must have ended, or be about to."""
        for pool in (self.calls, self._watches, self._waits):
            pool.shutdown(cancel_futures=True)


def _run_in(pool: ThreadPoolExecutor, behavior: Any) -> None:
    """Name the pool to grpcio, which knows this attribute as experimental; without it the calls' pool would do."""
    behavior.experimental_thread_pool = pool
