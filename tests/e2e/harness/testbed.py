"""The test bed's command line (tests/e2e/testbed/osbed.py), as functions."""

import json
import os
import subprocess
import sys
from pathlib import Path

KIT = Path(__file__).resolve().parent.parent / "testbed"
ROOT = Path(os.environ.get("OSBED_ROOT", Path.home() / ".cache/cycloud-testbed"))
RUN = Path(os.environ.get("OSBED_RUN", ROOT / "run"))
CLOUDS_YAML = RUN / "clouds.yaml"
CLOUDS = ("a", "b")
COMMAND_SECONDS = 300


class TestbedError(Exception):
    """A command of the test bed failed; the text holds its output."""


def osbed(*args: object) -> str:
    """Run one command of the test bed and return what it printed.

    Raises TestbedError with the command's output where it fails.
    """
    # the services' own interpreter must not see this process's virtual environment
    python = getattr(sys, "_base_executable", sys.executable)
    words = [python, str(KIT / "osbed.py"), *(str(arg) for arg in args)]
    result = subprocess.run(
        words, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False
    )
    if result.returncode:
        raise TestbedError(
            f"osbed.py {' '.join(words[2:])} failed with {result.returncode}: "
            f"{result.stdout[-2000:]}{result.stderr[-2000:]}"
        )
    return result.stdout


def missing() -> str | None:
    """Return why the clouds cannot be used, or None where they run."""
    try:
        names = {item["name"] for item in json.loads((RUN / "clouds.json").read_text())}
    except FileNotFoundError:
        return "there are no test clouds yet; start them with: make testbed-up"
    if not names >= set(CLOUDS):
        return f"the test bed has only {sorted(names)}; start both clouds with: make testbed-up"
    try:
        osbed("status")
    except TestbedError as error:
        dead = [line.split()[0] for line in str(error).splitlines() if " dead " in line]
        return f"not running: {', '.join(dead) or 'everything'}; start it with: make testbed-up"
    return None


def service(verb: str, cloud: str, name: str) -> None:
    """Stop, start or restart one service, for instance ``service("stop", "b", "nova-api")``."""
    osbed(verb, cloud, name)


def sql(query: str) -> list[list[str]]:
    """Run a query in the clouds' database and return its rows as texts."""
    return [line.split("\t") for line in osbed("sql", query).splitlines()]
