"""1,000 watches on one web process: its memory, and how long a change takes to reach all of them.

Two ways of a change: through the watched process itself, which knows of it at once, and through another process,
whose changes are found by polling (CYCLOUD_WATCH_POLL_SECONDS).
"""

import asyncio
import json
import os
import re
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.harness.portal import REPOSITORY
from tests.load.databases import POSTGRESQL, SQLITE, environment, run_module
from tests.load.figures import Row, note, show
from tests.load.watch_clients import Fleet, percentile

WATCHES = int(os.environ.get("WATCHES", "1000"))
CHANGES = int(os.environ.get("CHANGES", "20"))
START_SECONDS = 60.0


def run(folder: Path, repeat: int) -> None:
    # each watch is a connection, on both sides
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 8 * WATCHES)), hard))
    for kind in (SQLITE, POSTGRESQL):
        with environment(kind, folder) as env:
            cost = json.loads(run_module("tests.load.record_loop", [], env))
            show(
                f"recording a change, {kind}",
                [
                    Row("one change of an instance, unrecorded", cost["without"], "ms"),
                    Row("the same, recorded with its body", cost["with"], "ms"),
                    Row("of that, CPU time of this process", cost["cpu"], "ms"),
                    Row("a transaction that changes nothing", cost["nothing"], "ms"),
                ],
            )
            token = run_module("tests.load.watch_seed", [], env)
            with web_process(env) as (near, pid), web_process(env) as (far, _):
                note(f"{kind}: opening {WATCHES} watches")
                asyncio.run(_measure(kind, token, near, far, pid))


async def _measure(kind: str, token: str, near: int, far: int, pid: int) -> None:
    fleet, elsewhere = Fleet(near, token), Fleet(far, token)
    for way in (fleet, elsewhere):
        await way.request("GET", "vpcs")
    before = _resident(pid)
    begun = time.monotonic()
    await fleet.open(WATCHES)
    # until each has read the table up to its end, and gets what the hub hands over
    await fleet.request("PATCH", "vpcs/watched", {"display_name": "all there"})
    await fleet.wait_for(WATCHES)
    opened = time.monotonic() - begun
    rows = [Row("opening them", opened, "s")]
    samples: dict[str, list[float]] = {}
    for name, way in (("in the process", fleet), ("in another process", elsewhere)):
        fleet.delays.clear()
        for number in range(CHANGES):
            status = await way.request(
                "PATCH", "vpcs/watched", {"display_name": f"{name} {number}"}
            )
            assert status == 200, status
            await fleet.wait_for((number + 1) * WATCHES)
        delays = [delay * 1000 for delay in fleet.delays]
        assert len(delays) == CHANGES * WATCHES, "an event came twice"
        rows += [
            Row(f"change {name}, p50", percentile(delays, 0.5), "ms"),
            Row(f"change {name}, p95", percentile(delays, 0.95), "ms"),
            Row(f"change {name}, last", max(delays), "ms"),
        ]
        samples[name] = [percentile(delays, part / 20) for part in range(1, 20)]
    after = _resident(pid)
    rows += [
        Row("memory without watches", before, "MiB"),
        Row(f"memory with {WATCHES} watches", after, "MiB"),
        Row("per watch", (after - before) / WATCHES * 1024, "KiB"),
        Row("threads", len(os.listdir(f"/proc/{pid}/task")), ""),
    ]
    assert fleet.ended == 0, f"{fleet.ended} watches were ended"
    await fleet.close()
    show(f"watch, {kind}", rows, samples)


@contextmanager
def web_process(env: dict[str, str]) -> Iterator[tuple[int, int]]:
    """Serve the portal's web part in a process of its own; give its port and its id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "uvicorn", "cycloud.asgi:application", "--port", str(port)]
    command += ["--log-level", "warning", "--timeout-graceful-shutdown", "30"]
    with subprocess.Popen(command, cwd=REPOSITORY, env=env) as process:
        try:
            _wait_for(port, process)
            yield port, process.pid
        finally:
            process.terminate()


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("the web process does not serve")


def _resident(pid: int) -> float:
    """Return the resident memory in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024
