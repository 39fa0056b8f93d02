"""The whole portal as a newcomer starts it: one process, stopped and started again."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.embedded.portal import EmbeddedPortal
from tests.support.rpc import RpcClient

IDLE_MIB = 300


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("up") / "var"


@pytest.fixture(scope="module")
def portal(data_dir: Path) -> Iterator[EmbeddedPortal]:
    with EmbeddedPortal(data_dir) as portal:
        yield portal


def test_each_step_is_a_line_with_a_tick_and_nothing_else_is_written(
    portal: EmbeddedPortal,
) -> None:
    lines = [line for line in portal.output.splitlines() if line.startswith("  ✓ ")]
    names = [re.split(r"[:(]", line[4:])[0].strip() for line in lines]
    assert names == [
        "Database",
        "Simulated clouds",
        "Catalog, demo project and users",
        "Worker",
        "Beat",
        "Web server",
        "gRPC server",
    ]
    assert not re.search(r"\d{4}-\d\d-\d\d .*(INFO|WARNING|ERROR)", portal.output)


def test_pages_and_api_answer(portal: EmbeddedPortal) -> None:
    sign_in = httpx.get(f"{portal.url}/", follow_redirects=True, timeout=30)
    assert sign_in.status_code == 200
    assert "password" in sign_in.text
    assert httpx.get(f"{portal.url}/admin/login/", timeout=30).status_code == 200
    assert httpx.get(f"{portal.url}/healthz", timeout=30).status_code == 200
    assert portal.get("projects/demo/subnets/default").json()["cidr"] == "10.0.1.0/24"


def test_static_files_are_served_without_collecting_them(portal: EmbeddedPortal) -> None:
    page = httpx.get(f"{portal.url}/admin/login/", timeout=30).text
    styles = re.findall(r'href="(/static/[^"]+\.css)"', page)
    assert styles
    assert httpx.get(f"{portal.url}{styles[0]}", timeout=30).status_code == 200


def test_it_is_one_process_of_a_modest_size(portal: EmbeddedPortal) -> None:
    status = Path(f"/proc/{portal.pid}/status").read_text()
    resident = int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) // 1024
    assert resident < IDLE_MIB
    children = Path(f"/proc/{portal.pid}/task/{portal.pid}/children").read_text()
    assert children.split() == []


def test_what_it_keeps_is_for_its_user_only(portal: EmbeddedPortal) -> None:
    for name in ("secrets.json", "demo-token", "simulator.state"):
        assert (portal.data_dir / name).stat().st_mode & 0o077 == 0, name


def test_another_one_on_the_same_data_is_refused(portal: EmbeddedPortal) -> None:
    refused = portal.manage("up", "--port", "0", "--simulator-port", "0")
    assert refused.returncode != 0
    assert f"process {portal.pid}" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_busy_port_is_named_with_what_to_do(portal: EmbeddedPortal, tmp_path: Path) -> None:
    other = EmbeddedPortal(tmp_path / "var")
    refused = other.manage("up", "--port", str(portal.port), "--simulator-port", "0")
    assert refused.returncode != 0
    assert f"Port {portal.port} of 127.0.0.1 is in use" in refused.stderr
    assert "--port" in refused.stderr
    assert "Traceback" not in refused.stderr
    refused = other.manage("up", "--port", "0", "--simulator-port", str(portal.simulator_port))
    assert f"Port {portal.simulator_port} of 127.0.0.1 is in use" in refused.stderr
    assert "--simulator-port" in refused.stderr
    refused = other.manage("up", "--port", "0", "--grpc-port", str(portal.grpc_port))
    assert f"Port {portal.grpc_port} of 127.0.0.1 is in use" in refused.stderr
    assert "--grpc-port" in refused.stderr


def test_it_serves_grpc_with_the_same_token(portal: EmbeddedPortal) -> None:
    assert f"gRPC server: 127.0.0.1:{portal.grpc_port}" in portal.output
    client = RpcClient(portal.grpc_port, portal.token)
    answer = client(
        "networking.v1.SubnetService/GetSubnet", {"name": "projects/demo/subnets/default"}
    )
    assert answer.json["uid"] == portal.get("projects/demo/subnets/default").json()["uid"]
    assert (
        RpcClient(portal.grpc_port)("iam.v1.ProjectService/ListProjects").reason
        == "CREDENTIALS_MISSING"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly_and_the_next_start_keeps_the_data(
    number: signal.Signals, tmp_path: Path
) -> None:
    with EmbeddedPortal(tmp_path / "var") as first:
        passwords = re.findall(r"^    (demo|operator) +(\S+)$", first.output, re.MULTILINE)
        assert sorted(name for name, _ in passwords) == ["demo", "operator"]
        uid = first.get("projects/demo/subnets/default").json()["uid"]
        token = first.token
        assert first.stop(number) == 0
        assert "Stopped" in first.output
        assert "Traceback" not in first.output
    with EmbeddedPortal(tmp_path / "var") as second:
        assert second.get("projects/demo/subnets/default").json()["uid"] == uid
        assert second.token == token
        assert not any(password in second.output for _, password in passwords)
        assert "changepassword" in second.output
        os.kill(second.pid, signal.SIGKILL)
    with EmbeddedPortal(tmp_path / "var") as third:
        assert third.get("projects/demo/subnets/default").json()["uid"] == uid
