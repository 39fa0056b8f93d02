"""Sixteen writers on a SQLite file and on PostgreSQL: each in a process with its own database."""

from pathlib import Path

import pytest

from tests.support.databases import run_on_postgresql, run_on_sqlite

SUITE = Path(__file__).with_name("quota_writers.py")


def test_sixteen_writers_on_sqlite(tmp_path: Path) -> None:
    run_on_sqlite(SUITE, tmp_path, "10 passed, 1 skipped")


@pytest.mark.postgres
def test_sixteen_writers_on_postgresql(tmp_path: Path) -> None:
    run_on_postgresql(SUITE, tmp_path, "11 passed")
