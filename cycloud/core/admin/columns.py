"""Columns that many lists of the admin have: Ready, its reason, and the age."""

from typing import Any

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from cycloud.core.admin.typed import column
from cycloud.core.clock import now
from cycloud.core.resources.models import Reconciled
from cycloud.core.resources.tones import Tone, tone_of

__all__ = ["LABELS", "ReconciledColumns", "short_id", "short_reference", "show_seconds"]

# unfold's names of the colours
LABELS = {
    Tone.OK.value: "success",
    Tone.BUSY.value: "info",
    Tone.WARN.value: "warning",
    Tone.BAD.value: "danger",
    Tone.IDLE.value: "",
}


def show_seconds(seconds: int) -> str:
    """Return a length of time in its largest whole unit: 7 days, 90 minutes."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds and seconds % length == 0:
            number = seconds // length
            return f"{number} {unit}{'' if number == 1 else 's'}"
    return f"{seconds} seconds"


def short_id(value: str) -> SafeString | None:
    """Return the beginning of a long id with all of it in the title: a list has no room for four UUIDs."""
    if len(value) <= 12:
        return SafeString(escape(value)) if value else None
    return format_html('<span title="{}">{}…</span>', value, value[:8])


def short_reference(value: str) -> SafeString | None:
    """Return a name such as ``volume-<uuid>`` with the beginning of its UUID only, and all of it in the title."""
    if len(value) <= 16:
        return SafeString(escape(value)) if value else None
    return format_html('<span title="{}">{}…</span>', value, value[:15])


class ReconciledColumns:
    """For the admin of a model that has conditions."""

    @column("Ready", label=LABELS)
    def ready_badge(self, obj: Reconciled) -> tuple[str, str]:
        ready = obj.ready
        tone = tone_of(ready, obj.generation)
        if ready is None:
            return tone.value, "Not observed yet"
        text = (
            ready.reason if ready.observed_generation >= obj.generation else f"{ready.reason} (old)"
        )
        return tone.value, text

    @column("UID", ordering="uid")
    def identity(self, obj: Reconciled) -> str:
        return str(obj.uid)

    @column("Finalizers", empty_value="None")
    def finalizer_names(self, obj: Reconciled) -> str | None:
        return ", ".join(obj.finalizers) or None

    @column("Age", ordering="create_time")
    def age(self, obj: Any) -> str:
        return timesince(obj.create_time, now(), depth=1)

    @column("Conditions")
    def condition_lines(self, obj: Reconciled) -> SafeString:
        """All conditions, one a line, for the page of one object."""
        rows = (
            (c.type, c.status.value, c.reason, c.message or "no message", c.observed_generation)
            for c in obj.condition_list()
        )
        return format_html_join(
            "", '<p class="mb-1"><b>{}={}</b> {}: {} (generation {})</p>', rows
        ) or SafeString("None yet")
