"""How the admin writes lengths of time, long ids and times."""

import pytest
from django.utils import formats
from django.utils.dateparse import parse_datetime

from cycloud.core.admin.columns import short_id, short_reference, show_seconds

UUID = "a2fa8c72-5505-4a70-bbb6-bd1ad30a6798"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (604800, "7 days"),
        (86400, "1 day"),
        (5400, "90 minutes"),
        (3600, "1 hour"),
        (61, "61 seconds"),
        (0, "0 seconds"),
    ],
)
def test_a_length_of_time_is_in_its_largest_whole_unit(seconds: int, text: str) -> None:
    assert show_seconds(seconds) == text


def test_a_long_id_is_cut_and_whole_in_the_title() -> None:
    assert short_id(UUID) == f'<span title="{UUID}">a2fa8c72…</span>'
    name = f"volume-{UUID}"
    assert short_reference(name) == f'<span title="{name}">volume-a2fa8c72…</span>'


def test_short_and_missing_ids_stay_as_they_are_and_markup_is_escaped() -> None:
    assert (short_id("flavor-1"), short_reference("volume-1")) == ("flavor-1", "volume-1")
    assert (short_id(""), short_reference("")) == (None, None)
    assert "<b>" not in f"{short_id('<b>x')}{short_id('<b>' * 9)}{short_reference('<b>x')}"


def test_times_are_written_to_the_second() -> None:
    """An audit log to the minute is of no use."""
    time = parse_datetime("2026-01-31T08:09:10Z")
    assert formats.localize(time) == "2026-01-31 08:09:10"
