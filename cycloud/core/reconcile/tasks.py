"""Celery tasks of the engine. They carry a key only, and no rule."""

from celery import shared_task
from celery.signals import worker_ready

from cycloud.core.metrics.exposition import start_metrics_server
from cycloud.core.reconcile.engine import drain, sweep
from cycloud.core.reconcile.models import DueRow
from cycloud.core.reconcile.resync import request_resync

__all__ = ["reconcile_task", "resync_task", "sweep_task"]


@shared_task(name="cycloud.reconcile")
def reconcile_task(controller: str, key: str) -> None:
    """Something is due for this key: work off its queue, the most urgent row first."""
    queue = (
        DueRow.objects.filter(controller=controller, key=key)
        .values_list("queue", flat=True)
        .first()
    )
    if queue is not None:
        drain(queue)


@shared_task(name="cycloud.sweep")
def sweep_task() -> None:
    """Find due rows whose message was lost."""
    sweep()


@shared_task(name="cycloud.resync")
def resync_task() -> None:
    """See to it that every cluster's slow resync has a row."""
    request_resync()


worker_ready.connect(start_metrics_server, weak=False)
