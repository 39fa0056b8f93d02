"""A site with a clock that stands still, a server for it and clients."""

from collections.abc import Iterator

import openstack
import pytest
from openstack.connection import Connection

from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site
from tests.simulator.api import Api


class StandingClock:
    """Moves only when told to, so that work with a latency waits for the test."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock()


@pytest.fixture
def site(clock: StandingClock) -> Site:
    return Site(clock=clock)


@pytest.fixture
def server(site: Site) -> Iterator[SimulatorServer]:
    with SimulatorServer(site) as running:
        yield running


@pytest.fixture
def a(server: SimulatorServer) -> Api:
    return Api(server, "a")


@pytest.fixture
def b(server: SimulatorServer) -> Api:
    return Api(server, "b")


def connect(server: SimulatorServer, cloud: str, password: str = "simulated") -> Connection:
    """A real openstacksdk connection."""
    return openstack.connect(
        auth_url=server.auth_url(cloud),
        username="cycloud",
        password=password,
        project_name="cycloud",
        user_domain_name="Default",
        project_domain_name="Default",
        region_name="RegionOne",
        compute_default_microversion="2.93",
        block_storage_default_microversion="3.60",
        load_yaml_config=False,
        load_envvars=False,
    )


@pytest.fixture
def sdk_a(server: SimulatorServer) -> Connection:
    return connect(server, "a")


@pytest.fixture
def sdk_b(server: SimulatorServer) -> Connection:
    return connect(server, "b")
