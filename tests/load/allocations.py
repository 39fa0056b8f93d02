"""Addresses given out per second by 16 writers on one /16, from empty to full.

Each quarter of the fill has a sample that goes through the service, as a user's request does; the
rest of the quarter is put into the tables in bulk, so that the last sample ends with a full subnet.
``CYCLOUD_BENCH_SAMPLE=16384`` samples every quarter whole.
"""

import json
import os
from pathlib import Path

from tests.load.databases import POSTGRESQL, SQLITE, environment, run_module
from tests.load.figures import Row, note, show

SAMPLE = int(os.environ.get("CYCLOUD_BENCH_SAMPLE", "1024"))


def run(folder: Path, repeat: int) -> None:
    rows: list[Row] = []
    samples: dict[str, list[float]] = {}
    for kind in (POSTGRESQL, SQLITE):
        with environment(kind, folder) as env:
            for strategy in ("LOWEST", "SPREAD"):
                note(f"{kind}, {strategy}: {SAMPLE} addresses in each quarter")
                words = [strategy, str(SAMPLE)]
                printed = run_module("tests.load.allocation_writers", words, env)
                rates: list[float] = json.loads(printed)
                name = f"{kind}, {strategy}"
                samples[name] = rates
                rows.append(Row(f"{name}: first quarter", rates[0], "/s"))
                rows.append(Row(f"{name}: last quarter", rates[-1], "/s"))
                rows.append(Row(f"{name}: last : first", rates[-1] / rates[0], "", "1 (flat)"))
    show("allocations", rows, samples)
