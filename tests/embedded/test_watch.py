"""A watch on the whole portal, over real HTTP, across its restart."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.embedded.portal import EmbeddedPortal

PATH = "projects/demo/vpcs:watch"


class Watch:
    """The events of one watch, as they come."""

    def __init__(self, portal: EmbeddedPortal, client: httpx.Client, version: str) -> None:
        headers = {"Authorization": f"Bearer {portal.token}"}
        self._stream = client.stream(
            "GET", f"{portal.url}/v1/{PATH}?resource_version={version}", headers=headers
        )
        self.response = self._stream.__enter__()
        assert self.response.status_code == 200, self.response.read()
        self._lines = self.response.iter_lines()

    def event(self) -> dict[str, Any]:
        """Return the data of the next event that has some."""
        for line in self._lines:
            if line.startswith("data: "):
                found: dict[str, Any] = json.loads(line.removeprefix("data: "))
                return found
        raise EOFError

    def close(self) -> None:
        self._stream.__exit__(None, None, None)


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=30) as made:
        yield made


def create(portal: EmbeddedPortal, vpc_id: str) -> None:
    answer = httpx.post(
        f"{portal.url}/v1/projects/demo/vpcs?vpc_id={vpc_id}",
        json={},
        headers={"Authorization": f"Bearer {portal.token}"},
        timeout=30,
    )
    assert answer.status_code == 200, answer.text


def test_a_watch_goes_on_across_a_restart_of_the_portal(
    tmp_path: Path, client: httpx.Client
) -> None:
    portal = EmbeddedPortal(tmp_path / "var")
    with portal:
        version = portal.get("projects/demo/vpcs").json()["resource_version"]
        watch = Watch(portal, client, version)
        create(portal, "one")
        begun = time.monotonic()
        told = watch.event()
        assert time.monotonic() - begun < 5
        assert (told["type"], told["resource"]["name"]) == ("ADDED", "projects/demo/vpcs/one")
        create(portal, "two")
        # the reader has got no further than "one" when the portal stops, and is told why it ends
        begun = time.monotonic()
        assert portal.stop() == 0
        assert time.monotonic() - begun < 15
        assert watch.event()["resource"]["name"] == "projects/demo/vpcs/two"
        last = watch.event()
        assert last["error"]["status"] == "UNAVAILABLE"
        watch.close()
    assert "Traceback" not in portal.output
    with portal:
        create(portal, "three")
        watch = Watch(portal, client, told["resource_version"])
        names = [watch.event()["resource"]["name"].rpartition("/")[2] for _ in range(2)]
        assert names == ["two", "three"]
        watch.close()


def test_readers_that_went_away_leave_nothing_behind(tmp_path: Path) -> None:
    with EmbeddedPortal(tmp_path / "var") as portal:
        tasks = f"/proc/{portal.pid}/task"
        files = f"/proc/{portal.pid}/fd"
        version = portal.get("projects/demo/vpcs").json()["resource_version"]
        counts = []
        for _ in range(3):
            clients = [httpx.Client(timeout=30) for _ in range(20)]
            watches = [Watch(portal, client, version) for client in clients]
            open_files = len(os.listdir(files))
            threads = len(os.listdir(tasks))
            for watch, client in zip(watches, clients, strict=True):
                watch.close()
                client.close()
            counts.append((open_files, threads))
        first, *_, last = counts
        assert last[0] < first[0] + 15, counts
        assert last[1] < first[1] + 15, counts
        end = time.monotonic() + 15
        while len(os.listdir(files)) > first[0] - 15 and time.monotonic() < end:
            portal.get("projects/demo/vpcs")
        assert len(os.listdir(files)) <= first[0] - 15
