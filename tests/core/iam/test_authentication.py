from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client, RequestFactory

from cycloud.core.aip.errors import Unauthenticated
from cycloud.core.clock import use_clock
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.authentication import actor_for_request, actor_for_secret
from cycloud.core.iam.models import ApiToken
from cycloud.core.iam.tokens import digest_of, looks_like_token, new_secret
from tests.factories.iam import (
    MembershipFactory,
    OperatorFactory,
    ProjectFactory,
    ServiceAccountFactory,
    UserFactory,
)
from tests.factories.rest import token_for

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_secret_is_long_random_and_stored_as_a_digest_only() -> None:
    user = UserFactory.create()
    secret = token_for(user)
    assert looks_like_token(secret)
    assert len({new_secret() for _ in range(100)}) == 100
    stored = ApiToken.objects.values().get()
    assert secret not in str(stored)
    assert stored["digest"] == digest_of(secret)


def test_a_users_token_has_the_users_roles() -> None:
    user = UserFactory.create()
    membership = MembershipFactory.create(user=user, role="viewer")
    actor = actor_for_secret(token_for(user))
    assert actor == Actor(
        principal=f"users/{user.username}",
        roles={membership.project.resource_id: Role.VIEWER},
    )


def test_a_service_accounts_token_has_its_roles() -> None:
    account = ServiceAccountFactory.create()
    MembershipFactory.create(
        project=account.project, user=None, service_account=account, role="editor"
    )
    actor = actor_for_secret(token_for(None, service_account=account))
    assert actor.principal == f"serviceAccounts/{account.project}/{account.resource_id}"
    assert actor.roles == {account.project.resource_id: Role.EDITOR}
    assert not actor.is_operator


def test_an_operators_token_is_an_operators() -> None:
    assert actor_for_secret(token_for(OperatorFactory.create())).is_operator


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({"project": 1}, {"a": Role.ADMIN}),
        ({"role": "viewer"}, {"a": Role.VIEWER, "b": Role.VIEWER}),
        ({"project": 1, "role": "editor"}, {"a": Role.EDITOR}),
        ({"project": 2, "role": "admin"}, {"b": Role.VIEWER}),
        ({"project": 3}, {}),
    ],
)
def test_a_scope_narrows_and_never_widens(
    scope: dict[str, object], expected: dict[str, Role]
) -> None:
    a, b, c = (ProjectFactory.create(resource_id=name) for name in "abc")
    user = UserFactory.create()
    MembershipFactory.create(user=user, project=a, role="admin")
    MembershipFactory.create(user=user, project=b, role="viewer")
    if "project" in scope:
        scope = {**scope, "project": {1: a, 2: b, 3: c}[scope["project"]]}  # type: ignore[index]
    actor = actor_for_secret(token_for(user, **scope))
    assert (actor.roles, actor.is_narrowed, actor.is_operator) == (expected, True, False)


@pytest.mark.parametrize("scope", ["project", "role"])
def test_an_operators_token_with_a_scope_is_no_operators(scope: str) -> None:
    project = ProjectFactory.create(resource_id="a")
    ProjectFactory.create(resource_id="b")
    fields = {"project": project} if scope == "project" else {"role": "viewer"}
    actor = actor_for_secret(token_for(OperatorFactory.create(), **fields))
    assert not actor.is_operator
    assert actor.roles == (
        {"a": Role.ADMIN} if scope == "project" else {"a": Role.VIEWER, "b": Role.VIEWER}
    )


def _bad_tokens() -> dict[str, str]:
    disabled = ServiceAccountFactory.create(disabled=True)
    return {
        "unknown": new_secret(),
        "malformed": "cyc_x",
        "empty": "",
        "not ascii": "cyc_" + "é" * 40,
        "expired": token_for(UserFactory.create(), expire_time=NOW),
        "revoked": token_for(UserFactory.create(), revoke_time=NOW),
        "of a disabled user": token_for(UserFactory.create(is_active=False)),
        "of a disabled account": token_for(None, service_account=disabled),
    }


def test_all_bad_tokens_are_refused_in_the_same_words() -> None:
    with use_clock(lambda: NOW):
        messages = set()
        for name, secret in _bad_tokens().items():
            with pytest.raises(Unauthenticated) as caught:
                actor_for_secret(secret)
            messages.add((caught.value.message, caught.value.reason))
            assert "cyc_" not in caught.value.message, name
    assert len(messages) == 1


def test_a_token_is_good_until_its_last_moment() -> None:
    secret = token_for(UserFactory.create(), expire_time=NOW)
    with use_clock(lambda: NOW - timedelta(microseconds=1)):
        actor_for_secret(secret)


def test_the_time_of_use_is_noted_at_most_once_a_minute() -> None:
    secret = token_for(UserFactory.create(), expire_time=NOW + timedelta(days=1))
    seen = []
    for seconds in (0, 30, 59, 60, 61):
        time = NOW + timedelta(seconds=seconds)
        with use_clock(lambda time=time: time):  # type: ignore[misc]
            actor_for_secret(secret)
        seen.append(ApiToken.objects.get().last_used_time)
    assert seen == [NOW, NOW, NOW, NOW + timedelta(minutes=1), NOW + timedelta(minutes=1)]


def test_a_wrong_header_is_refused_even_with_a_good_session() -> None:
    request = RequestFactory().get("/", headers={"Authorization": "Basic abc"})
    request.user = UserFactory.create()
    with pytest.raises(Unauthenticated):
        actor_for_request(request)


def test_a_session_writes_only_with_a_csrf_token() -> None:
    client = Client(enforce_csrf_checks=True)
    user = UserFactory.create()
    MembershipFactory.create(user=user, project__resource_id="p")
    client.force_login(user)
    assert client.get("/v1/projects/p").status_code == 200
    refused = client.post("/v1/projects/p/vpcs", "{}", content_type="application/json")
    assert refused.status_code == 403
    assert refused.json()["error"]["details"][0]["reason"] == "CSRF_FAILED"
    client.cookies["csrftoken"] = "a" * 32
    done = client.post(
        "/v1/projects/p/vpcs",
        "{}",
        content_type="application/json",
        headers={"X-CSRFToken": "a" * 32},
    )
    assert done.status_code == 200


def test_a_token_writes_without_a_csrf_token() -> None:
    client = Client(enforce_csrf_checks=True)
    membership = MembershipFactory.create(project__resource_id="p")
    answer = client.post(
        "/v1/projects/p/vpcs",
        "{}",
        content_type="application/json",
        headers={"Authorization": f"Bearer {token_for(membership.user)}"},
    )
    assert answer.status_code == 200
