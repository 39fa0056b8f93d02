"""Asking for a reconcile: a row in the caller's transaction, a message after its commit."""

from datetime import datetime
from uuid import UUID

from celery import current_app
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Least

from cycloud.core.clock import now
from cycloud.core.reconcile.models import DueRow, Lane

__all__ = ["DEFAULT_QUEUE", "Lane", "enqueue", "queue_for", "wake"]

DEFAULT_QUEUE = "cycloud"


def queue_for(controller_name: str | None) -> str:
    """Return the queue of a cluster's worker, named by its ``controller_name``."""
    if controller_name is None or not settings.CYCLOUD_QUEUE_PER_CLUSTER:
        return DEFAULT_QUEUE
    return f"cluster.{controller_name}"


def enqueue(
    controller: str,
    key: UUID | str,
    *,
    lane: Lane = Lane.USER,
    queue: str = DEFAULT_QUEUE,
    project: str = "",
    due: datetime | None = None,
) -> None:
    """Mark (controller, key) to be reconciled at ``due`` (default: now), in the present transaction.

    Repeats coalesce: the row keeps its most urgent lane and its earliest due time. A request that comes while
    a pass runs makes another pass follow. After commit the workers are told; if that message is lost,
    the sweep finds the row.
    """
    time = now()
    due = due or time
    rows = DueRow.objects.filter(controller=controller, key=str(key))
    changes = {
        "sequence": F("sequence") + 1,
        "queue": queue,
        "project": project,
        "lane": Least(F("lane"), Value(lane.value)),
        "due": Coalesce(Least(F("due"), Value(due)), Value(due)),
    }
    if lane == Lane.USER:
        changes["attempts"] = 0
    # update first: it waits for a pass that is giving the row back, and then either sees the row or makes it anew
    if not rows.update(**changes):
        try:
            with transaction.atomic():
                DueRow.objects.create(
                    controller=controller,
                    key=str(key),
                    queue=queue,
                    lane=lane,
                    project=project,
                    due=due,
                    requested=time,
                )
        except IntegrityError:
            rows.update(**changes)
    if due <= time:
        transaction.on_commit(lambda: wake(controller, str(key), queue), robust=True)


def wake(controller: str, key: str, queue: str, countdown: float = 0.0) -> None:
    """Tell a worker of ``queue`` that there is something to do. May get lost."""
    current_app.send_task(
        "cycloud.reconcile",
        args=[controller, key],
        queue=queue,
        countdown=countdown or None,
        ignore_result=True,
        retry=False,
    )
