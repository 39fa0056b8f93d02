"""The clouds that the contract cases run against, and a bench that cleans up."""

from collections.abc import Iterator

import pytest

from cycloud.openstack.sessions import forget_clients
from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site
from tests.contracts.bench import Bench, sweep
from tests.contracts.targets import CLOUDS, RealTarget, SimulatorTarget, Target, target_names


def _parameters() -> list[object]:
    return [
        pytest.param(name, marks=pytest.mark.real if name == "real" else ())
        for name in target_names()
    ]


@pytest.fixture(scope="session", params=_parameters())
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    """Return the simulator; where CYCLOUD_REAL_CLOUDS=1 every case runs on the real clouds too."""
    if request.param == "real":
        real = RealTarget()
        for cloud in CLOUDS:
            sweep(real, cloud)
        yield real
    else:
        site = Site(clouds=CLOUDS)
        with SimulatorServer(site) as server:
            yield SimulatorTarget(site, server)
    forget_clients()


@pytest.fixture(params=CLOUDS)
def bench(target: Target, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Return a bench in cloud a, and one in cloud b: they are of different releases."""
    made = Bench(target, request.param)
    yield made
    made.clean()


@pytest.fixture
def bench_a(target: Target) -> Iterator[Bench]:
    """Return a bench in cloud a, for cases that use both clouds."""
    made = Bench(target, "a")
    yield made
    made.clean()
