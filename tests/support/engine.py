"""Runs the engine in the test's own thread with the test's own clock: no broker, no worker, no waiting."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from cycloud.core.clock import use_clock
from cycloud.core.reconcile.engine import run_one
from cycloud.core.reconcile.leases import claim_next
from cycloud.core.reconcile.models import DueRow


class Clock:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def timestamp(self) -> float:
        return self.time.timestamp()

    def advance(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@contextmanager
def frozen_clock() -> Iterator[Clock]:
    clock = Clock()
    with use_clock(clock):
        yield clock


class NotSettled(AssertionError):
    """The engine still had something to do at the end of the time it was given."""


def run_due() -> int:
    """Run all that is due now, in every queue; return the number of passes."""
    passes = 0
    busy = True
    while busy:
        busy = False
        for queue in sorted(set(DueRow.objects.values_list("queue", flat=True))):
            while (work := claim_next(queue)) is not None:
                run_one(work)
                passes += 1
                busy = True
                if passes > 300:
                    raise NotSettled("300 passes without an end")
    return passes


def settle(clock: Clock, *, seconds: float = 120.0) -> int:
    """Let time pass, from one due row to the next, until nothing is due within ``seconds``.

    Rows that only wait for a far time (a purge, a resync) do not count. Returns the number of passes.
    """
    end = clock.time + timedelta(seconds=seconds)
    passes = run_due()
    while True:
        row = DueRow.objects.filter(due__isnull=False).order_by("due").first()
        free = [row.due, row.lease_expires] if row is not None else []
        times = [t for t in free if t is not None]
        if not times or max(times) > end:
            return passes
        clock.time = max(
            clock.time + timedelta(microseconds=1), max(times) + timedelta(microseconds=1)
        )
        passes += run_due()


def describe() -> str:
    """What the queue holds, for a failing test's message."""
    rows = DueRow.objects.order_by("controller").values_list(
        "controller", "key", "due", "last_outcome", "last_message", "attempts"
    )
    return "\n".join(str(r) for r in rows)
