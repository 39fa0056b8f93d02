"""Running passes. The database says what is due; a Celery message only says that something is."""

import logging
import time
from datetime import timedelta

from django.db import OperationalError
from django.db.models import Count, Q

from cycloud.core.clock import now
from cycloud.core.metrics.instruments import count_lost_lease, record_pass
from cycloud.core.reconcile.leases import LeaseLost, Work, claim_next, give_back
from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.core.reconcile.outcomes import Outcome, Transient
from cycloud.core.reconcile.queue import wake
from cycloud.core.reconcile.registry import controller, is_held

__all__ = ["drain", "run_one", "sweep", "wake_parked"]

logger = logging.getLogger(__name__)

# one message works off at most this much, so that a queue's workers stay fair to later messages
_DRAIN_ROWS = 50
_DRAIN_SECONDS = 5.0
_SWEEP_MESSAGES = 8
_SWEEP_GRACE = timedelta(seconds=1)


def drain(queue: str) -> int:
    """Run due rows of ``queue``, the most urgent first, and return how many were run."""
    end = time.monotonic() + _DRAIN_SECONDS
    count = 0
    while count < _DRAIN_ROWS and time.monotonic() < end:
        work = None if is_held(queue) else claim_next(queue)
        if work is None:
            break
        run_one(work)
        count += 1
    return count


def run_one(work: Work) -> None:
    """Run one pass of a claimed row and give it back.

    An unforeseen exception leaves the lease to run out, which is the back-off of a crash, and reaches
    Celery's log whole.
    """
    begin = time.monotonic()
    name = "Crashed"
    try:
        outcome: Outcome = controller(work.controller).reconcile(work)
        name = type(outcome).__name__
    except LeaseLost as lost:
        name = "LeaseLost"
        count_lost_lease(work.controller)
        logger.warning("%s", lost)
        return
    except OperationalError as error:
        # a deadlock or a lock that came too late: nothing of the transaction was kept
        logger.warning("%s %s: %s", work.controller, work.key, error)
        outcome = Transient("the database was busy")
        name = type(outcome).__name__
    finally:
        record_pass(work.controller, name, time.monotonic() - begin)
    give_back(work, outcome)
    logger.debug(
        "%s %s: %s in %.3f s", work.controller, work.key, outcome, time.monotonic() - begin
    )


def sweep() -> int:
    """Tell the workers of rows that are due and that nobody works on: lost messages cost only this delay.

    Returns the number of messages sent.
    """
    late = now() - _SWEEP_GRACE
    free = Q(lease_expires__isnull=True) | Q(lease_expires__lte=late)
    due = DueRow.objects.filter(free, due__lte=late)
    sent = 0
    for group in due.values("queue").annotate(rows=Count("id")):
        rows = due.filter(queue=group["queue"]).order_by("lane", "due")
        for row in rows[: min(_SWEEP_MESSAGES, group["rows"])]:
            wake(row.controller, row.key, row.queue)
            sent += 1
    return sent


def wake_parked(controller_names: list[str] | None = None) -> int:
    """Make parked rows (terminal outcomes) due again: the catalog or an observation has changed."""
    rows = DueRow.objects.filter(due__isnull=True)
    if controller_names is not None:
        rows = rows.filter(controller__in=controller_names)
    return rows.update(due=now(), lane=Lane.EVENT)
