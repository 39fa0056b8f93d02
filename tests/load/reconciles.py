"""Passes over what is already as wanted: how many per second of one core, against the calls themselves.

The simulator runs in another process and on the other core. One thread works off the rows of
instances, volumes and network interfaces that are all settled; then the same GETs are made with a bare
openstacksdk session.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cycloud.simulator.site import Site
from tests.e2e.harness.portal import REPOSITORY
from tests.load.databases import POSTGRESQL, SQLITE, environment, run_module
from tests.load.figures import Row, note, show

INSTANCES = int(os.environ.get("CYCLOUD_BENCH_INSTANCES", "60"))


def run(folder: Path, repeat: int) -> None:
    rows: list[Row] = []
    for kind in (POSTGRESQL, SQLITE):
        with (
            environment(kind, folder) as env,
            simulator(folder / f"{kind}.state") as auth_url,
        ):
            note(f"{kind}: {INSTANCES} instances")
            limits = {"CYCLOUD_CLUSTER_CALLS_PER_SECOND": "1000000"}
            words = [str(folder / f"{kind}.state"), auth_url, str(INSTANCES)]
            printed = run_module("tests.load.reconcile_loop", words, {**env, **limits})
            found: dict[str, float] = json.loads(printed)
        rows += [
            Row(f"{kind}: passes per second of the core", found["per_cpu_second"], "/s"),
            Row(f"{kind}: passes per second, one thread", found["per_second"], "/s"),
            Row(f"{kind}: GETs per pass", found["calls_per_pass"], ""),
            Row(f"{kind}: CPU time, passes : bare GETs", found["cpu_ratio"], ""),
            Row(f"{kind}: time, passes : bare GETs", found["wall_ratio"], ""),
        ]
    show("reconciles", rows)


@contextmanager
def simulator(state: Path) -> Iterator[str]:
    """Serve new clouds from a process on the last core; gives Keystone's URL with {cloud} in it."""
    state.unlink(missing_ok=True)
    Site().save(state)
    cores = sorted(os.sched_getaffinity(0))
    command = [sys.executable, "-m", "cycloud.simulator", "--port", "0", "--state", str(state)]
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig=KILL", *command],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        os.sched_setaffinity(process.pid, {cores[-1]})
        assert process.stdout is not None
        line = process.stdout.readline()
        yield line.partition(": ")[2].strip().replace("/a/", "/{cloud}/")
    finally:
        process.terminate()
        process.wait(20)
