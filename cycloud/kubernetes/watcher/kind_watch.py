"""One kind's watch: from a version on, again after every cut, and from a new listing where the old version is gone.

The library's informer is not used: it keeps every object in memory, and tries again past our limits.
"""

import logging
import random
import threading
import time
from collections.abc import Callable

from cycloud.core.circuits import Clock
from cycloud.kubernetes.client import KubernetesClient, WatchStream
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import Kind
from cycloud.kubernetes.streams import BOOKMARK
from cycloud.kubernetes.watcher.backoff import Backoff
from cycloud.kubernetes.watcher.marking import Marker, lane_of, note_of

__all__ = ["KindWatch"]

# the server ends a watch by then; different ones, so that they do not all come anew at once
SHORTEST_SECONDS, LONGEST_SECONDS = 240, 480
# a watch that lived that long was a good one, whatever ended it
GOOD_SECONDS = 0.5

logger = logging.getLogger(__name__)


class KindWatch:
    """``relist`` is asked for whenever a watch begins without what was before it."""

    def __init__(
        self,
        source: KubernetesClient,
        kind: Kind,
        marker: Marker,
        relist: Callable[[Kind], None],
        stop: threading.Event,
        clock: Clock = time.monotonic,
    ) -> None:
        self._source = source
        self._kind = kind
        self._marker = marker
        self._relist = relist
        self._stop = stop
        self._clock = clock
        self._backoff = Backoff()
        self._lock = threading.Lock()
        self._stream: WatchStream | None = None
        self._version = ""
        self._trouble = ""
        # for tests and logs: how many watches were opened
        self.opened = 0

    @property
    def is_open(self) -> bool:
        """Whether events come in just now."""
        return self._stream is not None

    def wake(self) -> None:
        """Have the thread look at ``stop`` now."""
        with self._lock:
            if self._stream is not None:
                self._stream.stop()

    def run(self) -> None:
        """Watch until ``stop``."""
        while not self._stop.is_set():
            begin, opened = self._clock(), self.opened
            try:
                self._watch()
            except KubernetesFault as fault:
                if self._clock() - begin >= GOOD_SECONDS and fault.kind is not FaultKind.GONE:
                    self._backoff.succeeded()
                seconds = self._note(fault, was_open=self.opened > opened)
                self._stop.wait(seconds)
            else:
                self._backoff.succeeded()

    def _watch(self) -> None:
        if not self._version:
            # the version of the whole kind as it is now. Objects are compared by the relist, which begins later: what
            # changes in between comes by the watch, and users' changes come through while a large listing goes on
            first = next(self._source.pages(self._kind.api, limit=1))
            self._version = first.resource_version
            self._relist(self._kind)
        seconds = random.randint(SHORTEST_SECONDS, LONGEST_SECONDS)  # noqa: S311  # no secret
        stream = self._source.watch(self._kind.api, self._version, timeout_seconds=seconds)
        with self._lock:
            self._stream = stream
            self.opened += 1
        try:
            with stream:
                if self._stop.is_set():
                    return
                self._read(stream)
        finally:
            with self._lock:
                self._stream = None

    def _read(self, stream: WatchStream) -> None:
        if self._trouble:
            logger.info("%s is watched again", self._kind.api.kind)
            self._trouble = ""
        for event in stream:
            if event.type != BOOKMARK:
                noted = note_of(self._kind, event.object)
                self._marker.note(noted, lane_of(self._kind, event.object))
            # after the note: an event must not be skipped
            self._version = event.resource_version

    def _note(self, fault: KubernetesFault, *, was_open: bool) -> float:
        """Return how long to wait."""
        seconds = self._backoff.failed(fault.retry_after)
        if fault.kind is FaultKind.GONE:
            self._version = ""
            logger.info("%s is listed again: %s", self._kind.api.kind, fault.message)
            return seconds
        # one line for each trouble, not one for each attempt, and none for a cut: it is gone on with
        if not was_open and self._trouble != fault.kind.value:
            self._trouble = fault.kind.value
            passing = fault.kind in (FaultKind.UNREACHABLE, FaultKind.RATE_LIMITED)
            level = logging.INFO if passing else logging.WARNING
            logger.log(level, "%s is not watched for now: %s", self._kind.api.kind, fault)
        return seconds
