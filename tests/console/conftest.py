"""A small world and browsers of people with different roles in it."""

from collections.abc import Callable

import pytest
from django.test import Client

from compute.models import Instance, Volume
from cycloud.core.iam.actor import Role
from tests.factories.compute import World, make_world
from tests.factories.iam import MembershipFactory, OperatorFactory, UserFactory

SignIn = Callable[[str], Client]


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def sign_in(world: World) -> SignIn:
    """Return a client by role: viewer, editor, admin, operator, stranger (no member), anonymous."""

    def client_for(role: str) -> Client:
        client = Client()
        if role == "anonymous":
            return client
        if role == "operator":
            user = OperatorFactory.create(username="olga")
        else:
            user = UserFactory.create(username=role)
            project = world.other_project if role == "stranger" else world.project
            MembershipFactory.create(
                user=user,
                project=project,
                role="editor" if role == "stranger" else Role(role).value,
            )
        client.force_login(user)
        return client

    return client_for


@pytest.fixture
def editor(sign_in: SignIn) -> Client:
    return sign_in("editor")


@pytest.fixture
def instance(world: World) -> Instance:
    return world.instance(resource_id="web-1", volumes=2)


@pytest.fixture
def volume(world: World) -> Volume:
    return world.volume(resource_id="data-1")
