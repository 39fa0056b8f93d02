"""Sixteen writers on a SQLite file and on PostgreSQL: each in a process with its own database."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.harness.services import postgres_server

SUITE = Path(__file__).with_name("quota_writers.py")
ROOT = Path(__file__).parents[3]


def run_suite(database: dict[str, str]) -> str:
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
    return result.stdout


def test_sixteen_writers_on_sqlite(tmp_path: Path) -> None:
    output = run_suite({"CYCLOUD_TEST_SQLITE": str(tmp_path / "test.sqlite3")})
    assert "10 passed, 1 skipped" in output


@pytest.mark.postgres
def test_sixteen_writers_on_postgresql(tmp_path: Path) -> None:
    # raises PostgresUnavailable with the line to install it, where the package is missing
    with postgres_server(tmp_path) as url:
        assert "11 passed" in run_suite({"CYCLOUD_TEST_DATABASE_URL": url})
