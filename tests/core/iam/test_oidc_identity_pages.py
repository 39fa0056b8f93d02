"""Operators link accounts to people of the OpenID provider."""

import pytest
from django.test import Client

from cycloud.core.iam.models import AuditEntry, OidcIdentity, User
from tests.factories.iam import OperatorFactory, UserFactory

pytestmark = pytest.mark.django_db
PAGES = "/admin/iam/oidcidentity/"


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(OperatorFactory.create())
    return client


def link(operator: Client, user: User, subject: str = "person-1") -> str:
    form = {"user": str(user.pk), "issuer": "https://id.example.com", "subject": subject}
    return operator.post(f"{PAGES}add/", form, follow=True).content.decode()


def test_an_account_is_linked_listed_and_unlinked(operator: Client) -> None:
    user = UserFactory.create(username="erika")
    assert "person-1" in link(operator, user)
    identity = OidcIdentity.objects.get()
    assert (identity.user, identity.issuer) == (user, "https://id.example.com")
    assert "person-1" in operator.get(PAGES).content.decode()
    assert operator.get(f"{PAGES}{identity.pk}/change/").status_code == 200
    operator.post(f"{PAGES}{identity.pk}/delete/", {"post": "yes"})
    assert not OidcIdentity.objects.exists()
    assert User.objects.filter(username="erika").exists()
    assert [(row.method, row.resource_name) for row in AuditEntry.objects.order_by("pk")] == [
        ("CreateOidcIdentity", "users/erika"),
        ("DeleteOidcIdentity", "users/erika"),
    ]


def test_a_person_has_one_account(operator: Client) -> None:
    link(operator, UserFactory.create())
    link(operator, UserFactory.create())
    assert OidcIdentity.objects.count() == 1
