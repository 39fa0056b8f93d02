import pytest
from django.test import Client

from tests.factories.compute import World, make_world
from tests.factories.iam import OperatorFactory


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def operator(world: World) -> Client:
    client = Client()
    client.force_login(OperatorFactory.create(username="olga"))
    return client
