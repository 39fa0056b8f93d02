"""No change comes late, is lost or told twice: on a SQLite file and on PostgreSQL."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.harness.services import postgres_server

SUITE = Path(__file__).with_name("change_races.py")
ROOT = Path(__file__).parents[3]


def run_suite(database: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pytest", str(SUITE), "-q", "-p", "no:cacheprovider"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CYCLOUD_TEST_")}
    result = subprocess.run(
        command,
        cwd=ROOT,
        env=environment | database,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    assert "4 passed" in result.stdout


def test_overlapping_transactions_on_sqlite(tmp_path: Path) -> None:
    run_suite({"CYCLOUD_TEST_SQLITE": str(tmp_path / "test.sqlite3")})


@pytest.mark.postgres
def test_overlapping_transactions_on_postgresql(tmp_path: Path) -> None:
    # raises PostgresUnavailable with the line to install it, where the package is missing
    with postgres_server(tmp_path) as url:
        run_suite({"CYCLOUD_TEST_DATABASE_URL": url})
