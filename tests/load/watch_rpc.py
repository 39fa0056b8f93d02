"""1,000 watches over gRPC on one process, as ``watch`` does it over REST: memory, and how soon a change reaches all."""

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
from google.protobuf.field_mask_pb2 import FieldMask

from cycloud.common.v1.change_pb2 import Change
from cycloud.networking.v1 import vpc_pb2, vpc_pb2_grpc
from tests.e2e.harness.portal import REPOSITORY
from tests.load.databases import SQLITE, environment, run_module
from tests.load.figures import Row, note, show
from tests.load.watch_clients import percentile

WATCHES = int(os.environ.get("WATCHES", "1000"))
CHANGES = int(os.environ.get("CHANGES", "20"))
CONNECTIONS = 10
PATIENCE_SECONDS = 180.0
PARENT, NAME = "projects/bench", "projects/bench/vpcs/watched"


def run(folder: Path, repeat: int) -> None:
    with environment(SQLITE, folder) as env:
        token = run_module("tests.load.watch_seed", [], env).strip()
        with _rpc_process(env) as (port, pid):
            note(f"opening {WATCHES} watches over gRPC")
            asyncio.run(_measure(port, pid, token))


class _Fleet:
    """Watches over a few connections; ``delays`` are those of the change that ``sent`` was the time of."""

    def __init__(self, port: int, token: str) -> None:
        # a connection each, or all would share one
        options = [("grpc.use_local_subchannel_pool", 1)]
        address = f"127.0.0.1:{port}"
        channels = [grpc.aio.insecure_channel(address, options) for _ in range(CONNECTIONS)]
        self.stubs = [vpc_pb2_grpc.VPCServiceStub(channel) for channel in channels]
        self.metadata = (("authorization", f"Bearer {token}"),)
        self.opened, self.sent = 0, 0.0
        self.delays: list[float] = []

    async def watch(self, number: int) -> None:
        request = vpc_pb2.WatchVPCsRequest(parent=PARENT, allow_bookmarks=True)
        stub = self.stubs[number % CONNECTIONS]
        begun = False
        async for message in stub.WatchVPCs(request, metadata=self.metadata):
            # the first bookmark tells that it has its place in the feed
            if message.type == Change.Type.BOOKMARK and not begun:
                begun = True
                self.opened += 1
            if message.type == Change.Type.MODIFIED:
                self.delays.append((time.monotonic() - self.sent) * 1000)

    async def change(self, text: str) -> None:
        vpc = vpc_pb2.VPC(name=NAME, display_name=text)
        mask = FieldMask(paths=["display_name"])
        request = vpc_pb2.UpdateVPCRequest(vpc=vpc, update_mask=mask)
        self.sent = time.monotonic()
        await self.stubs[0].UpdateVPC(request, metadata=self.metadata)

    async def get(self) -> float:
        """Return how long a call takes beside the watches, in milliseconds."""
        begin = time.monotonic()
        await self.stubs[1].GetVPC(vpc_pb2.GetVPCRequest(name=NAME), metadata=self.metadata)
        return (time.monotonic() - begin) * 1000


async def _measure(port: int, pid: int, token: str) -> None:
    fleet = _Fleet(port, token)
    await fleet.get()
    before, begin = _resident(pid), time.monotonic()
    tasks = [asyncio.create_task(fleet.watch(number)) for number in range(WATCHES)]
    await _until(lambda: fleet.opened == WATCHES)
    opened = time.monotonic() - begin
    gets = []
    for number in range(CHANGES):
        await fleet.change(f"change {number}")
        wanted = (number + 1) * WATCHES
        await _until(lambda wanted=wanted: len(fleet.delays) == wanted)  # type: ignore[misc]
        gets.append(await fleet.get())
    after = _resident(pid)
    assert not any(task.done() for task in tasks), "a watch was ended"
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    show(
        "watch over gRPC, sqlite",
        [
            Row("opening them", opened, "s"),
            Row("change, p50", percentile(fleet.delays, 0.5), "ms"),
            Row("change, p95", percentile(fleet.delays, 0.95), "ms"),
            Row("change, last", max(fleet.delays), "ms"),
            Row("a get beside them, p50", percentile(gets, 0.5), "ms"),
            Row("memory without watches", before, "MiB"),
            Row(f"memory with {WATCHES} watches", after, "MiB"),
            Row("per watch", (after - before) / WATCHES * 1024, "KiB"),
        ],
    )


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():
            await asyncio.sleep(0.005)


@contextmanager
def _rpc_process(env: dict[str, str]) -> Iterator[tuple[int, int]]:
    """Serve gRPC in a process of its own; give its port and its id."""
    command = [sys.executable, "manage.py", "grpcrunserver", "127.0.0.1:0"]
    with subprocess.Popen(
        command, cwd=REPOSITORY, env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            yield int(line.split(",")[0].rpartition(":")[2]), process.pid
        finally:
            process.terminate()
            process.communicate()


def _resident(pid: int) -> float:
    """Return the resident memory in MiB."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024
