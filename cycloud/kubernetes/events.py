"""Events (events.k8s.io/v1): what ``kubectl describe`` tells of the past of an object.

The name of an Event follows from what it says, so the same thing said again, be it after a crash, is the same Event
with a higher count (a series).
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from cycloud.core.clock import now
from cycloud.core.conditions import READY
from cycloud.core.resources.tones import FAILURES
from cycloud.kubernetes.client import KubernetesClient
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.objects import ACCEPTED, uid_of
from cycloud.kubernetes.places import Place

__all__ = ["News", "changes", "tell"]

_CONTROLLER = "cycloud.jp/controller"
_LONGEST_NOTE = 1024
_LONGEST_PREFIX = 200


@dataclass(frozen=True)
class News:
    """``reason``: a CamelCase word; ``note``: a sentence; ``since``: when it began to be so, for the name."""

    reason: str
    note: str
    is_warning: bool
    since: str = ""


def changes(observed: Json, wanted: Json, *, shows_messages: bool) -> Iterator[News]:
    """Tell what is new in a status: another reason of Ready, and each refusal.

    The first sight of something that is well is no news, or a first sync would write an Event for every resource.
    """
    conditions = (observed.get("status") or {}).get("conditions") or ()
    before = {item["type"]: item for item in conditions}
    for condition in wanted["conditions"]:
        words = ("reason", "message") if condition["type"] == ACCEPTED.type else ("reason",)
        was = before.get(condition["type"])
        is_true = condition["status"] == "True"
        if condition["type"] not in (READY, ACCEPTED.type) or (was is None and is_true):
            continue
        if was is None or any(was.get(word) != condition[word] for word in words):
            reason = condition["reason"]
            note = condition["message"] if shows_messages else ""
            is_warning = not is_true and (reason in FAILURES or condition["type"] == ACCEPTED.type)
            since = condition["lastTransitionTime"]
            yield News(reason, note or reason, is_warning, since)


def tell(client: KubernetesClient, place: Place, observed: Json, news: News) -> None:
    """Write an Event about an object, or count it up. A namespace that is going takes no Events: nothing is done."""
    path = f"/apis/events.k8s.io/v1/namespaces/{place.event_namespace}/events"
    name = _name(place, observed, news)
    try:
        client.create(path, _event(place, observed, news, name))
    except KubernetesFault as fault:
        if fault.kind is FaultKind.CONFLICT:
            _count_up(client, f"{path}/{name}")
        elif fault.kind not in (FaultKind.TERMINATING, FaultKind.NOT_FOUND):
            raise


def _name(place: Place, observed: Json, news: News) -> str:
    text = "\n".join((uid_of(observed), news.reason, news.note, news.since))
    return f"{place.name[:_LONGEST_PREFIX]}.{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _event(place: Place, observed: Json, news: News, name: str) -> Json:
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": place.event_namespace},
        "eventTime": _micro_time(now()),
        "reportingController": _CONTROLLER,
        "reportingInstance": "cycloud",
        "action": "Reconcile",
        "reason": news.reason,
        "note": news.note[:_LONGEST_NOTE],
        "type": "Warning" if news.is_warning else "Normal",
        "regarding": {
            "apiVersion": observed["apiVersion"],
            "kind": observed["kind"],
            "name": place.name,
            "namespace": place.namespace,
            "uid": uid_of(observed),
        },
    }


def _count_up(client: KubernetesClient, path: str) -> None:
    event = client.raw("GET", path)
    count = int((event.get("series") or {}).get("count", 1)) + 1
    series = {"count": count, "lastObservedTime": _micro_time(now())}
    client.raw("PUT", path, {**event, "series": series})


def _micro_time(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
