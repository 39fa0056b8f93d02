"""No change comes late, is lost or told twice: on a SQLite file and on PostgreSQL."""

from pathlib import Path

import pytest

from tests.support.databases import run_on_postgresql, run_on_sqlite

SUITE = Path(__file__).with_name("change_races.py")


def test_overlapping_transactions_on_sqlite(tmp_path: Path) -> None:
    run_on_sqlite(SUITE, tmp_path, "4 passed")


@pytest.mark.postgres
def test_overlapping_transactions_on_postgresql(tmp_path: Path) -> None:
    run_on_postgresql(SUITE, tmp_path, "4 passed")
