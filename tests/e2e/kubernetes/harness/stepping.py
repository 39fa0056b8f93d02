"""A worker whose passes the test runs one by one, and that dies or loses an answer at one chosen call to Kubernetes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

import pytest

from cycloud.core.reconcile.engine import run_one
from cycloud.core.reconcile.leases import Work, claim_next
from cycloud.core.reconcile.models import DueRow
from cycloud.kubernetes import transport
from cycloud.kubernetes.client import forget_client
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.hooks import CallHooks, current_hooks
from cycloud.kubernetes.marks import QUEUE
from tests.e2e.kubernetes.harness.clock import RunningClock
from tests.support.engine import NotSettled, describe

# longer than a lease and a back-off, shorter than a purge
HORIZON = timedelta(seconds=600)
PASSES = 200


class WorkerKilled(BaseException):
    """The process is gone: nothing of the product may catch it."""


class Mode(StrEnum):
    """``KILLED_AFTER``: the answer has arrived, and nothing else happens. ``LOST_ANSWER``: done, and not known."""

    KILLED_BEFORE = "killed-before"
    KILLED_AFTER = "killed-after"
    LOST_ANSWER = "lost-answer"


@dataclass(frozen=True)
class Hit:
    """The call, by its place since the story's step, at which it happens, and what."""

    place: int
    mode: Mode


@dataclass
class Stepper:
    """Runs passes. ``calls``: what was asked of Kubernetes since ``begin``; ``struck``: whether the hit came."""

    clock: RunningClock
    hit: Hit | None = None
    calls: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    struck: bool = False

    def begin(self, hit: Hit | None = None) -> None:
        self.hit, self.calls, self.writes, self.struck = hit, [], [], False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Within the block this worker sees every call."""
        with pytest.MonkeyPatch.context() as patch:
            # a pass sets a hook of its own for the lease, so ours goes around all hooks
            patch.setattr(transport, "current_hooks", self._hooks)
            yield

    def settle(self) -> int:
        """Go on, from one due row to the next, until nothing is left to be done; return the number of passes."""
        until = self.clock() + HORIZON
        for number in range(PASSES):
            work = self._claim(until)
            if work is None:
                return number
            try:
                run_one(work)
            except WorkerKilled:
                # a dead process frees nothing: its lease has to run out; the next one has a client of its own
                forget_client()
        raise NotSettled(f"{PASSES} passes without an end\n{describe()}")

    def _claim(self, until: datetime) -> Work | None:
        while True:
            # Kubernetes first: the fewer passes, the sooner it is seen what one of them did
            queues = sorted(
                set(DueRow.objects.values_list("queue", flat=True)), key=_kubernetes_first
            )
            for queue in queues:
                work = claim_next(queue)
                if work is not None:
                    return work
            rows = DueRow.objects.filter(due__isnull=False).values_list("due", "lease_expires")
            times = [max(t for t in row if t is not None) for row in rows]
            if not times or min(times) > until:
                return None
            time = self.clock()
            if min(times) > time:
                self.clock.set(min(times))

    def _hooks(self) -> CallHooks:
        inner = current_hooks()

        def before(verb: str, path: str, is_write: bool) -> None:
            inner.before(verb, path, is_write)
            self.calls.append(f"{verb} {path}")
            if is_write:
                self.writes.append(f"{verb} {path}")
            if self._is_here(Mode.KILLED_BEFORE):
                raise WorkerKilled

        def after(verb: str, path: str, is_write: bool) -> None:
            inner.after(verb, path, is_write)
            if self._is_here(Mode.KILLED_AFTER):
                raise WorkerKilled
            if self._is_here(Mode.LOST_ANSWER):
                raise KubernetesFault(FaultKind.UNREACHABLE, "the answer was lost")

        return CallHooks(before, after)

    def _is_here(self, mode: Mode) -> bool:
        here = self.hit == Hit(len(self.calls) - 1, mode) and not self.struck
        self.struck = self.struck or here
        return here


def _kubernetes_first(queue: str) -> tuple[bool, str]:
    return (queue != QUEUE, queue)
