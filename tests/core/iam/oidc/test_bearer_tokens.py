"""Tokens of an OpenID provider as bearer tokens, against a provider on loopback."""

import logging
import time
from typing import Any

import jwt
import pytest

from cycloud.core.iam.models import AuditEntry, OidcIdentity, User
from cycloud.core.iam.oidc.provider import Provider
from tests.core.iam.oidc.issuer import Issuer
from tests.factories.iam import MembershipFactory, ProjectFactory, UserFactory
from tests.factories.rest import Answer, RestClient

pytestmark = pytest.mark.django_db


def ask(token: str, path: str = "projects") -> Answer:
    return RestClient(token)("GET", path)


def test_a_persons_first_token_makes_an_account_and_later_ones_find_it(issuer: Issuer) -> None:
    assert ask(issuer.token()).status == 200
    identity = OidcIdentity.objects.get()
    assert (identity.issuer, identity.subject) == (issuer.url, "person-1")
    assert (identity.user.username, identity.user.email) == ("erika", "erika@example.com")
    assert not identity.user.has_usable_password()
    assert AuditEntry.objects.filter(method="CreateUser", resource_name="users/erika").exists()
    # another name and address later: still the same person
    assert ask(issuer.token(preferred_username="erika.m", email="e@example.com")).status == 200
    assert User.objects.count() == 1


def test_a_person_may_do_what_the_memberships_say(issuer: Issuer) -> None:
    project = ProjectFactory.create(resource_id="p")
    ask(issuer.token())
    assert ask(issuer.token(), "projects/p").status == 404
    MembershipFactory.create(project=project, user=User.objects.get(), role="viewer")
    assert ask(issuer.token(), "projects/p").status == 200
    assert RestClient(issuer.token())("POST", "projects/p/vpcs", {}).status == 403
    entry = AuditEntry.objects.get(outcome="PERMISSION_DENIED")
    assert entry.principal == "users/erika"


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another"},
        {"aud": None},
        {"iss": "https://evil.example.com"},
        {"exp": int(time.time()) - 60},
        {"exp": None},
        {"nbf": int(time.time()) + 600},
        {"sub": None},
        {"sub": ""},
        {"sub": "x" * 300},
    ],
)
def test_a_token_that_is_not_for_us_and_for_now_is_refused(
    issuer: Issuer, claims: dict[str, Any]
) -> None:
    answer = ask(issuer.token(**claims))
    assert (answer.status, answer.reason) == (401, "CREDENTIALS_INVALID")
    assert not User.objects.exists()


def test_clocks_may_differ_by_the_leeway(issuer: Issuer) -> None:
    assert ask(issuer.token(exp=int(time.time()) - 10)).status == 200
    assert ask(issuer.token(nbf=int(time.time()) + 10)).status == 200


def test_one_of_several_audiences_is_enough(issuer: Issuer, settings: Any) -> None:
    settings.CYCLOUD_OIDC_AUDIENCE = ["https://api.example.com", "cycloud-cli"]
    assert ask(issuer.token(aud=["x", "cycloud-cli"])).status == 200
    assert ask(issuer.token()).status == 401


def test_a_token_that_the_provider_did_not_sign_is_refused(issuer: Issuer) -> None:
    other = Issuer(url=issuer.url)
    other.rotate("key-1")
    assert ask(other.token()).reason == "CREDENTIALS_INVALID"
    head, body, _ = issuer.token().split(".")
    for token in (
        f"{head}.{body}.",
        f"{head}.{body}.AAAA",
        f"{head}.{issuer.token(sub='person-2').split('.')[1]}.{issuer.token().split('.')[2]}",
        "eyJ.x.y",
        "ey..",
        f"ey{'a' * 20_000}.b.c",
    ):
        assert ask(token).reason == "CREDENTIALS_INVALID", token


def test_only_rs256_and_es256_are_taken(issuer: Issuer) -> None:
    values = {"iss": issuer.url, "aud": "cycloud", "sub": "x", "exp": int(time.time()) + 60}
    public = str(issuer.jwks()["keys"][0]["n"])
    for token in (
        jwt.encode(values, "", algorithm="none", headers={"kid": "key-1"}),
        jwt.encode(values, public, algorithm="HS256", headers={"kid": "key-1"}),
        issuer.token(algorithm="RS512"),
        issuer.token(algorithm="PS256"),
    ):
        assert ask(token).reason == "CREDENTIALS_INVALID"
    assert issuer.requests == []


def test_es256_is_taken(issuer: Issuer) -> None:
    issuer.rotate("ec-1", algorithm="ES256")
    assert ask(issuer.token()).status == 200


def test_a_new_key_is_fetched_when_a_token_names_it(issuer: Issuer, provider: Provider) -> None:
    old = issuer.token()
    assert ask(old).status == 200
    issuer.rotate("key-2")
    # the keys were fetched a moment ago: strangers cannot make us ask the provider for each of their tokens
    fetched = issuer.requests.count("/keys")
    assert ask(issuer.token()).status == 401
    assert issuer.requests.count("/keys") == fetched
    provider.keys().cooldown_duration = 0
    assert ask(issuer.token()).status == 200
    assert ask(old).status == 401


def test_keys_are_fetched_once_for_many_tokens(issuer: Issuer) -> None:
    for number in range(5):
        assert ask(issuer.token(jti=str(number))).status == 200
    assert issuer.requests == ["/.well-known/openid-configuration", "/keys"]


def test_the_keys_address_can_be_set(issuer: Issuer, settings: Any) -> None:
    settings.CYCLOUD_OIDC_JWKS_URL = f"{issuer.url}/keys"
    assert ask(issuer.token()).status == 200
    assert issuer.requests == ["/keys"]


@pytest.mark.parametrize("fault", ["is_down", "wrong_issuer"])
def test_a_provider_that_does_not_answer_is_no_fault_of_the_token(
    issuer: Issuer, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cycloud.core.iam.oidc.provider._PAUSE", 0.0)
    setattr(issuer, fault, True)
    answer = ask(issuer.token())
    assert (answer.status, answer.reason) == (503, "IDENTITY_PROVIDER_UNAVAILABLE")
    assert answer.headers["Retry-After"] == "5"
    setattr(issuer, fault, False)
    assert ask(issuer.token()).status == 200
    # known keys serve on while it is away
    issuer.is_down = True
    assert ask(issuer.token()).status == 200


def test_while_the_provider_is_away_it_is_not_asked_for_every_call(issuer: Issuer) -> None:
    issuer.is_down = True
    for _ in range(5):
        assert ask(issuer.token()).status == 503
    assert len(issuer.requests) == 1


def test_a_disabled_user_is_refused(issuer: Issuer) -> None:
    ask(issuer.token())
    User.objects.update(is_active=False)
    assert ask(issuer.token()).reason == "CREDENTIALS_INVALID"


def test_people_without_an_account_are_told_so(issuer: Issuer, settings: Any) -> None:
    settings.CYCLOUD_OIDC_CREATE_USERS = False
    answer = ask(issuer.token())
    assert (answer.status, answer.reason) == (401, "USER_UNKNOWN")
    OidcIdentity.objects.create(
        user=UserFactory.create(username="linked"), issuer=issuer.url, subject="person-1"
    )
    assert ask(issuer.token()).status == 200


def test_an_account_is_never_taken_over_by_its_name(issuer: Issuer) -> None:
    UserFactory.create(username="Erika", email="erika@example.com")
    assert ask(issuer.token()).reason == "USERNAME_TAKEN"
    assert not OidcIdentity.objects.exists()


@pytest.mark.parametrize("name", [None, "", "a b", "x" * 151, 5, "a/b"])
def test_a_claim_that_is_no_user_name_is_refused(issuer: Issuer, name: Any) -> None:
    assert ask(issuer.token(preferred_username=name)).reason == "USERNAME_INVALID"


def test_the_user_name_may_be_another_claim(issuer: Issuer, settings: Any) -> None:
    settings.CYCLOUD_OIDC_USERNAME_CLAIM = "email"
    ask(issuer.token())
    assert User.objects.get().username == "erika@example.com"


def test_groups_give_roles_as_long_as_the_provider_tells_them(
    issuer: Issuer, settings: Any
) -> None:
    settings.CYCLOUD_OIDC_GROUPS = ["/team a=p:editor", "ops=operator", "all=p:viewer"]
    ProjectFactory.create(resource_id="p")
    in_team = issuer.token(groups=["/team a", "all", "unknown"])
    assert RestClient(in_team)("POST", "projects/p/vpcs", {}).status == 200
    assert OidcIdentity.objects.get().groups == ["/team a", "all"]
    assert RestClient(issuer.token(groups=["all"]))("POST", "projects/p/vpcs", {}).status == 403
    assert ask(issuer.token(), "projects/p").status == 404
    for claim in ("/team a", [5, None], {"x": 1}):
        assert ask(issuer.token(groups=claim), "projects/p").status == 404


def test_a_group_makes_operators_and_unmakes_them(issuer: Issuer, settings: Any) -> None:
    settings.CYCLOUD_OIDC_GROUPS = ["ops=operator"]
    assert ask(issuer.token(groups=["ops"]), "openStackClusters").status == 200
    assert User.objects.get().is_staff
    assert ask(issuer.token(groups=[]), "openStackClusters").status == 403
    assert not User.objects.get().is_staff
    changes = AuditEntry.objects.filter(method="UpdateUser").order_by("pk")
    assert [row.detail["is_operator"] for row in changes] == [True, False]


def test_without_a_group_for_them_operators_are_made_by_hand(issuer: Issuer) -> None:
    ask(issuer.token())
    User.objects.update(is_staff=True)
    assert ask(issuer.token(), "openStackClusters").status == 200


def test_without_an_issuer_such_a_token_is_no_token(issuer: Issuer, settings: Any) -> None:
    settings.CYCLOUD_OIDC_ISSUER = ""
    assert ask(issuer.token()).reason == "CREDENTIALS_INVALID"
    assert issuer.requests == []


def test_no_part_of_a_token_is_logged(issuer: Issuer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    tokens = [issuer.token(), issuer.token(aud="another"), "eyJhbGciOiJub25lIn0.eyJ4Ijoi.c2VjcmV0"]
    for token in tokens:
        ask(token)
    issuer.is_down = True
    ask(issuer.token(kid="key-1", jti="another"))
    text = "\n".join(record.getMessage() + str(record.exc_text) for record in caplog.records)
    for token in tokens:
        assert not any(part in text for part in token.split(".") if len(part) > 8)
