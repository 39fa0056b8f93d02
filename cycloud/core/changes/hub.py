"""One reader of the feed per process, which hands each change to the watches that want it.

A thread polls the table: every CYCLOUD_WATCH_POLL_SECONDS, and at once after a commit in this process. Another one
looks at the rights of the watches again. Both run only while there are watches.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar
from weakref import WeakSet

from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

from cycloud.core.aip.errors import CycloudError, ResourceExhausted, Unavailable
from cycloud.core.changes import feed
from cycloud.core.changes.events import EventType, Matches, WatchEvent, event_for
from cycloud.core.changes.models import Change
from cycloud.core.changes.news import listen
from cycloud.core.changes.subscription import Subscription, WatchRequest, interrupted

__all__ = ["Hub", "Subscription", "WatchRequest", "close_hub", "hub"]

logger = logging.getLogger(__name__)
T = TypeVar("T")
# changes fanned out at once; threads that read the table for watches that begin
_BATCH = 500
_READERS = 4
# the least pause between two polls, whatever is committed
_BREATH_SECONDS = 0.005
_IDLE_SECONDS = 10.0
# what rights are looked at again: this often, those that are due
_ROUND_SECONDS = 1.0
_Key = tuple[str, int | None]


class Hub:
    """``threads=False``: nothing runs by itself; the caller calls :meth:`poll` and :meth:`recheck` (tests)."""

    def __init__(self, *, threads: bool = True) -> None:
        self.queue_limit: int = settings.CYCLOUD_WATCH_QUEUE
        self.bookmark_seconds: float = settings.CYCLOUD_WATCH_BOOKMARK_SECONDS
        # every change up to here was handed over
        self.position = 0
        self._threads = threads
        self._lock = threading.RLock()
        self._polling = threading.Lock()
        self._running = False
        self._closing = False
        self._news = threading.Event()
        listen(self._news)
        self._stop = threading.Event()
        self._open: WeakSet[Subscription] = WeakSet()
        self._by_key: dict[_Key, set[Subscription]] = {}
        self._checked: dict[Subscription, float] = {}
        self._shared: dict[EventType, WatchEvent] = {}
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="watch-catch-up")

    # -- for the faces

    def subscribe(self, request: WatchRequest) -> Subscription:
        """Return a watch; whoever iterates over it gets its events. Blocking: it looks at the feed's ends.

        Raises OutOfRange for a version whose changes are no longer kept or that is yet to come, ResourceExhausted
        where the process serves CYCLOUD_WATCH_LIMIT watches, Unavailable while it stops.
        """
        start = feed.position() if request.after is None else request.after
        if request.after is not None:
            feed.check_version(request.after)
        with self._lock:
            if self._closing:
                raise _stopping()
            if len(self._open) >= settings.CYCLOUD_WATCH_LIMIT:
                raise ResourceExhausted(
                    f"This portal serves {len(self._open)} watches, and that is its limit. Try again in a while.",
                    reason="TOO_MANY_WATCHES",
                    retry_after=10.0,
                )
            subscription = Subscription(self, request, start)
            self._open.add(subscription)
            self._start()
        return subscription

    def close(self) -> None:
        """End all watches with UNAVAILABLE and stop: their readers go on elsewhere."""
        with self._lock:
            self._closing = True
            self._end_all(_stopping())
        self._stop.set()
        self._news.set()
        self._readers.shutdown(wait=False, cancel_futures=True)

    @property
    def watches(self) -> int:
        """How many watches are open."""
        return len(self._open)

    @property
    def all_joined(self) -> bool:
        """Whether no watch reads in the table any more."""
        with self._lock:
            return len(self._checked) == len(self._open)

    # -- for subscriptions

    def event_for(
        self, change: Change, before: dict[str, object] | None, matches: Matches | None
    ) -> WatchEvent | None:
        """Return what a watch is told of the change that is being handed over; equal events are one object."""
        if matches is None:
            kind = EventType(change.type)
            if kind not in self._shared:
                self._shared[kind] = WatchEvent(
                    kind, change.version, change.kind, change.uid, change.body
                )
            return self._shared[kind]
        event = event_for(change, before, matches)
        return None if event is None else self._shared.setdefault(event.type, event)

    def join(self, subscription: Subscription) -> bool:
        """Have the subscription get what comes; False if it must read on in the table first."""
        with self._lock:
            if subscription.closed:
                return False
            if self.position > subscription.behind:
                return False
            for key in _keys(subscription.request):
                self._by_key.setdefault(key, set()).add(subscription)
            self._checked[subscription] = time.monotonic()
            return True

    def leave(self, subscription: Subscription) -> None:
        with self._lock:
            self._open.discard(subscription)
            self._checked.pop(subscription, None)
            for key in _keys(subscription.request):
                members = self._by_key.get(key)
                if members is not None:
                    members.discard(subscription)
                    if not members:
                        del self._by_key[key]

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run blocking work of a coroutine in one of a few threads."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, _in_reader, work)

    # -- the work of the threads

    def poll(self) -> int:
        """Hand over what was committed since the last time, and return how many changes that were."""
        with self._polling:
            try:
                changes = feed.read(self.position, _BATCH)
            except CycloudError:
                # this process was away for longer than changes are kept: all must begin anew
                self._lose_track()
                return 0
            if not changes:
                return 0
            wanted = self._with_filter(changes)
            before = {c.version: feed.body_before(c) for c in changes if c.version in wanted}
            with self._lock:
                told: set[Subscription] = set()
                for change in changes:
                    self._shared = {}
                    told.update(
                        subscription
                        for subscription in self._wanting(change)
                        if subscription.offer(change, before.get(change.version))
                    )
                self._shared = {}
                self.position = changes[-1].version
                self._tell(told)
            return len(changes)

    def recheck(self, *, older_than: float | None = None) -> None:
        """Look at the rights of the watches whose last look was ``older_than`` seconds ago, and end those without."""
        age = settings.CYCLOUD_WATCH_RECHECK_SECONDS if older_than is None else older_than
        due = time.monotonic() - age
        with self._lock:
            waiting = [s for s, checked in self._checked.items() if checked <= due]
        verdicts: dict[Hashable, CycloudError | None] = {}
        for subscription in waiting:
            key = subscription.request.identity or id(subscription)
            if key not in verdicts:
                verdicts[key] = _verdict(subscription.request.check)
            verdict = verdicts[key]
            with self._lock:
                if subscription in self._checked:
                    self._checked[subscription] = time.monotonic()
                if verdict is not None:
                    subscription.end(verdict)
                    self._tell([subscription])

    def _with_filter(self, changes: Iterable[Change]) -> set[int]:
        """Return the versions of the changes that some filter is to be asked about."""
        with self._lock:
            return {
                change.version
                for change in changes
                if any(s.request.matches is not None for s in self._wanting(change))
            }

    def _wanting(self, change: Change) -> list[Subscription]:
        keys = [(change.kind, change.project_id), (change.kind, None)]
        return [s for key in dict.fromkeys(keys) for s in self._by_key.get(key, ())]

    def _tell(self, subscriptions: Iterable[Subscription]) -> None:
        """Wake the readers: coroutines of one loop with one call."""
        by_loop: dict[asyncio.AbstractEventLoop, list[Subscription]] = {}
        for subscription in subscriptions:
            if subscription.loop is None:
                subscription.notify()
            else:
                by_loop.setdefault(subscription.loop, []).append(subscription)
        for loop, members in by_loop.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_notify_all, members)

    def _lose_track(self) -> None:
        with self._lock:
            joined = {s for members in self._by_key.values() for s in members}
            for subscription in joined:
                subscription.end(interrupted())
            self._tell(joined)
            self.position = feed.position()

    def _start(self) -> None:
        if self._running:
            return
        self.position = feed.position()
        self._running = True
        self._stop = threading.Event()
        if self._threads:
            for name, work in (("watch-reader", self._poll_on), ("watch-rights", self._recheck_on)):
                threading.Thread(target=work, args=[self._stop], name=name, daemon=True).start()

    def _poll_on(self, stop: threading.Event) -> None:
        idle_since = time.monotonic()
        try:
            while not stop.is_set():
                self._news.wait(settings.CYCLOUD_WATCH_POLL_SECONDS)
                self._news.clear()
                _carefully(self.poll)
                with self._lock:
                    if self._open:
                        idle_since = time.monotonic()
                    elif time.monotonic() - idle_since > _IDLE_SECONDS:
                        break
                stop.wait(_BREATH_SECONDS)
        finally:
            connection.close()
            with self._lock:
                # whatever ended this thread: nobody is left waiting, and the next watch starts a new one
                self._running = False
                stop.set()
                self._end_all(interrupted())

    def _recheck_on(self, stop: threading.Event) -> None:
        while not stop.wait(_ROUND_SECONDS):
            _carefully(self.recheck)
        connection.close()

    def _end_all(self, error: CycloudError) -> None:
        waiting = list(self._open)
        for subscription in waiting:
            subscription.end(error)
        self._tell(waiting)


@cache
def hub() -> Hub:
    """Return this process's hub."""
    return Hub()


def close_hub() -> None:
    """End all watches of this process: their readers go on elsewhere, or when it serves again."""
    hub().close()
    hub.cache_clear()


def _keys(request: WatchRequest) -> list[_Key]:
    projects: Iterable[int | None] = [None] if request.projects is None else request.projects
    return [(kind, project) for kind in request.kinds for project in projects]


def _notify_all(subscriptions: list[Subscription]) -> None:
    for subscription in subscriptions:
        subscription.notify()


def _verdict(check: Callable[[], None]) -> CycloudError | None:
    try:
        check()
    except CycloudError as error:
        return error
    return None


def _carefully(work: Callable[[], object]) -> None:
    """Run a round; a database that is away is asked again in the next one."""
    try:
        work()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("the change feed cannot be read: %s", error)
        connection.close()


def _in_reader(work: Callable[[], T]) -> T:
    """Run work in one of the few threads that read; each keeps its connection as long as a request would."""
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()


def _stopping() -> Unavailable:
    return Unavailable(
        "This portal is being stopped. Watch again from the resource_version of the last event that you got.",
        reason="WATCH_INTERRUPTED",
        retry_after=1.0,
    )
