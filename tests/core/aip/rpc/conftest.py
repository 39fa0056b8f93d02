from collections.abc import Iterator

import pytest

from cycloud.core.aip.rpc.server import RpcServer
from cycloud.core.iam.models import Membership
from tests.factories.iam import MembershipFactory
from tests.factories.rest import token_for
from tests.support.rpc import RpcClient, rpc_server


@pytest.fixture
def server(db: None) -> Iterator[RpcServer]:
    with rpc_server() as server:
        yield server


@pytest.fixture
def membership(db: None) -> Membership:
    return MembershipFactory.create()


@pytest.fixture
def secret(membership: Membership) -> str:
    """The token of an editor of the membership's project."""
    return token_for(membership.user)


@pytest.fixture
def client(server: RpcServer, secret: str) -> Iterator[RpcClient]:
    client = RpcClient(server.port, secret)
    yield client
    client.close()
