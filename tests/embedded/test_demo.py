"""The story and the README's tour on a portal that runs: real HTTP, real tasks, simulated clouds."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded.portal import ROOT, EmbeddedPortal
from tests.readme import tour_of

TOUR_SECONDS = 120


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPortal]:
    with EmbeddedPortal(tmp_path_factory.mktemp("demo") / "var") as portal:
        yield portal


def test_the_story_holds_over_both_faces(portal: EmbeddedPortal) -> None:
    rest = ["--url", portal.url]
    rpc = ["--grpc", "--grpc-address", f"127.0.0.1:{portal.grpc_port}"]
    for face in (rest, rpc):
        told = portal.manage("demo", *face, "--simulator-url", portal.simulator_url)
        assert told.returncode == 0, f"{told.stdout}{told.stderr}{portal.output[-3000:]}"
        assert "All of it held." in told.stdout
    assert portal.get("projects/demo/instances").json()["instances"] == []
    assert portal.get("projects/demo/networkInterfaces").json()["network_interfaces"] == []


def test_without_a_portal_it_fails_and_says_what_to_do(tmp_path: Path) -> None:
    nobody = EmbeddedPortal(tmp_path / "var")
    no_token = nobody.manage("demo")
    assert no_token.returncode != 0
    assert "make up" in no_token.stderr
    (nobody.data_dir / "demo-token").write_text("cyc_none\n")
    no_portal = nobody.manage("demo", "--url", nobody.url)
    assert no_portal.returncode != 0
    assert f"Nothing answers at {nobody.url}" in no_portal.stderr
    address = f"127.0.0.1:{nobody.grpc_port}"
    no_grpc = nobody.manage("demo", "--grpc", "--grpc-address", address)
    assert no_grpc.returncode != 0
    assert f"Nothing answers at {address}" in no_grpc.stderr
    assert "Traceback" not in no_token.stderr + no_portal.stderr + no_grpc.stderr


def run_tour(portal: EmbeddedPortal, document: str) -> str:
    """Run the commands of a document as they stand; return what they print."""
    script = "set -eu\n" + tour_of(ROOT / document)
    done = subprocess.run(
        # a wait that never ends must show what was answered until then
        ["timeout", str(TOUR_SECONDS), "bash", "-c", script],
        cwd=ROOT,
        env={**portal.env, "CYCLOUD": portal.url, "TOKEN": portal.token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr + portal.output[-3000:]
    for hidden in ("gen7", "gen8", "openstack", "cinder"):
        assert hidden not in done.stdout.lower()
    return done.stdout


def test_the_tour_in_the_readme_works_word_for_word(portal: EmbeddedPortal) -> None:
    printed = run_tour(portal, "README.md")
    # the answers: only reading the deleted instance is refused
    assert printed.count('"error"') == 0, printed
    shown = [line.split(" shows ")[1] for line in printed.splitlines() if " shows " in line]
    assert shown == [
        '"state": *"RUNNING"',
        "RestartRequired",
        '"state": *"STOPPED"',
        '"state": *"RUNNING"',
        "NOT_FOUND",
        '"delete_time": *"2',
        '"delete_time": *null',
    ]


def test_the_api_guide_works_word_for_word(portal: EmbeddedPortal) -> None:
    printed = run_tour(portal, "docs/api.md")
    # the one that is to be refused
    assert printed.count('"error"') == 1, printed
    assert "ETAG_MISMATCH" in printed, printed
    assert '"labels":{"env":"prod"}' in printed
    assert '"type":"DELETED"' in printed
