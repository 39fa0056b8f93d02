"""Gauges that a few aggregates of the database give at each scrape: the queue, and what is not as wanted."""

from collections.abc import Iterator
from datetime import datetime

from django.apps import apps
from django.db.models import Count, F, Min, Q, QuerySet
from django.db.models.functions import Coalesce
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from cycloud.core.clock import now
from cycloud.core.conditions import Status
from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.core.reconcile.queue import DEFAULT_QUEUE
from cycloud.core.resources.models import Reconciled
from cycloud.core.resources.ready import ReadyText

__all__ = ["queue_metrics", "resource_metrics"]


def queue_metrics() -> Iterator[Metric]:
    """Depth and age of each queue's lanes, what is at work, and what waits for a person."""
    time = now()
    free = Q(lease_expires__isnull=True) | Q(lease_expires__lte=time)
    due = free & Q(due__lte=time)
    rows = DueRow.objects.values("queue", "lane").annotate(
        depth=Count("id", filter=due),
        oldest=Min("due", filter=due),
        leased=Count("id", filter=Q(lease_expires__gt=time)),
    )
    found = {(row["queue"], row["lane"]): row for row in rows}
    labels = ("queue", "lane")
    depth = GaugeMetricFamily(
        "cycloud_queue_depth", "Rows that are due and that nobody works on.", labels=labels
    )
    age = GaugeMetricFamily(
        "cycloud_queue_age_seconds", "For how long the oldest of them has been due.", labels=labels
    )
    leased = GaugeMetricFamily("cycloud_queue_leased", "Rows that are worked on.", labels=labels)
    # every lane is always there: an alert on an absent series never fires
    for queue in sorted({DEFAULT_QUEUE, *(name for name, _ in found)}):
        for lane in Lane:
            names = (queue, lane.name.lower())
            row = found.get((queue, lane.value))
            depth.add_metric(names, row["depth"] if row else 0)
            age.add_metric(names, _age(row["oldest"] if row else None, time))
            leased.add_metric(names, row["leased"] if row else 0)
    yield from (depth, age, leased, _parked())


def _parked() -> Metric:
    parked = GaugeMetricFamily(
        "cycloud_queue_parked",
        "Rows that wait until a person changes something (terminal outcomes).",
        labels=("controller",),
    )
    rows = DueRow.objects.filter(due__isnull=True).values("controller").annotate(rows=Count("id"))
    for row in rows.order_by("controller"):
        parked.add_metric((row["controller"],), row["rows"])
    return parked


def resource_metrics() -> Iterator[Metric]:
    """Per kind: how many are ready, how long the worst has not been, how long the slowest is being deleted.

    What is deleted counts as being deleted only: from its purge time on where it has one, since data that is kept
    until then is as it should be.
    """
    time = now()
    ready = GaugeMetricFamily(
        "cycloud_resources",
        "Resources that are not deleted, by the status of Ready (None: not looked at yet).",
        labels=("kind", "ready"),
    )
    reasons = GaugeMetricFamily(
        "cycloud_resources_not_ready",
        "Resources with Ready=False, by reason.",
        labels=("kind", "reason"),
    )
    unready = GaugeMetricFamily(
        "cycloud_resource_not_ready_seconds",
        "For how long the longest of them has been Ready=False.",
        labels=("kind", "reason"),
    )
    deleting = GaugeMetricFamily(
        "cycloud_resources_deleting", "Resources that are being removed.", labels=("kind",)
    )
    deletion = GaugeMetricFamily(
        "cycloud_resource_deleting_seconds",
        "For how long the longest of them has been being removed.",
        labels=("kind",),
    )
    for model in _kinds():
        kind = model.__name__
        _add_ready(model, time, ready, reasons, unready)
        found = _being_removed(model, time).aggregate(rows=Count("pk"), oldest=Min("since"))
        deleting.add_metric((kind,), found["rows"])
        deletion.add_metric((kind,), _age(found["oldest"], time))
    yield from (ready, reasons, unready, deleting, deletion)


def _kinds() -> list[type[Reconciled]]:
    found = [model for model in apps.get_models() if issubclass(model, Reconciled)]
    return sorted(found, key=lambda model: model.__name__)


def _add_ready(
    model: type[Reconciled],
    time: datetime,
    ready: GaugeMetricFamily,
    reasons: GaugeMetricFamily,
    unready: GaugeMetricFamily,
) -> None:
    groups = (
        model._default_manager.filter(delete_time__isnull=True)
        .annotate(status=ReadyText("status"), reason=ReadyText("reason"))
        .values("status", "reason")
        .annotate(rows=Count("pk"), oldest=Min(ReadyText("last_transition_time")))
        .order_by("status", "reason")
    )
    kind = model.__name__
    counts: dict[str, int] = {}
    for group in groups:
        status = group["status"] or "None"
        counts[status] = counts.get(status, 0) + group["rows"]
        if status == Status.FALSE:
            oldest = datetime.fromisoformat(group["oldest"]) if group["oldest"] else None
            reasons.add_metric((kind, group["reason"]), group["rows"])
            unready.add_metric((kind, group["reason"]), _age(oldest, time))
    for status in ("None", *Status):
        ready.add_metric((kind, status), counts.get(status, 0))


def _being_removed(model: type[Reconciled], time: datetime) -> QuerySet[Reconciled]:
    rows = model._default_manager.all()
    keeps_data = any(field.name == "purge_time" for field in model._meta.get_fields())
    since = Coalesce("purge_time", "delete_time") if keeps_data else F("delete_time")
    return rows.annotate(since=since).filter(since__lte=time)


def _age(since: datetime | None, time: datetime) -> float:
    return max(0.0, (time - since).total_seconds()) if since is not None else 0.0
