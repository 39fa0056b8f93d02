"""The first requests of a person, several at once: one account comes of it."""

import threading

import pytest
from django.db import connection

from cycloud.core.iam.models import OidcIdentity, User
from cycloud.core.iam.oidc.config import OidcConfig
from cycloud.core.iam.oidc.provider import Claims
from cycloud.core.iam.services import oidc_identities
from cycloud.core.iam.services.oidc_identities import user_of_claims

CONFIG = OidcConfig("https://id.example.com", ("cycloud",), create_users=True)
CLAIMS = Claims(CONFIG.issuer, "person-1", {"preferred_username": "erika"})


@pytest.mark.django_db
def test_who_comes_second_finds_the_account_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    first = user_of_claims(CONFIG, CLAIMS)
    look_up = oidc_identities._identity
    answers = iter([None])

    def before_the_first_was_done(claims: Claims) -> OidcIdentity | None:
        return next(answers, look_up(claims))

    monkeypatch.setattr(oidc_identities, "_identity", before_the_first_was_done)
    assert user_of_claims(CONFIG, CLAIMS) == first
    assert User.objects.count() == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_eight_at_once_make_one_account() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("threads need a database that they can share")
    start = threading.Barrier(8)
    found: list[str] = []

    def come() -> None:
        try:
            start.wait()
            found.append(user_of_claims(CONFIG, CLAIMS).username)
        finally:
            connection.close()

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["erika"] * 8
    assert OidcIdentity.objects.count() == User.objects.count() == 1
