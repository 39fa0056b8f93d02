"""What a watch with a filter is told of a change: every combination of before and after."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest

from cycloud.core.changes.events import WatchEvent, bookmark, event_for
from cycloud.core.changes.models import Change

IN, OUT = {"state": "RUNNING"}, {"state": "STOPPED"}


def running(body: Mapping[str, Any]) -> bool:
    return bool(body["state"] == "RUNNING")


def change(kind: str, body: Mapping[str, Any]) -> Change:
    return Change(version=7, kind="Instance", uid=uuid4(), type=kind, body=body)


@pytest.mark.parametrize(
    ("kind", "before", "body", "told"),
    [
        ("ADDED", None, IN, "ADDED"),
        ("ADDED", None, OUT, None),
        ("MODIFIED", IN, IN, "MODIFIED"),
        ("MODIFIED", OUT, IN, "ADDED"),
        ("MODIFIED", IN, OUT, "DELETED"),
        ("MODIFIED", OUT, OUT, None),
        # what was before is no longer known: rather told twice than never
        ("MODIFIED", None, IN, "MODIFIED"),
        ("MODIFIED", None, OUT, "DELETED"),
        ("DELETED", IN, IN, "DELETED"),
        ("DELETED", OUT, OUT, None),
        # it stopped to pass in the transaction that removed it
        ("DELETED", IN, OUT, "DELETED"),
        ("DELETED", None, IN, "DELETED"),
        ("DELETED", None, OUT, None),
    ],
)
def test_a_filter_makes_of_a_change_what_the_watch_sees(
    kind: str, before: dict[str, Any] | None, body: dict[str, Any], told: str | None
) -> None:
    event = event_for(change(kind, body), before, running)
    assert (event.type.value if event else None) == told
    if event is not None:
        assert (event.version, event.resource) == (7, body)


@pytest.mark.parametrize("kind", ["ADDED", "MODIFIED", "DELETED"])
def test_without_a_filter_a_change_is_told_as_it_is(kind: str) -> None:
    event = event_for(change(kind, OUT), None, None)
    assert event is not None
    assert event.type.value == kind


def test_a_bookmark_has_a_version_and_no_resource() -> None:
    assert bookmark(9).as_json == {"type": "BOOKMARK", "resource": None, "resource_version": "9"}


def test_what_was_there_at_the_beginning_has_no_version() -> None:
    event = WatchEvent(bookmark(1).type, None)
    assert event.as_json["resource_version"] == ""
