"""The demo's look into the simulated clouds, against a simulator that serves."""

from collections.abc import Iterator

import pytest

from cycloud.embedded.demo.clouds import SimulatedClouds, StoredObject
from cycloud.embedded.demo.failure import DemoFailed
from cycloud.embedded.demo.http import JsonClient
from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site


@pytest.fixture
def server() -> Iterator[SimulatorServer]:
    with SimulatorServer(Site()) as server:
        yield server


@pytest.fixture
def clouds(server: SimulatorServer) -> SimulatedClouds:
    return SimulatedClouds(server.url, "simulated")


def make_volume(server: SimulatorServer, cloud: str, uid: str) -> StoredObject:
    """Make a volume that carries ``uid``, as a controller would."""
    root = JsonClient(f"{server.url}/{cloud}")
    domain = {"name": "Default"}
    user = {"name": "cycloud", "domain": domain, "password": "simulated"}
    scope = {"project": {"name": "cycloud", "domain": domain}}
    identity = {"methods": ["password"], "password": {"user": user}}
    signed_in = root.send(
        "POST", "/identity/v3/auth/tokens", {"auth": {"identity": identity, "scope": scope}}
    )
    project = signed_in.body["token"]["project"]["id"]
    client = JsonClient(
        f"{server.url}/{cloud}/volume/v3/{project}",
        {"X-Auth-Token": signed_in.headers["x-subject-token"]},
    )
    body = {"volume": {"size": 1, "volume_type": "shared", "metadata": {"cycloud_uid": uid}}}
    volume = client.call("POST", "/volumes", body)["volume"]
    return StoredObject(cloud, f"volume-{volume['id']}")


def test_a_volume_is_found_by_its_uid_in_the_cloud_that_has_it(
    server: SimulatorServer, clouds: SimulatedClouds
) -> None:
    make_volume(server, "a", "another")
    made = make_volume(server, "b", "wanted")
    assert clouds.find("wanted") == made


@pytest.mark.parametrize("homes", [[], ["a", "b"]])
def test_a_volume_in_no_cloud_or_in_two_ends_the_story(
    homes: list[str], server: SimulatorServer, clouds: SimulatedClouds
) -> None:
    for cloud in homes:
        make_volume(server, cloud, "wanted")
    with pytest.raises(DemoFailed, match="should be in one cloud"):
        clouds.find("wanted")


def test_what_is_written_changes_the_digest_and_is_in_the_storage(
    server: SimulatorServer, clouds: SimulatedClouds
) -> None:
    item = make_volume(server, "a", "wanted")
    server.site.settle()
    before = clouds.digest(item)
    clouds.write(item, 4096, b"\x00\xffbytes")
    assert clouds.digest(item) != before
    assert server.site.storage.read(item.name, 4096, 7) == b"\x00\xffbytes"


def test_servers_are_counted_per_cloud(clouds: SimulatedClouds) -> None:
    assert clouds.servers("nobody") == {"a": 0, "b": 0}


def test_a_wrong_password_says_what_to_look_at(server: SimulatorServer) -> None:
    with pytest.raises(DemoFailed, match="refused the operator's sign-in"):
        SimulatedClouds(server.url, "wrong").find("wanted")
