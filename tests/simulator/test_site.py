"""The site: time, holds, and the file that keeps it."""

import os
import pickle
from pathlib import Path

import pytest

from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site, StateFileError
from tests.simulator.api import Api
from tests.simulator.conftest import StandingClock


def test_work_waits_for_its_time(site: Site, a: Api, clock: StandingClock) -> None:
    site.latency = 5
    volume = a.new_volume()
    assert volume["status"] == "creating"

    site.advance(4)
    assert a.get_volume(volume["id"])["status"] == "creating"
    site.advance(1)
    assert a.get_volume(volume["id"])["status"] == "available"


def test_a_hold_of_one_object_lets_the_others_go_on(site: Site, a: Api) -> None:
    held, free = a.new_volume(), a.new_volume()
    site.hold("a", "unmanaging", object_id=held["id"])

    for volume in (held, free):
        a.volume_action(volume["id"], "os-unmanage")

    assert a.get_volume(held["id"])["status"] == "unmanaging"
    assert a.get_volume(free["id"])["status"] == "GONE"


def test_a_hold_is_for_one_cloud(site: Site, a: Api, b: Api) -> None:
    site.hold("a", "creating")

    assert a.new_volume()["status"] == "creating"
    assert b.new_volume()["status"] == "available"


def test_releasing_one_state_keeps_the_other_held(site: Site, a: Api) -> None:
    site.hold("a", "creating")
    site.hold("a", "deleting")
    volume = a.new_volume()

    site.release("a", "creating")

    assert a.get_volume(volume["id"])["status"] == "available"
    a.volume("DELETE", f"/volumes/{volume['id']}")
    assert a.get_volume(volume["id"])["status"] == "deleting"


def test_a_saved_site_goes_on_where_it_stopped(tmp_path: Path, clock: StandingClock) -> None:
    path = tmp_path / "deep" / "state"
    first = Site.load(path, clock)
    first.latency = 10
    with SimulatorServer(first) as server:
        api = Api(server, "a")
        token = api.session.headers["X-Auth-Token"]
        volume = api.new_volume(image=True, name="v")
        first.advance(10)
        api.get_volume(volume["id"])
        first.storage.write(f"volume-{volume['id']}", 7, b"bytes")
        api.volume_action(volume["id"], "os-extend", new_size=2)
    digest = first.storage.digest(f"volume-{volume['id']}")

    second = Site.load(path, clock)

    assert second.storage.digest(f"volume-{volume['id']}") == digest
    with SimulatorServer(second) as server:
        again = Api(server, "a")
        again.session.headers["X-Auth-Token"] = token
        assert again.get_volume(volume["id"])["status"] == "extending"
        second.advance(10)
        assert again.get_volume(volume["id"])["size"] == 2
        assert again.get_volume(volume["id"])["name"] == "v"


def test_the_state_file_is_private(tmp_path: Path) -> None:
    site = Site()
    site.save(tmp_path / "state")

    assert os.stat(tmp_path / "state").st_mode & 0o077 == 0


def test_a_file_that_runs_code_is_refused(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "made"),)

    (tmp_path / "state").write_bytes(pickle.dumps(Evil()))

    with pytest.raises(StateFileError, match="not part of a simulator's state"):
        Site.load(tmp_path / "state")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("content", [b"", b"nonsense", pickle.dumps([1]), pickle.dumps({})])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "state").write_bytes(content)

    with pytest.raises(StateFileError, match="move it away"):
        Site.load(tmp_path / "state")


def test_a_site_without_a_file_says_so() -> None:
    with pytest.raises(StateFileError, match="give save"):
        Site().save()
