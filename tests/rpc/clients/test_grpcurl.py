import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.embedded.portal import EmbeddedPortal

pytestmark = pytest.mark.timeout(1800)


class Grpcurl:
    """Knows the API by reflection alone."""

    def __init__(self, tools: Path, portal: EmbeddedPortal) -> None:
        self._program = str(tools / "grpcurl")
        self._address = f"127.0.0.1:{portal.grpc_port}"
        self._token = portal.token

    def run(self, *words: str, data: Any = None) -> subprocess.CompletedProcess[str]:
        options = ["-plaintext", "-H", f"authorization: Bearer {self._token}"]
        if data is not None:
            options += ["-d", json.dumps(data)]
        return subprocess.run(
            [self._program, *options, self._address, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def call(self, method: str, data: Any) -> Any:
        done = self.run(method, data=data)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def grpcurl(tools: Path, portal: EmbeddedPortal) -> Grpcurl:
    return Grpcurl(tools, portal)


def test_it_lists_and_describes_the_services(grpcurl: Grpcurl) -> None:
    assert "cycloud.compute.v1.InstanceService" in grpcurl.run("list").stdout.split()
    described = grpcurl.run("describe", "cycloud.compute.v1.InstanceService").stdout
    assert 'post: "/v1/{name=projects/*/instances/*}:start"' in described
    assert "desired_state" in grpcurl.run("describe", "cycloud.compute.v1.Instance").stdout
    method = grpcurl.run("describe", "cycloud.compute.v1.InstanceService.StartInstance")
    assert "StartInstanceRequest" in method.stdout, method.stderr


def test_it_creates_waits_and_reads(grpcurl: Grpcurl) -> None:
    volume = {"volume_type": "cgp1-short", "availability_zone": "apne1a", "size": "5Gi"}
    request = {"parent": "projects/demo", "volume_id": "curled", "volume": volume}
    operation = grpcurl.call("cycloud.compute.v1.VolumeService/CreateVolume", request)
    wait = {"name": operation["name"], "timeout": "30s"}
    done = grpcurl.call("google.longrunning.Operations/WaitOperation", wait)
    assert done["done"] is True
    # the Any is resolved by reflection too
    assert done["response"]["@type"].endswith("cycloud.compute.v1.Volume")
    assert done["response"]["state"] == "AVAILABLE"
    assert done["metadata"]["target"] == "projects/demo/volumes/curled"


def test_an_error_shows_its_details(grpcurl: Grpcurl) -> None:
    request = {"name": "projects/demo/instances/nowhere"}
    refused = grpcurl.run("cycloud.compute.v1.InstanceService/GetInstance", data=request)
    assert refused.returncode != 0
    assert "Code: NotFound" in refused.stderr
    for detail in ("ErrorInfo", "ResourceInfo", "Help", "LocalizedMessage"):
        assert f"google.rpc.{detail}" in refused.stderr


def test_health_is_asked_for(grpcurl: Grpcurl) -> None:
    assert grpcurl.call("grpc.health.v1.Health/Check", {}) == {"status": "SERVING"}
