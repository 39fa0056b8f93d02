"""The action "Reconcile now" of the pages of compute's resources."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest

from cycloud.core.admin.actions import perform
from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import Actor
from cycloud.core.reconcile.queue import enqueue

__all__ = ["ReconcileNow"]


class ReconcileNow:
    """For an admin of rows with a ``uid``; ``controller`` is the name of their reconciler."""

    controller: str

    @admin.action(description="Reconcile now")
    def reconcile_now(self, request: HttpRequest, queryset: Any) -> None:
        def call(actor: Actor, row: Any) -> None:
            with transaction.atomic():
                audit(actor, "ReconcileNow", f"{self.controller}/{row.uid}")
                enqueue(self.controller, row.uid)

        perform(self, request, queryset, call, "Asked for a reconcile")  # type: ignore[arg-type]
