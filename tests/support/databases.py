"""Suites that need a database which threads can share: each runs in a process with its own one."""

import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.harness.services import postgres_server

__all__ = ["run_on_postgresql", "run_on_sqlite"]

ROOT = Path(__file__).parents[2]


def run_on_sqlite(suite: Path, folder: Path, outcome: str) -> None:
    """Run the suite on a SQLite file in ``folder``; it must pass, and its summary have the words ``outcome``."""
    _run(suite, {"CYCLOUD_TEST_SQLITE": str(folder / "test.sqlite3")}, outcome)


def run_on_postgresql(suite: Path, folder: Path, outcome: str) -> None:
    """The same on a PostgreSQL server of its own.

    Raises PostgresUnavailable with the line to install it, where the package is missing.
    """
    with postgres_server(folder) as url:
        _run(suite, {"CYCLOUD_TEST_DATABASE_URL": url}, outcome)


def _run(suite: Path, database: dict[str, str], outcome: str) -> None:
    command = [sys.executable, "-m", "pytest", str(suite), "-q", "-p", "no:cacheprovider"]
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
    assert outcome in result.stdout
