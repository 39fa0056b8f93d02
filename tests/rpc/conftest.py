from collections.abc import Iterator

import pytest

from tests.factories.compute import World, make_world
from tests.factories.iam import MembershipFactory, OperatorFactory
from tests.factories.rest import token_for
from tests.support.rpc import RpcClient, rpc_server


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def port(db: None) -> Iterator[int]:
    with rpc_server() as server:
        yield server.port


@pytest.fixture
def api(world: World, port: int) -> Iterator[RpcClient]:
    """A client of an editor of the world's project."""
    client = RpcClient(port, token_for(MembershipFactory.create(project=world.project).user))
    yield client
    client.close()


@pytest.fixture
def operator(world: World, port: int) -> Iterator[RpcClient]:
    client = RpcClient(port, token_for(OperatorFactory.create()))
    yield client
    client.close()
