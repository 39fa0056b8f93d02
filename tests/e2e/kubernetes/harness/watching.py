"""The product's watcher, in threads of the test."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from cycloud.kubernetes.watcher.watcher import Watcher

OPEN_SECONDS = 30.0
LOOK_SECONDS = 0.05


class Watching:
    """``running`` for the length of a block; within, it can be stopped and another one started."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self._watcher: Watcher | None = None

    @property
    def status(self) -> str:
        return self._watcher.status if self._watcher is not None else "none"

    def start(self) -> None:
        """Start a watcher, and wait until it holds the Lease and watches every kind."""
        self._watcher = Watcher()
        self._watcher.start()
        self.wait_open()

    def wait_open(self, seconds: float = OPEN_SECONDS) -> None:
        assert self._watcher is not None
        end = time.monotonic() + seconds
        while not self._watcher.watching:
            assert self._watcher.running, "the watcher ended by itself"
            assert time.monotonic() < end, f"the watcher: not within {seconds:.0f} s: {self.status}"
            time.sleep(LOOK_SECONDS)

    def stop(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is None:
            return
        if not watcher.running:
            self.errors.append(f"the watcher ended by itself: {watcher.status}")
        if not watcher.stop():
            self.errors.append("the watcher did not end")

    @contextmanager
    def running(self) -> Iterator["Watching"]:
        self.start()
        try:
            yield self
        finally:
            self.stop()
