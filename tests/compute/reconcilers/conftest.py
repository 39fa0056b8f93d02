from collections.abc import Iterator

import pytest

from tests.support.clouds import Clouds, simulated_clouds
from tests.support.engine import frozen_clock


@pytest.fixture
def clouds(db: None) -> Iterator[Clouds]:
    """Two simulated clouds over one storage, and the catalog for them."""
    with frozen_clock() as clock, simulated_clouds(clock) as world:
        yield world
