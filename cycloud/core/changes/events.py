"""From changes to what one watch is told of them. Pure.

A watch sees the resources that its filter lets through. What starts to pass is ADDED for it, what no longer passes is
DELETED, whatever the change itself was. Whether a resource passed before is told by its earlier body in the feed; where
that is no longer kept, a resource that passes is MODIFIED, and one that does not is DELETED. So an event may repeat
what the reader knows, but never leaves it with a wrong picture.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any
from uuid import UUID

from cycloud.core.changes.models import Change

__all__ = ["EventType", "Matches", "WatchEvent", "bookmark", "event_for"]

Matches = Callable[[Mapping[str, Any]], bool]


class EventType(StrEnum):
    """What a watch is told. BOOKMARK: nothing, but that everything up to its version was told."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"


@dataclass(frozen=True)
class WatchEvent:
    """One message of a watch. Shared by all watches that get it, so never to be changed.

    ``version`` is None for what was there when the watch began: one that breaks off before it has shown all of that
    cannot go on in the middle, and begins again.
    """

    type: EventType
    version: int | None
    kind: str = ""
    uid: UUID | None = None
    resource: Mapping[str, Any] | None = None

    @property
    def as_json(self) -> dict[str, Any]:
        """The event as all faces show it."""
        return {
            "type": self.type.value,
            "resource": self.resource,
            "resource_version": "" if self.version is None else str(self.version),
        }

    @cached_property
    def text(self) -> str:
        """The JSON as text, made once for all watches."""
        return json.dumps(self.as_json, separators=(",", ":"), ensure_ascii=False)


def bookmark(version: int) -> WatchEvent:
    return WatchEvent(EventType.BOOKMARK, version)


def event_for(
    change: Change, before: Mapping[str, Any] | None, matches: Matches | None
) -> WatchEvent | None:
    """Return what a watch with that filter is told of a change; None for nothing.

    ``before``: the body before the change, None where it is not known; it is looked at only where there is a filter.
    """
    kind = EventType(change.type)
    if matches is not None:
        told = _filtered(kind, change.body, before, matches)
        if told is None:
            return None
        kind = told
    return WatchEvent(kind, change.version, change.kind, change.uid, change.body)


def _filtered(
    kind: EventType, body: Mapping[str, Any], before: Mapping[str, Any] | None, matches: Matches
) -> EventType | None:
    if kind == EventType.ADDED:
        return kind if matches(body) else None
    if kind == EventType.DELETED:
        return kind if matches(before if before is not None else body) else None
    passes = matches(body)
    passed = before is None or matches(before)
    if passes:
        return EventType.MODIFIED if passed else EventType.ADDED
    return EventType.DELETED if passed else None
