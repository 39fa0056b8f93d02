"""Waiting for an operation to end (AIP-151), without a query for each waiter.

An async waiter costs a future: one reader for each event loop asks for all of them at once while there are
any. A caller in a thread holds the thread. Only so many of both wait at once; one too many is told at once
that it is not done, which WaitOperation allows.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from threading import BoundedSemaphore, Event
from time import monotonic
from typing import Final
from uuid import UUID
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

from cycloud.core.aip.models import Operation

__all__ = ["MAX_SECONDS", "ends_within", "ends_within_blocking", "still_wanted"]

logger = logging.getLogger(__name__)
MAX_SECONDS: Final = 60.0
# set by the gRPC face: a caller that has left, or a server that stops, does not hold its thread any longer
still_wanted: ContextVar[Callable[[], bool]] = ContextVar(
    "cycloud_still_wanted", default=lambda: True
)
_THREADS: Final = BoundedSemaphore(settings.CYCLOUD_WAITING_THREADS)
_reader: Final = ThreadPoolExecutor(1, thread_name_prefix="operation-waits")


def _ended(uids: Iterable[UUID]) -> set[UUID]:
    rows = Operation.objects.filter(uid__in=list(uids), done=True)
    return set(rows.values_list("uid", flat=True))


def _ended_in_thread(uids: Iterable[UUID]) -> set[UUID]:
    close_old_connections()
    try:
        return _ended(uids)
    finally:
        connection.close()


class _Waiters:
    """The waiters of one event loop, and the task that looks for them."""

    def __init__(self, look: Callable[[Iterable[UUID]], set[UUID]]) -> None:
        self._look = look
        self._futures: dict[UUID, set[asyncio.Future[bool]]] = {}
        self._task: asyncio.Task[None] | None = None

    async def wait(self, uid: UUID, seconds: float) -> bool:
        if sum(map(len, self._futures.values())) >= settings.CYCLOUD_WAITS:
            return False
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._futures.setdefault(uid, set()).add(future)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll())
        try:
            return await asyncio.wait_for(future, seconds)
        except TimeoutError:
            return False
        finally:
            left = self._futures.get(uid, set())
            left.discard(future)
            if not left:
                self._futures.pop(uid, None)

    async def _poll(self) -> None:
        loop = asyncio.get_running_loop()
        while self._futures:
            try:
                ended = await loop.run_in_executor(_reader, self._look, tuple(self._futures))
            except DatabaseError:
                # the waiters' own last look tells them
                logger.warning("operations that are waited for cannot be read", exc_info=True)
                ended = set()
            for uid in ended:
                for future in self._futures.pop(uid, set()):
                    if not future.done():
                        future.set_result(True)
            await asyncio.sleep(settings.CYCLOUD_WAIT_POLL_SECONDS)


_waiters: WeakKeyDictionary[asyncio.AbstractEventLoop, _Waiters] = WeakKeyDictionary()


async def ends_within(uid: UUID, seconds: float) -> bool:
    """Wait until the operation has ended, at most ``seconds`` and a minute; tell whether it has."""
    loop = asyncio.get_running_loop()
    waiters = _waiters.setdefault(loop, _Waiters(_ended_in_thread))
    return await waiters.wait(uid, min(seconds, MAX_SECONDS))


def ends_within_blocking(uid: UUID, seconds: float) -> bool:
    """As :func:`ends_within`, in the caller's thread; returns at once where too many threads wait."""
    end = monotonic() + min(seconds, MAX_SECONDS)
    if not _THREADS.acquire(blocking=False):
        return bool(_ended([uid]))
    try:
        while not _ended([uid]):
            left = end - monotonic()
            if left <= 0 or not still_wanted.get()():
                return False
            Event().wait(min(left, settings.CYCLOUD_WAIT_POLL_SECONDS))
        return True
    finally:
        _THREADS.release()
