"""Celery's worker and beat, in threads of this process."""

import threading
from collections.abc import Sequence
from typing import Any, Protocol, cast

from celery import Celery
from celery.beat import EmbeddedService, Scheduler
from celery.worker import WorkController, state

__all__ = ["Beat", "Worker"]

START_SECONDS = 20.0
STOP_SECONDS = 15.0
EXIT_OK = 0


class _Controller(WorkController):
    """Celery's worker without its signal handlers and logging; tells when it takes tasks."""

    def __init__(self, *, started: threading.Event, **options: Any) -> None:
        self._started = started
        super().__init__(**options)

    def on_consumer_ready(self, consumer: Any) -> None:
        self._started.set()


class Worker:
    """A worker with ``concurrency`` threads for ``queues``.

    Several in one process have names of their own, and are started one after the other. Celery keeps its stop flag
    globally: to stop one may stop them all.
    """

    def __init__(
        self, app: Celery, *, queues: Sequence[str], concurrency: int, name: str = "embedded"
    ) -> None:
        self._app = app
        self._queues = list(queues)
        self._concurrency = concurrency
        self._name = name
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"worker-{name}", daemon=True)

    def start(self) -> None:
        """Return when tasks are taken. Raises RuntimeError if that does not come about."""
        state.should_stop = None
        self._thread.start()
        if not self._started.wait(START_SECONDS) or not self._thread.is_alive():
            raise RuntimeError("The worker did not start; see the lines above for the cause.")

    def stop(self) -> bool:
        """Let the tasks under way end, then the worker; return whether it ended in time."""
        # the worker's own loop sees the flag and shuts down in its own thread
        state.should_stop = EXIT_OK  # type: ignore[assignment]
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)
        state.should_stop = None
        return not self._thread.is_alive()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            # nobody asks this worker anything from outside, and it has no peers
            self._app.conf.worker_enable_remote_control = False
            _Controller(
                started=self._started,
                app=self._app,
                hostname=f"{self._name}@localhost",
                pool_cls="threads",
                concurrency=self._concurrency,
                queues=self._queues,
                without_gossip=True,
                without_mingle=True,
                without_heartbeat=True,
            ).start()
        finally:
            self._started.set()


class _BeatThread(Protocol):
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def is_alive(self) -> bool: ...


class Beat:
    """Sends the periodic tasks of the settings. Its schedule is in memory: every start begins afresh."""

    def __init__(self, app: Celery) -> None:
        self._service = cast(
            _BeatThread, EmbeddedService(app, thread=True, scheduler_cls=Scheduler)
        )

    def start(self) -> None:
        self._service.start()

    def stop(self) -> None:
        if self._service.is_alive():
            self._service.stop()

    @property
    def running(self) -> bool:
        return self._service.is_alive()
