"""Starts the portal that the suites of the schema and the fuzz tests ask."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.schema.world import Seeded

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 90.0


@dataclass(frozen=True)
class Portal:
    """A running portal; ``log`` is what it wrote, where a server error leaves its traceback."""

    port: int
    pid: int
    seeded: Seeded
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def tails(self) -> str:
        """Return the end of the log, for who reads a failure."""
        return self.log.read_text()[-4000:]

    def resident_kib(self) -> int:
        """Return the memory that it holds now."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


@contextmanager
def running_portal(data: Path) -> Iterator[Portal]:
    """Serve until the block ends; ``data`` is an empty folder for the database."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    log = data / "portal.log"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.schema.settings",
        "CYCLOUD_DATA_DIR": str(data),
    }
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.schema.server", str(port)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    killer = threading.Timer(START_SECONDS, process.kill)
    killer.start()
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        killer.cancel()
        if not ready.startswith("{"):
            raise AssertionError(
                f"The portal ended before it was ready:\n{log.read_text()[-4000:]}"
            )
        yield Portal(port, process.pid, Seeded(**json.loads(ready)), log)
    finally:
        killer.cancel()
        process.terminate()
        process.wait(timeout=20)
