"""5,000 objects on a real API server: tests/e2e/kubernetes/test_scale.py with that many, and its figures."""

import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.kubernetes.harness.server import missing
from tests.load.figures import Row, note, show

OBJECTS = 5000
SUITE = Path(__file__).parents[1] / "e2e/kubernetes/test_scale.py"
LIMIT_SECONDS = 3600


def run(folder: Path, repeat: int) -> None:
    """Run it once; ``repeat`` does not matter. Raises RuntimeError where a goal is missed."""
    reason = missing()
    if reason:
        note(f"left out: {reason}")
        return
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(SUITE), "-q", "-s", "-p", "no:cacheprovider"],
        env={**os.environ, "CYCLOUD_KUBERNETES_OBJECTS": str(OBJECTS)},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    (folder / "pytest.log").write_text(done.stdout + done.stderr)
    lines = [line.split("|") for line in done.stdout.splitlines() if line.startswith("figure|")]
    show(
        "kubernetes", [Row(what, float(value), unit, goal) for _, what, value, unit, goal in lines]
    )
    if done.returncode:
        raise RuntimeError(done.stdout[-3000:])
