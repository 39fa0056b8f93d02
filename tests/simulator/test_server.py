"""The server: ports, threads, the command line."""

import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import requests

from cycloud.simulator.__main__ import main
from cycloud.simulator.app import create_app
from cycloud.simulator.server import SimulatorError, SimulatorServer
from cycloud.simulator.site import Site


def test_a_busy_port_is_named(server: SimulatorServer) -> None:
    with pytest.raises(SimulatorError, match=f"port {server.port} on 127.0.0.1 is in use"):
        SimulatorServer(Site(), port=server.port).start()


def test_the_command_line_names_a_busy_port(
    server: SimulatorServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--port", str(server.port)]) == 1
    assert f"port {server.port}" in capsys.readouterr().err


def test_a_foreign_address_is_named() -> None:
    with pytest.raises(SimulatorError, match=r"cannot listen on 203\.0\.113\.1:1"):
        SimulatorServer(Site(), host="203.0.113.1", port=1).start()


def test_a_server_stops_and_starts_again_on_its_port(site: Site) -> None:
    server = SimulatorServer(site).start()
    port = server.port
    server.stop()
    server.stop()
    with pytest.raises(requests.exceptions.ConnectionError):
        requests.get(server.url, timeout=5)

    with SimulatorServer(site, port=port) as again:
        assert requests.get(again.auth_url("a"), timeout=5).status_code == 200


def test_a_second_process_keeps_the_data_and_stops_on_interrupt(tmp_path: Path) -> None:
    state = tmp_path / "state"
    command = [sys.executable, "-m", "cycloud.simulator", "--port", "0", "--state", str(state)]
    for round_number in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.match(r"cloud a: (http://127\.0\.0\.1:\d+)/a/identity/v3", line)
            assert found, line
            url = f"{found[1]}/_sim/storage"
            if round_number == 0:
                requests.post(f"{url}/kept/create", json={"size": 10}, timeout=5)
            names = [o["name"] for o in requests.get(url, timeout=5).json()["objects"]]
            assert names == ["kept"]
            process.send_signal(2)
            assert process.wait(20) == 0


def test_a_state_file_of_something_else_stops_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").write_bytes(b"nonsense")

    assert main(["--port", "0", "--state", str(tmp_path / "state")]) == 1
    assert "move it away" in capsys.readouterr().err


def test_a_state_that_cannot_be_saved_is_logged_and_serving_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site.load(tmp_path / "state")
    (tmp_path / "state").mkdir()

    with SimulatorServer(site) as server:
        assert requests.get(server.auth_url("a"), timeout=5).status_code == 200

    assert "could not be saved" in caplog.text
    assert site.dirty is True


async def test_under_another_server_a_lost_answer_is_a_503(site: Site) -> None:
    site.faults.add("refuse")
    transport = httpx.ASGITransport(create_app(site))

    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.get("/a/identity/v3")

    assert answer.status_code == 503
