from datetime import UTC, datetime, timedelta

import pytest

from cycloud.console.templatetags import console
from cycloud.core.clock import use_clock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (150, "2 minutes ago"),
        (3599, "59 minutes ago"),
        (3600, "1 hour ago"),
        (86400 * 3, "3 days ago"),
        (-30, "in less than a minute"),
        (-3600 * 5, "in 5 hours"),
        (-86400 * 7, "in 7 days"),
    ],
)
def test_ago_speaks_in_the_largest_unit(seconds: int, text: str) -> None:
    with use_clock(lambda: NOON):
        shown = console.ago(NOON - timedelta(seconds=seconds))

    assert f">{text}</time>" in shown
    assert "2026-0" in shown


def test_ago_of_nothing_is_empty() -> None:
    assert console.ago(None) == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "under a second"), (7, "7 s"), (119, "119 s"), (3700, "1 hour")]
)
def test_took(seconds: float, text: str) -> None:
    assert console.took(NOON, NOON + timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(604800, "7 days"), (3600, "1 hour"), (90, "90 seconds"), (1, "1 second"), (0, "no time")],
)
def test_duration(seconds: int, text: str) -> None:
    assert console.duration(seconds) == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("AttachVolume", "Attach volume"),
        ("attachVolume", "Attach volume"),
        ("RUNNING", "Running"),
        ("", ""),
    ],
)
def test_spaced(words: str, text: str) -> None:
    assert console.spaced(words) == text


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("ssh-ed25519 AAAAC3NzaC1lZDI1 ann@laptop", "ssh-ed25519 …1lZDI1 ann@laptop"),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1", "ssh-ed25519 …C1lZDI1"),
    ],
)
def test_short_key_keeps_type_end_and_comment(key: str, text: str) -> None:
    shown = console.short_key(key)

    assert shown.split()[0] == text.split()[0]
    assert shown.endswith(text.split()[-1][-6:])
    assert "AAAA" not in shown


@pytest.mark.parametrize(("mib", "text"), [(4096, "4 GiB"), (1536, "1536 MiB")])
def test_memory(mib: int, text: str) -> None:
    assert console.memory(mib) == text


def test_principal_of_a_user_is_the_name() -> None:
    assert console.principal("users/ann") == "ann"
    assert console.principal("system/instance") == "system/instance"
