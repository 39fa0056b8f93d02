"""The portal's workers as threads of the test: each takes what is due in its queues, as a Celery worker does."""

import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection, connections

from cycloud.core.reconcile.engine import run_one
from cycloud.core.reconcile.leases import claim_next
from cycloud.core.reconcile.models import DueRow
from cycloud.kubernetes.marks import QUEUE

IDLE_SECONDS = 0.03
STOP_SECONDS = 30.0


class Loop:
    """One thread that works off queues until it is stopped. What went wrong in it is in ``errors``."""

    def __init__(self, name: str, queues: Callable[[], list[str]]) -> None:
        self.errors: list[str] = []
        self.passes = 0
        self._queues = queues
        self._stop = threading.Event()
        # held during a pass, and by whoever wants no pass to run
        self._working = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(STOP_SECONDS)
        assert not self._thread.is_alive(), f"{self._thread.name} does not end"

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A block in which no pass runs."""
        with self._working:
            yield

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                if not self._work():
                    self._stop.wait(IDLE_SECONDS)
        finally:
            connection.close()

    def _work(self) -> bool:
        """Run one pass of each queue that has something due; tell whether there was one."""
        worked = False
        for queue in self._queues():
            if self._stop.is_set():
                break
            with self._working:
                worked = self._pass(queue) or worked
        return worked

    def _pass(self, queue: str) -> bool:
        try:
            work = claim_next(queue)
            if work is None:
                return False
            run_one(work)
        # a worker survives what a pass throws, and its log has it: here the test's end looks at it
        except Exception:  # noqa: BLE001
            self.errors.append(traceback.format_exc())
        self.passes += 1
        return True


class Loops:
    """A worker for Kubernetes, and one for all other queues."""

    def __init__(self) -> None:
        self.kubernetes = Loop("kubernetes", lambda: [QUEUE])
        self.clouds = Loop("clouds", _other_queues)

    @property
    def errors(self) -> list[str]:
        return [*self.kubernetes.errors, *self.clouds.errors]

    @contextmanager
    def running(self) -> Iterator["Loops"]:
        """Work for the length of a block."""
        self.kubernetes.start()
        self.clouds.start()
        try:
            yield self
        finally:
            self.kubernetes.stop()
            self.clouds.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A block in which no pass runs: the test runs them itself."""
        with self.kubernetes.paused(), self.clouds.paused():
            yield


def _other_queues() -> list[str]:
    return sorted(set(DueRow.objects.exclude(queue=QUEUE).values_list("queue", flat=True)))


def close_connections() -> None:
    """Close this thread's connections."""
    connections.close_all()
