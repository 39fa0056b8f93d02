import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from cycloud.core.clock import now
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import ApiToken
from cycloud.core.iam.tokens import digest_of, new_secret
from tests.factories.compute import World, make_world
from tests.factories.iam import MembershipFactory, OperatorFactory, UserFactory


@pytest.fixture
def world(db: None) -> World:
    return make_world()


class Api:
    """A REST client for one project, with a token of its user."""

    def __init__(self, project_id: str, user: Any) -> None:
        self.root = f"/v1/projects/{project_id}"
        self.client = Client()
        if user is not None:
            secret = new_secret()
            ApiToken.objects.create(
                user=user, digest=digest_of(secret), expire_time=now() + timedelta(hours=1)
            )
            self.client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"

    def send(self, method: str, path: str, body: Any = None, **headers: Any) -> Any:
        data = "" if body is None else json.dumps(body)
        return self.client.generic(
            method, f"{self.root}/{path}", data, content_type="application/json", **headers
        )

    def get(self, path: str, **headers: str) -> Any:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any) -> Any:
        return self.send("POST", path, body)

    def patch(self, path: str, body: Any, **headers: str) -> Any:
        return self.send("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.send("DELETE", path, **headers)


def api_as(world: World, who: str) -> Api:
    """Return the client of a viewer, editor, admin, operator, stranger or nobody."""
    if who == "nobody":
        return Api(world.project.resource_id, None)
    if who == "operator":
        return Api(world.project.resource_id, OperatorFactory.create())
    user = UserFactory.create()
    if who == "stranger":
        MembershipFactory.create(project=world.other_project, user=user, role=Role.ADMIN.value)
    else:
        MembershipFactory.create(project=world.project, user=user, role=who)
    return Api(world.project.resource_id, user)


@pytest.fixture
def api(world: World) -> Api:
    return api_as(world, "editor")
