"""The reconcile queue: what is due, what failed last, and asking for it again."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.timesince import timesince, timeuntil

from cycloud.core.admin.actions import go_to, perform
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.typed import column, confirmed_action
from cycloud.core.clock import now
from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import Actor
from cycloud.core.reconcile.models import DueRow
from cycloud.core.reconcile.queue import enqueue

__all__ = ["DueRowAdmin"]

_LABELS = {"Done": "success", "Wait": "info", "Transient": "warning", "Terminal": "danger"}


def _reconcile(actor: Actor, row: DueRow) -> None:
    with transaction.atomic():
        audit(actor, "ReconcileNow", f"{row.controller}/{row.key}")
        enqueue(row.controller, row.key, queue=row.queue, project=row.project)


@admin.register(DueRow)
class DueRowAdmin(ReadOnlyModelAdmin):
    list_display = (
        "controller",
        "key",
        "project",
        "when",
        "outcome",
        "last_message",
        "attempts",
        "lane",
        "queue",
    )
    list_filter = ("controller", "queue", "lane", "last_outcome")
    search_fields = ("key", "project", "controller", "last_message")
    ordering = ("due",)
    actions = ("reconcile_now",)
    actions_detail = ("reconcile_this",)

    @column("Due", ordering="due")
    def when(self, obj: DueRow) -> str:
        time = now()
        if obj.lease_expires is not None and obj.lease_expires > time:
            return "at work"
        if obj.due is None:
            return "when asked"
        if obj.due <= time:
            return f"since {timesince(obj.due, time, depth=1)}"
        return f"in {timeuntil(obj.due, time, depth=1)}"

    @column("Last outcome", label=_LABELS, ordering="last_outcome")
    def outcome(self, obj: DueRow) -> str:
        return obj.last_outcome or "None yet"

    @admin.action(description="Reconcile now")
    def reconcile_now(self, request: HttpRequest, queryset: Any) -> None:
        perform(self, request, queryset, _reconcile, "Asked for a reconcile")

    @confirmed_action(
        "Reconcile now",
        "sync",
        question="Reconcile it now?",
        explanation="The controller looks at it afresh; what is as wanted stays as it is.",
    )
    def reconcile_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        perform(
            self, request, DueRow.objects.filter(pk=object_id), _reconcile, "Asked for a reconcile"
        )
        return go_to(self.change_url(object_id))
