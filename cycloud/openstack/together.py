"""Several looks at clusters at once, in a small pool of threads that all passes of the process share.

A look runs in a copy of its pass's context: the hooks (the lease), the rate limits and the circuits are the same as
without the pool. Only for looks: what a pass changes, it changes in order, by itself.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()


def _nothing() -> None:
    """Stand in for what is to be done at the end of a thread's look."""


def together(
    looks: Sequence[Callable[[], T]],
    *,
    at_once: int,
    leaving: Callable[[], None] = _nothing,
) -> list[T]:
    """Return what each look returns, in their order; when this returns or raises, none runs any more.

    The caller takes part: it runs the first look, and then every one that no thread has begun. So a pool that is
    busy costs time only, and a look may itself call this.

    :param at_once: threads of the pool, for all callers together; below 2 the looks are made one after the other.
    :param leaving: called at the end of each look in a thread of the pool (to close what belongs to the thread).
    :raises BaseException: what the first look that failed raised.
    """
    if at_once < 2 or len(looks) < 2:
        return [look() for look in looks]

    def in_thread(look: Callable[[], T]) -> T:
        try:
            return look()
        finally:
            leaving()

    pool = _pool(at_once)
    begun: list[Future[T]] = []
    try:
        begun += [pool.submit(copy_context().run, in_thread, look) for look in looks[1:]]
        seen = [looks[0]()]
        for look, future in zip(looks[1:], begun, strict=True):
            seen.append(look() if future.cancel() else future.result())
        return seen
    finally:
        for future in begun:
            future.cancel()
        wait(begun)


def _pool(size: int) -> ThreadPoolExecutor:
    with _lock:
        if size not in _pools:
            _pools[size] = ThreadPoolExecutor(size, thread_name_prefix="cycloud-look")
        return _pools[size]
