"""How values look on the console's pages."""

import re
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from cycloud.core.clock import now
from cycloud.core.conditions import UP_TO_DATE, Condition, Status, find_condition
from cycloud.core.quotas.quota import UNLIMITED, Quota
from cycloud.core.resources.models import ProjectResource
from cycloud.core.resources.tones import Tone, tone_of

register = template.Library()

_SIZES = ("MiB", "GiB", "TiB", "PiB")
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"))


@register.simple_tag
def state_badge(resource: ProjectResource) -> SafeString:
    """Show an instance's state, or what Ready says of another resource, in its colour."""
    tone = tone_of(resource.ready, resource.generation)
    if resource.delete_time is not None:
        purged = resource.purge_time is not None and tone is Tone.OK
        label, tone = ("Deleted", Tone.IDLE) if purged else ("Deleting", tone)
    else:
        label = _label(resource, tone)
    return format_html('<span class="badge {}">{}</span>', tone.value, label)


@register.simple_tag
def manager_badge(resource: ProjectResource) -> SafeString:
    """Tell that a resource is declared in Kubernetes, and in which object; nothing of what is the API's."""
    if not resource.managed_by:
        return SafeString("")
    return format_html(
        '<span class="badge plain" title="{}">Managed by Kubernetes</span>', _lock_reason(resource)
    )


@register.simple_tag
def locked_button(label: str, resource: ProjectResource, size: str = "") -> SafeString:
    """Show a button that cannot be pressed, with the reason: the service would refuse it."""
    return format_html(
        '<button class="button {}" type="button" disabled title="{}">{}'
        '<span class="visually-hidden"> {}</span></button>',
        size,
        _lock_reason(resource),
        label,
        resource.resource_id,
    )


@register.simple_tag
def ready_reason(resource: ProjectResource) -> str:
    """Return the Ready reason where it says more than the badge does, else nothing."""
    ready = resource.ready
    if ready is None or (ready.status is Status.TRUE and not resource.reconciling):
        return ""
    return ready.reason


@register.simple_tag
def restart_required(resource: ProjectResource) -> Condition | None:
    """Return the UpToDate condition if a declared change waits for the next start."""
    condition = find_condition(resource.condition_list(), UP_TO_DATE)
    return condition if condition is not None and condition.status is Status.FALSE else None


@register.simple_tag
def condition_badge(condition: Condition, resource: ProjectResource) -> SafeString:
    """Show one condition's status in its colour."""
    tone = tone_of(condition, resource.generation)
    if condition.type == UP_TO_DATE and condition.status is Status.FALSE:
        # it waits for a person, nothing is under way
        tone = Tone.WARN
    return format_html('<span class="badge {}">{}</span>', tone.value, condition.status.value)


@register.filter
def spaced(words: Any) -> str:
    """Turn "AttachVolume" or "attachVolume" into "Attach volume"."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(words))
    return text[:1].upper() + text[1:].lower()


@register.filter
def ago(time: datetime | None) -> SafeString | str:
    """Show how long ago (or how far ahead) a time is; the exact time is in the tooltip."""
    if time is None:
        return ""
    seconds = (now() - time) / timedelta(seconds=1)
    text = "in " + _span(-seconds) if seconds < -1 else _past(seconds)
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        time.isoformat(),
        time.strftime("%Y-%m-%d %H:%M:%S"),
        text,
    )


@register.filter
def took(start: datetime, end: datetime) -> str:
    """Show how long something took: seconds up to two minutes, then the largest unit."""
    seconds = max(0.0, (end - start) / timedelta(seconds=1))
    if seconds < 1:
        return "under a second"
    return f"{seconds:.0f} s" if seconds < 120 else _span(seconds)


@register.filter
def duration(seconds: int) -> str:
    """Show a number of seconds in its largest whole unit."""
    for size, word in (*_UNITS, (1, "second")):
        if seconds >= size and seconds % size == 0:
            count = seconds // size
            return f"{count} {word}{'' if count == 1 else 's'}"
    return "no time"


@register.filter
def principal(name: str) -> str:
    """Show "users/ann" as "ann", and leave other principals as they are."""
    return name.removeprefix("users/")


@register.filter
def short_key(key: str) -> str:
    """Show an SSH public key by its type, the end of its data and its comment."""
    kind, _, rest = key.partition(" ")
    data, _, comment = rest.partition(" ")
    return f"{kind} …{data[-8:]} {comment}".strip()


@register.filter
def quota_usage(quota: Quota) -> str:
    """Show "3 of 10 vCPUs", "8 GiB of 2 TiB of memory", or "3 vCPUs" where there is no limit."""
    unit = quota.resource.unit
    usage = _quantity(quota.usage, unit)
    what = quota.resource.label if unit == "1" else f"of {quota.resource.label}"
    if quota.limit == UNLIMITED:
        return f"{usage} {what}"
    return f"{usage} of {_quantity(quota.limit, unit)} {what}"


@register.filter
def memory(mib: int) -> str:
    """Show MiB as GiB where that is whole."""
    return f"{mib // 1024} GiB" if mib % 1024 == 0 else f"{mib} MiB"


def _quantity(number: int, unit: str) -> str:
    """Show a number, or a size in the largest unit in which it is whole."""
    if unit not in _SIZES:
        return f"{number:,}"
    sizes = _SIZES[_SIZES.index(unit) :]
    while number and number % 1024 == 0 and len(sizes) > 1:
        number, sizes = number // 1024, sizes[1:]
    return f"{number:,} {sizes[0]}"


def _label(resource: ProjectResource, tone: Tone) -> str:
    state = getattr(resource, "state", None)
    if state:
        return spaced(str(state).lower())
    return {Tone.OK: "Ready", Tone.BUSY: "Preparing", Tone.IDLE: "Ready"}.get(tone, "Not ready")


def _lock_reason(resource: ProjectResource) -> str:
    return f"Declared in the Kubernetes object {resource.managed_by}: change it there."


def _past(seconds: float) -> str:
    return "just now" if seconds < 60 else _span(seconds) + " ago"


def _span(seconds: float) -> str:
    for size, word in _UNITS:
        count = round(seconds / size) if seconds < 2 * size else int(seconds // size)
        if seconds >= size:
            return f"{count} {word}{'' if count == 1 else 's'}"
    return "less than a minute"
