"""Columns that many lists of the admin have: Ready, its reason, and the age."""

from typing import Any

from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from cycloud.core.admin.typed import column
from cycloud.core.clock import now
from cycloud.core.resources.models import Reconciled
from cycloud.core.resources.tones import Tone, tone_of

__all__ = ["LABELS", "ReconciledColumns"]

# unfold's names of the colours
LABELS = {
    Tone.OK.value: "success",
    Tone.BUSY.value: "info",
    Tone.WARN.value: "warning",
    Tone.BAD.value: "danger",
    Tone.IDLE.value: "",
}


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
