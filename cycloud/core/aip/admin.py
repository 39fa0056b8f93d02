"""Operations, to be read."""

from typing import Any

from django.contrib import admin
from django.utils.timesince import timesince

from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.typed import column
from cycloud.core.aip.models import Operation
from cycloud.core.clock import now

__all__ = ["OperationAdmin"]

_LABELS = {"Done": "success", "In progress": "info", "Failed": "danger"}


@admin.register(Operation)
class OperationAdmin(ReadOnlyModelAdmin):
    list_display = ("verb", "target_name", "outcome", "reason", "age", "took")
    list_filter = ("done", "verb", "target_kind", "project")
    list_select_related = ("project",)
    search_fields = ("target_name", "uid", "target_uid")
    ordering = ("-create_time",)

    @column("Outcome", label=_LABELS)
    def outcome(self, obj: Operation) -> str:
        if not obj.done:
            return "In progress"
        return "Failed" if obj.error else "Done"

    @column("What it waits for, or why it failed")
    def reason(self, obj: Operation) -> str:
        error: dict[str, Any] | None = obj.error
        return str(error.get("message", "")) if error else obj.progress_message

    @column("Age", ordering="create_time")
    def age(self, obj: Operation) -> str:
        return timesince(obj.create_time, now(), depth=1)

    @column("Took")
    def took(self, obj: Operation) -> str:
        if obj.end_time is None:
            return ""
        return f"{(obj.end_time - obj.create_time).total_seconds():.1f} s"
