"""A worker that dies, or loses an answer, at one chosen point of one pass."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

import pytest

from cycloud.core.reconcile.engine import run_one
from cycloud.core.reconcile.leases import Work
from cycloud.openstack import connection
from cycloud.openstack.hooks import CallHooks, current_hooks
from cycloud.simulator.faults import Faults

# our names of the services, and the simulator's
_SERVICES = {
    "nova": "compute",
    "cinder": "block-storage",
    "neutron": "network",
    "glance": "image",
}


class WorkerKilled(BaseException):
    """The process is gone: nothing of the product may catch it."""


class Mode(StrEnum):
    """``KILLED_AFTER``: the answer has arrived (or the commit is done), and nothing else happens."""

    KILLED_BEFORE = "killed-before"
    KILLED_AFTER = "killed-after"
    LOST_ANSWER = "lost-answer"


@dataclass(frozen=True)
class Event:
    """Something that a pass does and that can be cut off: a call to a cluster, or a publish."""

    name: str
    is_call: bool
    is_write: bool = False

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Hit:
    """The event (by its place in the pass) at which it happens, and what."""

    place: int
    mode: Mode


@dataclass
class Worker:
    """Runs passes. ``events`` are those of the present pass; ``struck`` says whether the hit came."""

    faults: Faults
    hit: Hit | None = None
    events: list[Event] = field(default_factory=list)
    struck: bool = False

    def run(self, work: Work, hit: Hit | None = None) -> tuple[Event, ...]:
        """Run one pass, which ends early if the hit kills the worker, and return what it did."""
        self.hit, self.events, self.struck = hit, [], False
        try:
            run_one(work)
        except WorkerKilled:
            # a dead process frees nothing: its lease has to run out
            pass
        finally:
            self.hit = None
            self.faults.clear()
        return tuple(self.events)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Within the block this worker sees every call and every publish."""
        publishing = Work.publishing

        @contextmanager
        def watched_publishing(work: Work) -> Iterator[None]:
            self._before(Event("publish", is_call=False))
            with publishing(work):
                yield
            self._after()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Work, "publishing", watched_publishing)
            # provider_pass sets its own hook for the lease, so ours goes around all hooks
            patch.setattr(connection, "current_hooks", self._hooks)
            yield

    def _hooks(self) -> CallHooks:
        inner = current_hooks()

        def before(service: str, verb: str, is_write: bool) -> None:
            inner.before(service, verb, is_write)
            self._before(Event(f"{service} {verb}", True, is_write), _SERVICES[service])

        def after(service: str, verb: str, is_write: bool) -> None:
            inner.after(service, verb, is_write)
            self._after()

        return CallHooks(before, after)

    def _before(self, event: Event, service: str = "") -> None:
        self.events.append(event)
        if not self._is_here():
            return
        assert self.hit is not None
        if self.hit.mode is Mode.KILLED_BEFORE:
            self.struck = True
            raise WorkerKilled
        if self.hit.mode is Mode.LOST_ANSWER:
            self.struck = True
            self.faults.add("lost_answer", service=service)

    def _after(self) -> None:
        if self._is_here() and self.hit is not None and self.hit.mode is Mode.KILLED_AFTER:
            self.struck = True
            raise WorkerKilled

    def _is_here(self) -> bool:
        return self.hit is not None and len(self.events) == self.hit.place + 1
