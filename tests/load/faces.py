"""Lists, gets and creates over REST and gRPC, with few and with many instances in the project.

A web process and a gRPC process serve one PostgreSQL; one client asks them in turn, so that all are measured in
the same minutes. The queries of a list are counted in a process of its own.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import grpc
import httpx

from cycloud.compute.v1 import instance_pb2, instance_pb2_grpc, volume_pb2, volume_pb2_grpc
from tests.e2e.harness.portal import REPOSITORY
from tests.load.databases import POSTGRESQL, environment, run_module
from tests.load.figures import Row, note, p50, show
from tests.load.watch import web_process
from tests.load.watch_clients import percentile

# projects, and how many instances are in them
FEW, MANY = ("few", 1000), ("many", int(os.environ.get("CYCLOUD_BENCH_LISTED", "100000")))
ROUNDS = int(os.environ.get("CYCLOUD_BENCH_CALLS", "300"))
WARM_UP = 20

Calls = dict[str, Callable[[], None]]


def run(folder: Path, repeat: int) -> None:
    with environment(POSTGRESQL, folder) as env:
        # the calls of one client, as fast as they are answered
        env |= {"CYCLOUD_RATE_PER_SECOND": "1000000", "CYCLOUD_RATE_BURST": "1000000"}
        env["CYCLOUD_ALLOWED_HOSTS"] = "127.0.0.1,testserver"
        note(f"putting in {FEW[1]} and {MANY[1]} instances")
        words = [f"{project}={number}" for project, number in (FEW, MANY)]
        tokens = json.loads(run_module("tests.load.faces_seed", words, env))
        queries = {
            project: int(run_module("tests.load.faces_queries", [project, token], env))
            for project, token in tokens.items()
        }
        calls: Calls = {}
        with web_process(env) as (web, _), rpc_process(env) as rpc:
            for project, token in tokens.items():
                calls |= {**rest_calls(web, project, token), **rpc_calls(rpc, project, token)}
            note(f"{ROUNDS} times {len(calls)} calls")
            taken = measure(calls)
    rows = [
        Row(f"queries of a list, {n} instances", queries[p], "", "equal") for p, n in (FEW, MANY)
    ]
    for name in [call.partition(",")[0] for call in calls if call.endswith(FEW[0])]:
        few, many = (taken[f"{name}, {project}"] for project, _ in (FEW, MANY))
        goal = "≤ 1.5" if name.startswith("list") else ""
        rows += [
            Row(f"{name}: p50 of {MANY[1]}", p50(many), "ms"),
            Row(f"{name}: p99 of {MANY[1]}", percentile(many, 0.99), "ms"),
            Row(f"{name}: p50, {MANY[1]} : {FEW[1]}", p50(many) / p50(few), ""),
            Row(
                f"{name}: p99, {MANY[1]} : {FEW[1]}",
                percentile(many, 0.99) / percentile(few, 0.99),
                "",
                goal,
            ),
        ]
    show("faces", rows)


def measure(calls: Calls) -> dict[str, list[float]]:
    """Return the milliseconds of each call; the calls take turns."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(WARM_UP + ROUNDS):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            if turn >= WARM_UP:
                taken[name].append((time.perf_counter() - begin) * 1000)
    return taken


def rest_calls(port: int, project: str, token: str) -> Calls:
    client = httpx.Client(
        base_url=f"http://127.0.0.1:{port}/v1/projects/{project}/",
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    )

    def create() -> None:
        body = {"volume_type": f"type-{project}", "availability_zone": zone, "size": "10Gi"}
        client.post(f"volumes?volume_id=r-{uuid4().hex[:12]}", json=body).raise_for_status()

    zone = client.get("instances/i-0").raise_for_status().json()["availability_zone"]
    return {
        f"list over REST, {project}": lambda: _full(
            len(client.get("instances?page_size=50").json()["instances"])
        ),
        f"get over REST, {project}": lambda: _full(
            client.get("instances/i-500").raise_for_status() and 50
        ),
        f"create over REST, {project}": create,
    }


def rpc_calls(port: int, project: str, token: str) -> Calls:
    parent = f"projects/{project}"
    channel = grpc.insecure_channel(f"127.0.0.1:{port}")
    credentials = (("authorization", f"Bearer {token}"),)
    instances = instance_pb2_grpc.InstanceServiceStub(channel)
    volumes = volume_pb2_grpc.VolumeServiceStub(channel)
    wanted = instance_pb2.GetInstanceRequest(name=f"{parent}/instances/i-500")
    listed = instance_pb2.ListInstancesRequest(parent=parent, page_size=50)

    def create() -> None:
        request = volume_pb2.CreateVolumeRequest(
            parent=parent,
            volume_id=f"g-{uuid4().hex[:12]}",
            volume=volume_pb2.Volume(
                volume_type=f"type-{project}", availability_zone=zone, size="10Gi"
            ),
        )
        volumes.CreateVolume(request, metadata=credentials)

    zone = instances.GetInstance(wanted, metadata=credentials).availability_zone
    return {
        f"list over gRPC, {project}": lambda: _full(
            len(instances.ListInstances(listed, metadata=credentials).instances)
        ),
        f"get over gRPC, {project}": lambda: _full(
            50 if instances.GetInstance(wanted, metadata=credentials).uid else 0
        ),
        f"create over gRPC, {project}": create,
    }


def _full(number: object) -> None:
    if number != 50:
        raise RuntimeError(f"an answer is not as it should be: {number}")


@contextmanager
def rpc_process(env: dict[str, str]) -> Iterator[int]:
    """Serve gRPC in a process of its own; give its port."""
    command = [sys.executable, "manage.py", "grpcrunserver", "127.0.0.1:0"]
    with subprocess.Popen(
        command, cwd=REPOSITORY, env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            yield int(line.split(",")[0].rpartition(":")[2])
        finally:
            process.terminate()
            process.communicate()
