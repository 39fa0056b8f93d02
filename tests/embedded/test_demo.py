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


def test_the_story_holds_and_can_be_told_again(portal: EmbeddedPortal) -> None:
    addresses = ["--url", portal.url, "--simulator-url", portal.simulator_url]
    for _ in range(2):
        told = portal.manage("demo", *addresses)
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
    assert "Traceback" not in no_token.stderr + no_portal.stderr


def test_the_tour_in_the_readme_works_word_for_word(portal: EmbeddedPortal) -> None:
    script = "set -eu\n" + tour_of(ROOT / "README.md")
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
    # the answers: only reading the deleted instance is refused
    assert done.stdout.count('"error"') == 0, done.stdout
    shown = [line.split(" shows ")[1] for line in done.stdout.splitlines() if " shows " in line]
    assert shown == [
        '"state": *"RUNNING"',
        "RestartRequired",
        '"state": *"STOPPED"',
        '"state": *"RUNNING"',
        "NOT_FOUND",
        '"delete_time": *"2',
        '"delete_time": *null',
    ]
    for hidden in ("gen7", "gen8", "openstack", "cinder"):
        assert hidden not in done.stdout.lower()
