import pytest

from tests.factories.compute import World, make_world


@pytest.fixture
def world(db: None) -> World:
    return make_world()
