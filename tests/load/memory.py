"""Resident memory of ``make up`` once it has served nobody for a minute."""

import re
import time
from pathlib import Path

from tests.embedded.portal import EmbeddedPortal
from tests.load.figures import Row, note, show

IDLE_SECONDS = 60


def run(folder: Path, repeat: int) -> None:
    with EmbeddedPortal(folder / "var") as portal:
        note(f"waiting {IDLE_SECONDS} s")
        time.sleep(IDLE_SECONDS)
        status = Path(f"/proc/{portal.pid}/status").read_text()
        children = Path(f"/proc/{portal.pid}/task/{portal.pid}/children").read_text().split()
    figures = {key: int(kib) / 1024 for key, kib in re.findall(r"(\w+):\s+(\d+) kB", status)}
    show(
        "memory",
        [
            Row("resident (VmRSS)", figures["VmRSS"], "MiB", "< 300"),
            Row("highest so far (VmHWM)", figures["VmHWM"], "MiB"),
            Row("other processes", len(children), "", "0"),
        ],
    )
