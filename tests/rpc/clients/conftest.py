"""Clients that are not ours against a whole portal. Run them with `make grpc-clients`; they need Go."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded.portal import ROOT, EmbeddedPortal

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder with ``grpcurl`` and ``goclient``; the first build takes some minutes."""
    folder = ROOT / "build" / "goclient"
    made = subprocess.run(
        [str(HERE / "build.sh"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=1500,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


@pytest.fixture(scope="session")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPortal]:
    with EmbeddedPortal(tmp_path_factory.mktemp("clients") / "var") as portal:
        yield portal
