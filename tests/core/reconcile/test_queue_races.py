"""Who asks for rows of the queue at once never deadlocks: on a SQLite file and on PostgreSQL."""

from pathlib import Path

import pytest

from tests.support.databases import run_on_postgresql, run_on_sqlite

SUITE = Path(__file__).with_name("queue_races.py")


def test_rows_asked_for_at_once_on_sqlite(tmp_path: Path) -> None:
    run_on_sqlite(SUITE, tmp_path, "1 passed")


@pytest.mark.postgres
def test_rows_asked_for_at_once_on_postgresql(tmp_path: Path) -> None:
    run_on_postgresql(SUITE, tmp_path, "1 passed")
