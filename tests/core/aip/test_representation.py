from datetime import UTC, datetime, timedelta, timezone

from cycloud.core.aip.representation import time_text


def test_times_are_utc_with_microseconds() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert time_text(datetime(2026, 1, 2, 9, tzinfo=tokyo)) == "2026-01-02T00:00:00.000000Z"
    assert time_text(datetime(2026, 1, 2, 3, 4, 5, 6, UTC)) == "2026-01-02T03:04:05.000006Z"
    assert time_text(None) is None
