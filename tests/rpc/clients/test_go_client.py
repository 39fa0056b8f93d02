import os
import subprocess
from pathlib import Path

import pytest

from tests.embedded.portal import EmbeddedPortal

pytestmark = pytest.mark.timeout(1800)


def run(tools: Path, portal: EmbeddedPortal, token: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(tools / "goclient"), "-address", f"127.0.0.1:{portal.grpc_port}"],
        env={**os.environ, "CYCLOUD_TOKEN": token},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_go_client_from_the_protos_does_its_work(tools: Path, portal: EmbeddedPortal) -> None:
    done = run(tools, portal, portal.token)
    assert done.returncode == 0, done.stderr
    name = "projects/demo/volumes/goclient"
    assert done.stdout.splitlines() == [
        f"operation create of {name} is done",
        f"created {name}: AVAILABLE 5Gi",
        f"listed {name}",
        "watched MODIFIED",
        "refused NotFound NOT_FOUND, compute.cycloud.jp/Volume projects/demo/volumes/nowhere, 1 link",
        f"operation delete of {name} is done",
        "deleted, purged 2m0s",
    ]


def test_a_go_client_without_a_good_token_is_told_so(tools: Path, portal: EmbeddedPortal) -> None:
    refused = run(tools, portal, "nonsense")
    assert refused.returncode == 1
    assert "Unauthenticated" in refused.stderr
