"""``manage.py grpcrunserver``: a process of its own, and what it refuses before it serves."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from tests.core.aip.rpc.test_server import health_of

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The process and its port."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("CYCLOUD_", "DJANGO_"))}
    started = subprocess.Popen(
        [sys.executable, "manage.py", "grpcrunserver", "127.0.0.1:0"],
        cwd=ROOT,
        env={
            **inherited,
            "DJANGO_SETTINGS_MODULE": "cycloud.settings.embedded",
            "CYCLOUD_DATA_DIR": str(tmp_path / "var"),
            "PYTHONUNBUFFERED": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert started.stdout is not None
    first = started.stdout.readline()
    found = re.fullmatch(r"gRPC at 127\.0\.0\.1:(\d+), without TLS\n", first)
    assert found is not None, first + started.stdout.read()
    yield started, int(found[1])
    started.kill()
    started.wait()
    started.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_a_signal_and_ends_well(
    running: tuple[subprocess.Popen[str], int], number: signal.Signals
) -> None:
    started, port = running
    assert health_of(port) == 1
    started.send_signal(number)
    output, _ = started.communicate(timeout=30)
    assert started.returncode == 0
    assert output.splitlines() == ["Stopping", "Stopped"]


def test_a_busy_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(CommandError, match=address):
            call_command("grpcrunserver", address)


@pytest.mark.parametrize("address", ["50051", "127.0.0.1:http", ":1", "127.0.0.1:70000"])
def test_a_wrong_address_is_named(address: str) -> None:
    with pytest.raises(CommandError, match=repr(address)):
        call_command("grpcrunserver", address)


def test_a_key_without_a_certificate_is_refused(settings: LazySettings) -> None:
    settings.CYCLOUD_GRPC_TLS_KEY = "/nowhere/server.key"
    with pytest.raises(CommandError, match="CYCLOUD_GRPC_TLS_CERTIFICATE"):
        call_command("grpcrunserver", "127.0.0.1:0")


def test_a_file_that_cannot_be_read_is_named(settings: LazySettings) -> None:
    settings.CYCLOUD_GRPC_TLS_KEY = "/nowhere/server.key"
    settings.CYCLOUD_GRPC_TLS_CERTIFICATE = "/nowhere/server.pem"
    with pytest.raises(CommandError, match=r"/nowhere/server\.key"):
        call_command("grpcrunserver", "127.0.0.1:0")


def test_no_threads_are_refused() -> None:
    with pytest.raises(CommandError, match="--threads"):
        call_command("grpcrunserver", "127.0.0.1:0", threads=0)
