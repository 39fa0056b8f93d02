import pytest

from tests.catalog.kubernetes.declarations import make_world


@pytest.fixture
def world(db: None) -> None:
    make_world()
