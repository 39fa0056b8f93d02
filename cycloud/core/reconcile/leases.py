"""Claiming due rows, holding them, and giving them back with an outcome."""

import itertools
import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from cycloud.core.changes.record import collecting
from cycloud.core.clock import now
from cycloud.core.metrics.instruments import count_lost_lease
from cycloud.core.mirrors import mirror
from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.core.reconcile.outcomes import Done, Outcome, Terminal, Transient, Wait
from cycloud.core.reconcile.queue import gathering, store, wake

__all__ = ["LeaseLost", "Work", "claim_next", "give_back"]

# how many projects' first rows are looked at for one claim, and how many rows of each
_CANDIDATES = 64
_PER_PROJECT = 2
# when each project had its last turn in this process; only fairness hangs on it, so it may be forgotten
_turns: dict[tuple[str, str], int] = {}
_clock_of_turns = itertools.count(1)
_BACKOFF_BASE = 1.0
_BACKOFF_CAP = 30.0
# a wait up to this long gets a delayed message; a longer one is found by the sweep
_SHORT_WAIT = 10.0


class LeaseLost(Exception):
    """Another worker has the key now: this pass must neither call a cluster nor publish any more."""


@dataclass
class Work:
    """One claimed row: the key, the lease, and how often it failed before."""

    row_id: int
    controller: str
    key: str
    token: uuid.UUID
    sequence: int
    attempts: int
    lease_expires: datetime

    def hold(self) -> None:
        """Renew the lease once half of it has passed. Called before each call to a cluster.

        Raises LeaseLost if the lease has run out or somebody else has it.
        """
        time = now()
        lease = timedelta(seconds=settings.CYCLOUD_LEASE_SECONDS)
        if self.lease_expires - time > lease / 2:
            return
        if self.lease_expires <= time:
            raise LeaseLost(f"{self.controller} {self.key}: the lease has run out")
        held = DueRow.objects.filter(id=self.row_id, lease_token=self.token)
        if not held.update(lease_expires=time + lease):
            raise LeaseLost(f"{self.controller} {self.key}: the lease was taken")
        self.lease_expires = time + lease

    @contextmanager
    def publishing(self) -> Iterator[None]:
        """A transaction in which results may be written: only while the lease is ours.

        The lease is looked at when all is written, and the row stays locked until the commit, so nobody can take
        the key in between; without the lease nothing is kept. Rows of the queue, our own among them, are
        locked last and in one order (``gathering``); behind them only the feed's, where something was changed.
        """
        own = (self.controller, self.key)
        with transaction.atomic():
            with gathering() as requests, collecting() as changes:
                yield
                mirror(changes.changed())
            for name in sorted({own, *requests}):
                if name == own:
                    self._lock()
                if name in requests:
                    store(requests[name])
            changes.write()

    def _lock(self) -> None:
        held = (
            DueRow.objects.select_for_update()
            .filter(id=self.row_id, lease_token=self.token, lease_expires__gt=now())
            .first()
        )
        if held is None:
            raise LeaseLost(f"{self.controller} {self.key}: the lease was lost before publishing")


def claim_next(queue: str) -> Work | None:
    """Claim the most urgent due row of ``queue``, or return None.

    User lane before event lane before resync; within a lane the projects take turns, so one project
    with a thousand rows does not make another wait for all of them.
    """
    time = now()
    free = Q(lease_expires__isnull=True) | Q(lease_expires__lte=time)
    firsts = (
        DueRow.objects.filter(free, queue=queue, due__lte=time)
        .annotate(
            turn=Window(
                RowNumber(), partition_by=[F("lane"), F("project")], order_by=[F("due"), F("id")]
            )
        )
        .filter(turn__lte=_PER_PROJECT)
        .order_by("lane", "turn", "due", "id")
        .values_list("lane", "turn", "project", "due", "id")[:_CANDIDATES]
    )
    candidates = [
        (row_id, project)
        for lane, turn, project, due, row_id in sorted(
            firsts, key=lambda r: (r[0], r[1], _turns.get((queue, r[2]), 0), r[3], r[4])
        )
    ]
    expires = time + timedelta(seconds=settings.CYCLOUD_LEASE_SECONDS)
    for row_id, project in candidates:
        token = uuid.uuid4()
        taken = DueRow.objects.filter(free, id=row_id, due__lte=time).update(
            lease_token=token, lease_expires=expires
        )
        if not taken:
            continue
        row = DueRow.objects.filter(id=row_id, lease_token=token).first()
        if row is not None:
            _turns[queue, project] = next(_clock_of_turns)
            return Work(row.id, row.controller, row.key, token, row.sequence, row.attempts, expires)
    return None


def give_back(work: Work, outcome: Outcome) -> None:
    """Store the outcome and free the row; nothing happens if the lease is no longer ours."""
    with transaction.atomic():
        row = (
            DueRow.objects.select_for_update()
            .filter(id=work.row_id, lease_token=work.token)
            .first()
        )
        if row is None:
            count_lost_lease(work.controller)
            return
        time = now()
        asked_again = row.sequence != work.sequence
        if isinstance(outcome, Done) and outcome.recheck is None and not asked_again:
            row.delete()
            return
        row.lease_token = row.lease_expires = None
        row.last_outcome = type(outcome).__name__
        row.last_message = _message(outcome)
        row.attempts = _attempts(row.attempts, outcome)
        row.due = time if asked_again else _next_due(time, row.attempts, outcome)
        if isinstance(outcome, Done) and not asked_again:
            row.lane = Lane.RESYNC
        row.save()
        if row.due is not None and row.due - time <= timedelta(seconds=_SHORT_WAIT):
            delay = max(0.0, (row.due - time).total_seconds())
            transaction.on_commit(
                lambda: wake(row.controller, row.key, row.queue, delay), robust=True
            )


def _message(outcome: Outcome) -> str:
    return "" if isinstance(outcome, Done) else outcome.reason


def _attempts(attempts: int, outcome: Outcome) -> int:
    match outcome:
        case Done():
            return 0
        case Transient():
            return attempts + 1
        case _:
            return attempts


def _next_due(time: datetime, attempts: int, outcome: Outcome) -> datetime | None:
    match outcome:
        case Done(recheck):
            return recheck
        case Wait(seconds, _):
            return time + timedelta(seconds=seconds)
        case Transient(_, retry_after):
            return time + timedelta(seconds=retry_after or backoff(attempts))
        case Terminal():
            return None


def backoff(attempts: int) -> float:
    """Return the seconds before try number ``attempts`` + 1: exponential, capped, with full jitter's upper half."""
    ceiling = min(_BACKOFF_CAP, _BACKOFF_BASE * 2.0 ** min(max(attempts, 1) - 1, 10))
    return ceiling * (0.5 + random.random() / 2)  # noqa: S311  (jitter, no secret)
