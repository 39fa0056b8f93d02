"""Whatever a client sends, the answer is an error of AIP-193 and no 5xx."""

import json
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cycloud.core.aip.errors import Code
from cycloud.core.iam.actor import Role
from tests.factories.compute import World, make_world
from tests.factories.iam import MembershipFactory, UserFactory
from tests.factories.rest import token_for

_FUZZ = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
COLLECTIONS = [
    "instances",
    "volumes",
    "vpcs",
    "subnets",
    "networkInterfaces",
    "operations",
    "members",
]
VERBS = ["start", "stop", "attachVolume", "undelete", "wait", "cancel", "explode", ""]
METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD"]
PARAMETERS = [
    "filter",
    "order_by",
    "page_size",
    "page_token",
    "update_mask",
    "request_id",
    "validate_only",
    "show_deleted",
    "instance_id",
    "etag",
    "colour",
]
FIELDS = [
    "display_name",
    "labels",
    "annotations",
    "instance_type",
    "availability_zone",
    "volumes",
    "network_interfaces",
    "size",
    "volume",
    "cidr",
    "vpc",
    "etag",
    "timeout",
    "validate_only",
    "request_id",
]

words = st.text(max_size=30) | st.sampled_from(
    ["*", "true", "0", "-1", "9" * 40, "1e400", "a=b", "🙂"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
bodies = (
    st.binary(max_size=80)
    | st.dictionaries(st.sampled_from(FIELDS), values, max_size=5).map(
        lambda value: json.dumps(value).encode()
    )
    | values.map(lambda value: json.dumps(value).encode())
)
headers = st.dictionaries(
    st.sampled_from(
        [
            "If-Match",
            "If-None-Match",
            "Accept",
            "Accept-Language",
            "X-Request-Id",
            "Accept-Encoding",
        ]
    ),
    st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=40),
    max_size=3,
)
content_types = st.sampled_from(
    [
        "application/json",
        "application/json; charset=utf-16",
        "application/json; charset=no-such-thing",
        "application/json;;;=",
        "text/plain",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
        "",
        "\x7f",
    ]
)


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.fixture
def secret(world: World) -> str:
    user = UserFactory.create()
    MembershipFactory.create(project=world.project, user=user, role=Role.ADMIN.value)
    world.instance()
    return token_for(user)


def check(answer: Any, sent: object) -> None:
    assert answer.status_code < 500, (sent, answer.content[:500])
    if answer.status_code < 400 or answer.status_code == 304 or not answer.content:
        return
    error = answer.json()["error"]
    assert error["code"] == answer.status_code
    assert error["status"] in Code.__members__
    assert error["details"][0]["reason"].isupper()
    assert error["message"]


@pytest.mark.django_db
@_FUZZ
@given(
    method=st.sampled_from(METHODS),
    collection=st.sampled_from(COLLECTIONS),
    member=st.sampled_from(["", "/web", "/%00", "/%ff", "/é", "/a%2Fb", "/" + "x" * 300])
    | words.map("/{}".format),
    verb=st.sampled_from(VERBS),
    query=st.dictionaries(st.sampled_from(PARAMETERS), words, max_size=3),
    body=bodies,
    content_type=content_types,
    extra=headers,
)
def test_no_request_makes_the_server_fail(
    world: World,
    secret: str,
    method: str,
    collection: str,
    member: str,
    verb: str,
    query: dict[str, str],
    body: bytes,
    content_type: str,
    extra: dict[str, str],
) -> None:
    client = Client(raise_request_exception=False)
    path = f"/v1/projects/{world.project.resource_id}/{collection}{member}"
    answer = client.generic(
        method,
        path + (f":{verb}" if verb else ""),
        body,
        content_type,
        headers={**extra, "Authorization": f"Bearer {secret}"},
        query_params=query,
    )
    check(answer, (method, path, verb, query, body, content_type, extra))


RAW_QUERIES = [
    "%",
    "%zz",
    "filter=%ff",
    "=",
    "&&&",
    "filter=%F0%28%8C%28",
    "a" * 9000,
    "filter=" + "(" * 4000,
    "&".join(f"a{i}=1" for i in range(2000)),
    "filter=%00",
    "page_size=%D9%A3",
    "page_size=1_0",
    "page_token=eyJ9",
    "filter=" + "a=b OR " * 2000 + "a=b",
    "order_by=" + "name," * 3000,
]


@pytest.mark.django_db
@pytest.mark.parametrize("query", RAW_QUERIES, ids=lambda query: query[:20])
def test_no_query_makes_the_server_fail(world: World, secret: str, query: str) -> None:
    client = Client(raise_request_exception=False)
    answer = client.get(
        f"/v1/projects/{world.project.resource_id}/instances",
        headers={"Authorization": f"Bearer {secret}"},
        QUERY_STRING=query,
    )
    check(answer, query)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "value",
    [
        "Bearer",
        "Bearer ",
        "Bearer é",
        "Basic x",
        "Bearer " + "x" * 9000,
        "bearer a b",
        "\x7f",
        "Bearer cyc_",
    ],
)
def test_no_credentials_make_the_server_fail(value: str) -> None:
    answer = Client(raise_request_exception=False).get(
        "/v1/projects/p/instances", headers={"Authorization": value}
    )
    assert answer.status_code == 401
    check(answer, value)


@pytest.mark.django_db
@pytest.mark.parametrize("length", ["-1", "x", "1"])
def test_a_wrong_length_is_the_clients_fault(secret: str, world: World, length: str) -> None:
    answer = Client(raise_request_exception=False).generic(
        "POST",
        f"/v1/projects/{world.project.resource_id}/vpcs",
        b'{"display_name": "x"}',
        "application/json",
        headers={"Authorization": f"Bearer {secret}"},
        CONTENT_LENGTH=length,
    )
    check(answer, length)
