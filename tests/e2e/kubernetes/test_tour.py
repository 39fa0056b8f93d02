"""The tour of docs/kubernetes.md works word for word: a portal in one process, a real API server, the real kubectl."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.kubernetes.conftest import HOST
from tests.e2e.kubernetes.harness.server import PROGRAMS, ApiServer, missing
from tests.embedded.portal import ROOT, EmbeddedPortal
from tests.readme import tour_of

TOUR_SECONDS = 200


class KubernetesPortal(EmbeddedPortal):
    """``make up`` with a Kubernetes API."""

    def __init__(self, data_dir: Path, kubeconfig: Path) -> None:
        super().__init__(data_dir)
        self.kubeconfig = kubeconfig

    @property
    def env(self) -> dict[str, str]:
        return {
            **super().env,
            "CYCLOUD_KUBERNETES_KUBECONFIG": str(self.kubeconfig),
            "KUBECONFIG": str(self.kubeconfig),
            "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
            "PYTHON": sys.executable,
        }


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubernetesPortal]:
    """The portal runs before anything is installed, as somebody may start it."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("tour")
    with ApiServer.on(HOST, "tour").running() as server:
        # the tour sets its namespace there
        kubeconfig = Path(shutil.copy(server.kubeconfig(), folder / "kubeconfig"))
        portal = KubernetesPortal(folder / "var", kubeconfig)
        with portal:
            yield portal


@pytest.fixture(scope="module")
def printed(embedded: KubernetesPortal) -> str:
    """What the commands of the tour print, as they stand."""
    done = subprocess.run(
        # a wait that never ends must show what was answered until then
        [
            "timeout",
            str(TOUR_SECONDS),
            "bash",
            "-c",
            f"set -eu\n{tour_of(ROOT / 'docs/kubernetes.md')}",
        ],
        cwd=ROOT,
        env={**embedded.env, "CYCLOUD": embedded.url, "TOKEN": embedded.token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr + embedded.output[-3000:]
    return done.stdout


def test_the_tour_works_word_for_word(printed: str) -> None:
    steps = [
        "Done: 24 created.",
        "ok     definitions  All 14 are installed and those of this release.",
        "What is applied there is taken in as serviceAccounts/demo/gitops.",
        "subnet.networking.interface.compute.cycloud.jp/default condition met",
        "instancetype.compute.interface.compute.cycloud.jp/m8a.small",
        "instance.compute.interface.compute.cycloud.jp/web-1 created",
        "MANAGED_BY_KUBERNETES",
        "namespaces/cycloud-demo/instances/web-1",
        "spec.instanceType: there is no 'm9a.small' in the catalog.",
        "openstackinstance.openstack.provider.compute.cycloud.jp/web-1",
        'instance.compute.interface.compute.cycloud.jp "web-1" deleted',
        "web-1-root",
    ]
    place = 0
    for step in steps:
        assert step in printed[place:], f"{step} is not behind what came before it in:\n{printed}"
        place = printed.index(step, place)


def test_the_instance_moved(printed: str) -> None:
    line = next(line for line in printed.splitlines() if line.startswith("openstackinstance."))
    assert line.split()[1:3] == ["True", "Updated"]
    assert "gen8" in line.split()


def test_what_the_projects_people_see_names_no_cluster(printed: str) -> None:
    described = printed[printed.index("Name:         web-1") :]
    described = described[: described.index("patched")]
    for hidden in ("gen7", "gen8", "openstack", "nova", "cinder"):
        assert hidden not in described.lower()
