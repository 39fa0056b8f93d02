"""The watcher: one process holds the Lease, and watches all kinds; the others stand by."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from django.conf import settings

from cycloud.core.circuits import Clock
from cycloud.kubernetes.client import KubernetesClient, client
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import Kind
from cycloud.kubernetes.registry import all_kinds
from cycloud.kubernetes.watcher.backoff import Backoff, jittered
from cycloud.kubernetes.watcher.kind_watch import KindWatch
from cycloud.kubernetes.watcher.lease import DURATION_SECONDS, Lease, LeaseLost, our_identity
from cycloud.kubernetes.watcher.marking import Marker
from cycloud.kubernetes.watcher.relist import Relister

__all__ = ["LEASE_NAME", "Watcher"]

LEASE_NAME = "cycloud-watcher"
STOP_SECONDS = 20.0

logger = logging.getLogger(__name__)


class _Part(Protocol):
    def run(self) -> None: ...
    def wake(self) -> None: ...


class _Session:
    """The threads of the one who holds the Lease."""

    def __init__(self, source: KubernetesClient, kinds: Sequence[Kind]) -> None:
        self._stop = threading.Event()
        self.marker = Marker(self._stop)
        self.relister = Relister(source, kinds, self._stop)
        self.watches = [
            KindWatch(source, kind, self.marker, self.relister.ask, self._stop) for kind in kinds
        ]
        parts: list[tuple[str, _Part]] = [("marker", self.marker), ("relist", self.relister)]
        parts += [(kind.api.plural, w) for kind, w in zip(kinds, self.watches, strict=True)]
        self._parts = [part for _, part in parts]
        self._threads = [
            threading.Thread(target=part.run, name=f"kubernetes-{name}", daemon=True)
            for name, part in parts
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    @property
    def running(self) -> bool:
        return all(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        self._stop.set()
        for part in self._parts:
            part.wake()
        deadline = time.monotonic() + STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))


class Watcher:
    """Watches in threads of its own from :meth:`start` until :meth:`stop`.

    :raises UnusableConfiguration: where the Kubernetes API is not configured as it must be.
    """

    def __init__(
        self,
        *,
        source: KubernetesClient | None = None,
        kinds: Sequence[Kind] | None = None,
        lease_name: str = LEASE_NAME,
        lease_seconds: int = DURATION_SECONDS,
        clock: Clock = time.monotonic,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        self._source = source or client()
        self._kinds = tuple(all_kinds() if kinds is None else kinds)
        self._lease_seconds = lease_seconds
        self._namespace: str = settings.CYCLOUD_KUBERNETES_NAMESPACE
        self._lease = Lease(
            self._source,
            self._namespace,
            lease_name,
            our_identity(),
            duration_seconds=lease_seconds,
            clock=clock,
        )
        self._stop = threading.Event()
        self._session: _Session | None = None
        self._told = ""
        self._thread = threading.Thread(target=self._run, name="kubernetes-watcher", daemon=True)

    def start(self) -> None:
        """Return at once; the Lease is waited for in the background."""
        self._thread.start()

    def stop(self) -> bool:
        """End the watches and give the Lease back; return whether that was done in time."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS + 5.0)
        return not self._thread.is_alive()

    @property
    def running(self) -> bool:
        """Whether the watcher works or stands by; False after :meth:`stop`, and where a part of it has crashed."""
        return self._thread.is_alive()

    @property
    def watching(self) -> bool:
        """Whether this one holds the Lease, and every kind's watch is open."""
        session = self._session
        return session is not None and all(watch.is_open for watch in session.watches)

    @property
    def status(self) -> str:
        """One line for people."""
        session = self._session
        if session is None:
            return self._told or "begins"
        opened = sum(watch.is_open for watch in session.watches)
        return f"{opened} of {len(session.watches)} kinds are watched"

    def _run(self) -> None:
        backoff = Backoff()
        while not self._stop.is_set():
            try:
                if self._lease.try_acquire():
                    backoff.succeeded()
                    self._tell("holds the Lease", logging.INFO)
                    self._hold()
                    continue
            except KubernetesFault as fault:
                self._tell(self._advice(fault), logging.WARNING)
                self._stop.wait(backoff.failed(fault.retry_after))
                continue
            backoff.succeeded()
            self._tell(f"stands by: {self._lease.holder} holds the Lease", logging.INFO)
            self._stop.wait(jittered(self._lease_seconds / 6))

    def _hold(self) -> None:
        self._session = session = _Session(self._source, self._kinds)
        session.start()
        try:
            self._renew_while_held(session)
        finally:
            session.stop()
            self._session = None
            self._lease.release()

    def _renew_while_held(self, session: _Session) -> None:
        while not self._stop.wait(self._lease_seconds / 3):
            if not session.running:
                # the thread's own traceback is in the log; whoever supervises the process starts it again
                raise RuntimeError("a part of the Kubernetes watcher ended by itself")
            try:
                self._lease.renew()
            except LeaseLost as lost:
                self._tell(f"lost the Lease: {lost}", logging.WARNING)
                return
            except KubernetesFault as fault:
                if not self._lease.is_held:
                    self._tell(f"could not renew the Lease: {fault}", logging.WARNING)
                    return

    def _advice(self, fault: KubernetesFault) -> str:
        advice = ""
        if fault.kind is FaultKind.NOT_FOUND:
            advice = f". Make the namespace {self._namespace}: manage.py kubernetes install"
        elif fault.kind is FaultKind.FORBIDDEN:
            advice = ". Give the right to leases: manage.py kubernetes install"
        return f"has no Lease: {fault}{advice}"

    def _tell(self, text: str, level: int) -> None:
        """Log what is new, once."""
        if text != self._told:
            self._told = text
            logger.log(level, "The Kubernetes watcher %s", text)
