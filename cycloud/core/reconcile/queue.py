"""Asking for a reconcile: a row in the caller's transaction, a message after its commit."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from celery import current_app
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Least

from cycloud.core.changes.record import collecting
from cycloud.core.clock import now
from cycloud.core.mirrors import mirror
from cycloud.core.reconcile.models import DueRow, Lane

__all__ = [
    "DEFAULT_QUEUE",
    "Lane",
    "Request",
    "enqueue",
    "gathering",
    "in_order",
    "queue_for",
    "store",
    "wake",
]

DEFAULT_QUEUE = "cycloud"
RowName = tuple[str, str]  # controller, key


@dataclass(frozen=True)
class Request:
    """One call of ``enqueue``."""

    controller: str
    key: str
    lane: Lane
    queue: str
    project: str
    due: datetime

    @property
    def name(self) -> RowName:
        return self.controller, self.key


_gathered: ContextVar[dict[RowName, Request] | None] = ContextVar("gathered", default=None)


@contextmanager
def gathering() -> Iterator[dict[RowName, Request]]:
    """Hold back what the block asks for; whoever opened the block stores it, ``in_order``.

    Every transaction locks rows of the queue last and in one order. Two passes that wake each other would
    otherwise each hold the row that the other one wants: a deadlock.
    """
    requests: dict[RowName, Request] = {}
    token = _gathered.set(requests)
    try:
        yield requests
    finally:
        _gathered.reset(token)


@contextmanager
def in_order() -> Iterator[None]:
    """A block, within a transaction, whose requests are stored at its end in the one order.

    What the block changed is recorded behind them: the feed's lock is the last of all.
    """
    if _gathered.get() is not None:
        yield
        return
    with gathering() as requests, collecting() as changes:
        yield
        mirror(changes.changed())
    for name in sorted(requests):
        store(requests[name])
    changes.write()


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
    request = Request(controller, str(key), lane, queue, project, due or now())
    requests = _gathered.get()
    if requests is None:
        store(request)
        return
    earlier = requests.get(request.name)
    if earlier is not None:
        request = replace(request, lane=min(lane, earlier.lane), due=min(request.due, earlier.due))
    requests[request.name] = request


def store(request: Request) -> None:
    """Write one request into its row."""
    time = now()
    rows = DueRow.objects.filter(controller=request.controller, key=request.key)
    changes = {
        "sequence": F("sequence") + 1,
        "queue": request.queue,
        "project": request.project,
        "lane": Least(F("lane"), Value(request.lane.value)),
        "due": Coalesce(Least(F("due"), Value(request.due)), Value(request.due)),
    }
    if request.lane == Lane.USER:
        changes["attempts"] = 0
    # update first: it waits for a pass that is giving the row back, and then either sees the row or makes it anew
    if not rows.update(**changes):
        try:
            with transaction.atomic():
                DueRow.objects.create(
                    controller=request.controller,
                    key=request.key,
                    queue=request.queue,
                    lane=request.lane,
                    project=request.project,
                    due=request.due,
                    requested=time,
                )
        except IntegrityError:
            rows.update(**changes)
    if request.due <= time:
        transaction.on_commit(
            lambda: wake(request.controller, request.key, request.queue), robust=True
        )


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
