"""One watch: first what the table has, then what the hub hands over, without a gap or a double in between.

Read by one reader: a thread (``for event in subscription``) or a coroutine (``async for``). Both raise CycloudError
where the watch ends: rights lost, too slow, changes trimmed, portal stopping.
"""

import asyncio
import contextlib
import copy
import logging
import random
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from django.db import DatabaseError, InterfaceError

from cycloud.core.aip.errors import Aborted, CycloudError, Unavailable
from cycloud.core.changes import feed
from cycloud.core.changes.events import Matches, WatchEvent, bookmark, event_for
from cycloud.core.changes.models import Change

__all__ = ["Subscription", "WatchRequest", "interrupted"]

logger = logging.getLogger(__name__)

T = TypeVar("T")
# how many changes are read from the table at once
_CHUNK = 200


@dataclass(frozen=True)
class WatchRequest:
    """What is to be watched. The caller has checked the rights; ``check`` checks them again later.

    ``projects``: primary keys; None means every project and what is outside projects. ``after``: the version to go on
    behind, None for from now on. ``present``: pages of what is there and passes, to be told first; read lazily, after
    the watch has its place in the feed. ``matches`` looks at a body (None: all pass). ``check`` raises CycloudError
    once the rights have ended; watches with the same ``identity`` share one check.
    """

    kinds: frozenset[str]
    projects: frozenset[int] | None
    check: Callable[[], None]
    identity: Hashable = None
    after: int | None = None
    present: Iterator[list[WatchEvent]] | None = None
    matches: Matches | None = None


class Feeder(Protocol):
    """What a subscription needs of its hub. ``position``: every change up to it was handed over."""

    position: int
    queue_limit: int
    bookmark_seconds: float

    def event_for(
        self, change: Change, before: dict[str, object] | None, matches: Matches | None
    ) -> WatchEvent | None: ...

    def join(self, subscription: "Subscription") -> bool: ...

    def leave(self, subscription: "Subscription") -> None: ...

    async def in_thread(self, work: Callable[[], T]) -> T: ...


class Subscription:
    """Made by ``Hub.subscribe``; to be closed by who reads it (the iterators do, at their end)."""

    def __init__(self, hub: Feeder, request: WatchRequest, start: int) -> None:
        self.request = request
        self._hub = hub
        # everything up to here was handed to the reader, or does not concern it
        self.version = start
        # the hub's changes up to here were read from the table
        self._behind = start
        self._present = request.present
        # who has no version yet gets one before anything happens
        self._greet = request.after is None
        self._queue: deque[WatchEvent] = deque()
        self._arrived = threading.Condition()
        self._end: CycloudError | None = None
        self._joined = False
        self.closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._signal: asyncio.Event | None = None
        self._next_bookmark = self._bookmark_time()
        # called in the reader's thread when the table is read and what comes is handed over
        self.on_joined: Callable[[], None] | None = None
        # called in the hub's thread when the hub ends the watch
        self.on_end: Callable[[], None] | None = None

    # -- the hub's side (called under the hub's lock)

    def offer(self, change: Change, before: dict[str, object] | None) -> bool:
        """Take a change; return whether the reader has something new. Ends the watch of a reader too far behind."""
        if self._end is not None or change.version <= self._behind:
            return False
        event = self._hub.event_for(change, before, self.request.matches)
        if event is None:
            return False
        if len(self._queue) >= self._hub.queue_limit:
            self.end(_too_slow(self._hub.queue_limit))
            return True
        self._queue.append(event)
        return True

    def end(self, error: CycloudError) -> None:
        """End the watch with an error, which the reader gets next; what waits in the queue is dropped."""
        if self._end is not None:
            return
        self._end = error
        self._queue.clear()
        self._hub.leave(self)
        if self.on_end is not None:
            self.on_end()

    @property
    def behind(self) -> int:
        """The version up to which the table was read."""
        return self._behind

    @property
    def joined(self) -> bool:
        """Whether the table is read and the hub hands over what comes."""
        return self._joined

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The event loop of the reader; None for a thread."""
        return self._loop

    def notify(self) -> None:
        """Wake a reader that is a thread, or (in its loop) a coroutine."""
        if self._signal is not None:
            self._signal.set()
            return
        with self._arrived:
            self._arrived.notify_all()

    # -- the reader's side

    def close(self) -> None:
        """Leave the hub. Harmless to repeat."""
        self.closed = True
        self._hub.leave(self)
        self._queue.clear()

    def __iter__(self) -> Iterator[WatchEvent]:
        try:
            while True:
                yield from self._ready()
                if not self._joined:
                    yield from self._told(self._from_table())
                    continue
                with self._arrived:
                    if not self._queue and self._end is None:
                        self._arrived.wait(self._wait_seconds())
        finally:
            self.close()

    async def __aiter__(self) -> AsyncGenerator[WatchEvent]:
        self._loop = asyncio.get_running_loop()
        self._signal = asyncio.Event()
        try:
            while True:
                self._signal.clear()
                for event in self._ready():
                    yield event
                if not self._joined:
                    for event in self._told(await self._hub.in_thread(self._from_table)):
                        yield event
                    continue
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._wait_seconds()):
                        await self._signal.wait()
        finally:
            self.close()

    def _ready(self) -> Iterator[WatchEvent]:
        """Yield what is there to be told now, a due bookmark included. Raises what ended the watch."""
        # read first: everything up to it is in the queue, or was taken from it
        reached = self._hub.position
        while self._queue:
            try:
                event = self._queue.popleft()
            except IndexError:  # the hub has ended the watch in between
                break
            self.version = event.version or self.version
            yield event
        if self._end is not None:
            # many watches may end by one and the same error
            error = copy.copy(self._end)
            error.metadata = {**error.metadata, "resource_version": str(self.version)}
            raise error
        if self._joined and reached > self.version:
            self.version = reached
        if self._joined and (self._greet or time.monotonic() >= self._next_bookmark):
            self._greet = False
            self._next_bookmark = self._bookmark_time()
            yield bookmark(self.version)

    def _told(self, events: list[WatchEvent]) -> Iterator[WatchEvent]:
        """Yield what was read from the table."""
        for event in events:
            if self._end is not None:
                return
            if event.version is not None:
                self.version = event.version
            yield event
        if self._present is None:
            self.version = self._behind

    def _from_table(self) -> list[WatchEvent]:
        """Return the next piece of what is there (blocking), and behind that of what came since."""
        try:
            if self._present is not None:
                page = next(self._present, None)
                if page is not None:
                    return page
                self._present = None
            return self._catch_up()
        except (DatabaseError, InterfaceError) as error:
            logger.warning("a watch could not read the change feed: %s", error)
            self.end(interrupted())
            return []

    def _catch_up(self) -> list[WatchEvent]:
        """Read on in the table (blocking); once its end is reached, join what the hub hands over."""
        reached = feed.position()
        changes = feed.read(self._behind, _CHUNK, self.request.kinds, self.request.projects)
        changes = [change for change in changes if change.version <= reached]
        events = []
        for change in changes:
            before = feed.body_before(change) if self.request.matches is not None else None
            event = event_for(change, before, self.request.matches)
            if event is not None:
                events.append(event)
        if len(changes) == _CHUNK:
            self._behind = changes[-1].version
        else:
            self._behind = max(reached, self._behind)
            self._joined = self._hub.join(self)
            if self._joined and self.on_joined is not None:
                self.on_joined()
        return events

    def _wait_seconds(self) -> float:
        return max(0.0, self._next_bookmark - time.monotonic())

    def _bookmark_time(self) -> float:
        # spread, so that a thousand watches that began together do not all speak at once
        return time.monotonic() + self._hub.bookmark_seconds * (0.8 + 0.2 * random.random())  # noqa: S311


def interrupted() -> Unavailable:
    """What a watch ends with that this process cannot go on with."""
    return Unavailable(
        "This portal cannot read the changes at the moment. Watch again from the resource_version of the last event "
        "that you got.",
        reason="WATCH_INTERRUPTED",
        retry_after=1.0,
    )


def _too_slow(limit: int) -> Aborted:
    return Aborted(
        f"The watch was ended, since its reader was more than {limit} changes behind. Go on from the "
        "resource_version of the last event that you got, and read faster.",
        reason="WATCH_TOO_SLOW",
        metadata={"limit": str(limit)},
    )
