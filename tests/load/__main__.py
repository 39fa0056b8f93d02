"""Run the benchmarks: all of them, or those that ``--only`` (or the variable ONLY) names."""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.e2e.harness import testbed
from tests.load import (
    allocations,
    faces,
    kubernetes,
    memory,
    moves,
    reconciles,
    sizes,
    watch,
    watch_rpc,
)
from tests.load.figures import note

# in the order in which they run; the idle ones first
BENCHMARKS: Mapping[str, Callable[[Path, int], None]] = {
    "allocations": allocations.run,
    "reconciles": reconciles.run,
    "watch": watch.run,
    "watch-grpc": watch_rpc.run,
    "faces": faces.run,
    "kubernetes": kubernetes.run,
    "memory": memory.run,
    "moves": moves.run,
    "sizes": sizes.run,
}
ON_REAL_CLOUDS = frozenset({"moves", "sizes"})


def main(arguments: list[str] | None = None) -> int:
    """Return 0 where every benchmark asked for was run, 1 where one could not be."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--only", default=os.environ.get("ONLY", ""), help=", ".join(BENCHMARKS))
    parser.add_argument("--repeat", type=int, default=5, help="samples on the real clouds")
    parser.add_argument("--folder", type=Path, help="where logs are kept (default: nowhere)")
    options = parser.parse_args(arguments)
    names = options.only.replace(",", " ").split() or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]}; choose of: {', '.join(BENCHMARKS)}")
    reason = testbed.missing() if ON_REAL_CLOUDS.intersection(names) else None
    if reason:
        note(f"left out, for the real clouds cannot be used: {reason}")
        names = [name for name in names if name not in ON_REAL_CLOUDS]
    load = os.getloadavg()[0]
    note(f"{os.cpu_count()} cores, load average of the last minute {load:.1f}")
    with tempfile.TemporaryDirectory(prefix="cycloud-bench-") as temporary:
        for name in names:
            folder = (options.folder or Path(temporary)) / name
            folder.mkdir(parents=True, exist_ok=True)
            BENCHMARKS[name](folder.resolve(), options.repeat)
    return 1 if reason else 0


if __name__ == "__main__":
    sys.exit(main())
