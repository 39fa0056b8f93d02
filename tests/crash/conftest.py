from collections.abc import Iterator

import pytest

from tests.crash.worker import Worker
from tests.crash.world import World
from tests.support.clouds import simulated_clouds
from tests.support.engine import frozen_clock


@pytest.fixture
def world(db: None) -> Iterator[World]:
    """Two simulated clouds, and a worker over them that can be hit."""
    with frozen_clock() as clock, simulated_clouds(clock) as clouds:
        # no test of these is about tokens that run out
        clouds.site.token_ttl = 1e9
        worker = Worker(clouds.site.faults)
        world = World(clouds, worker)
        world.lift_limits()
        with worker.watched():
            yield world
