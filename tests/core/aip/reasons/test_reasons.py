"""The table of reasons against the code that gives them, the texts, and docs/errors.md."""

import re
import string
from collections.abc import Callable, Iterator, Mapping

import pytest

from cycloud.core.aip.reasons import (
    CONDITION_REASONS,
    ERROR_REASONS,
    FIELD_REASONS,
    ConditionReason,
    ErrorReason,
    FieldReason,
    error_word,
    japanese_of,
)
from cycloud.core.aip.reasons.page import errors_page
from tests.support.reasons import ROOT, Use, condition_reasons, error_reasons, field_reasons

Finder = Callable[[], Iterator[Use]]
TABLES: list[tuple[Finder, Mapping[str, object]]] = [
    (error_reasons, ERROR_REASONS),
    (field_reasons, FIELD_REASONS),
    (condition_reasons, CONDITION_REASONS),
]
IDS = ["errors", "fields", "conditions"]
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


@pytest.mark.parametrize(("find", "table"), TABLES, ids=IDS)
def test_every_reason_in_the_code_is_in_the_table(
    find: Finder, table: Mapping[str, object]
) -> None:
    missing = [f"{use.reason} ({use.place})" for use in find() if use.reason not in table]
    assert not missing, "enter them in cycloud/core/aip/reasons: " + ", ".join(missing)


@pytest.mark.parametrize(("find", "table"), TABLES, ids=IDS)
def test_the_table_has_no_reason_that_nobody_gives(
    find: Finder, table: Mapping[str, object]
) -> None:
    assert set(table) - {use.reason for use in find()} == set()


def test_the_search_finds_what_it_should() -> None:
    """Guards the tests above: a search that finds nothing would let everything pass."""
    errors = {use.reason for use in error_reasons()}
    assert {"MOVE_BLOCKED", "ETAG_MISMATCH", "BODY_TOO_LARGE", "SUPERSEDED", "NOT_FOUND"} <= errors
    assert {"STORAGE_DIFFERS", "INVALID", "IMMUTABLE"} <= {use.reason for use in field_reasons()}
    conditions = {use.reason for use in condition_reasons()}
    assert {"VolumeAttachmentsAreNotReady", "Mapped", "Deleting", "Updated"} <= conditions


def test_a_reason_is_raised_with_the_codes_of_the_table() -> None:
    wrong = [
        f"{use.reason} as {use.code.name} at {use.place}"
        for use in error_reasons()
        if use.code is not None
        and use.reason in ERROR_REASONS
        and use.code not in ERROR_REASONS[use.reason].codes
    ]
    assert not wrong


def test_every_reason_has_a_japanese_text() -> None:
    entries: list[ErrorReason | FieldReason | ConditionReason]
    entries = [*ERROR_REASONS.values(), *FIELD_REASONS.values(), *CONDITION_REASONS.values()]
    assert [e.reason for e in entries if not JAPANESE.search(e.japanese)] == []
    assert [e.reason for e in entries if not e.when.endswith(".")] == []


def test_the_placeholders_of_a_text_are_in_the_metadata_of_every_error() -> None:
    missing = []
    for use in error_reasons():
        text = ERROR_REASONS[use.reason].japanese if use.reason in ERROR_REASONS else ""
        wanted = {key for _, key, _, _ in string.Formatter().parse(text) if key}
        # an operation's error always has its target
        given = use.keys if use.code is not None else {"resource"}
        if wanted - given:
            missing.append(f"{use.reason} at {use.place}: {sorted(wanted - given)}")
    assert not missing, missing


def test_reasons_are_spelled_as_aip_193_and_kubernetes_say() -> None:
    for word in [*ERROR_REASONS, *FIELD_REASONS, *(error_word(r) for r in CONDITION_REASONS)]:
        assert re.fullmatch(r"[A-Z][A-Z0-9_]+[A-Z0-9]", word), word
    for word in CONDITION_REASONS:
        assert re.fullmatch(r"([A-Z][a-z]+)+", word), word


@pytest.mark.parametrize(
    ("reason", "word"),
    [("MoveBlocked", "MOVE_BLOCKED"), ("MOVE_BLOCKED", "MOVE_BLOCKED"), ("Stopped", "STOPPED")],
)
def test_a_conditions_reason_becomes_an_error_word(reason: str, word: str) -> None:
    assert error_word(reason) == word


def test_a_conditions_own_text_wins_where_the_error_comes_from_one() -> None:
    own = CONDITION_REASONS["MoveBlocked"].japanese
    assert japanese_of("MOVE_BLOCKED", "MoveBlocked") == own
    assert japanese_of("MOVE_BLOCKED") == ERROR_REASONS["MOVE_BLOCKED"].japanese
    assert (
        japanese_of("INSUFFICIENT_CAPACITY") == CONDITION_REASONS["InsufficientCapacity"].japanese
    )
    assert japanese_of("NO_SUCH_REASON") == ""


def test_the_page_is_up_to_date() -> None:
    page = (ROOT / "docs" / "errors.md").read_text()
    assert page == errors_page(), "run: manage.py error_reasons > docs/errors.md"
