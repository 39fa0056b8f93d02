"""Operators set limits in the admin; every change goes through the service and into the audit log."""

import pytest
from django.test import Client

from cycloud.core.iam.models import AuditEntry
from cycloud.core.quotas.models import ProjectQuota
from tests.factories.compute import World
from tests.factories.iam import OperatorFactory, UserFactory

LIST = "/admin/quotas/projectquota/"


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    client.force_login(OperatorFactory.create())
    return client


def test_a_limit_is_set_changed_and_taken_back(world: World, operator: Client) -> None:
    world.volume()
    form = {"project": world.project.pk, "resource": "volumes", "limit": 5}
    assert operator.post(f"{LIST}add/", form).status_code == 302
    quota = ProjectQuota.objects.get()
    assert (quota.project, quota.resource, quota.limit) == (world.project, "volumes", 5)
    page = operator.get(LIST).content.decode()
    assert world.project.resource_id in page and "BelowThreshold" in page

    assert operator.post(f"{LIST}{quota.pk}/change/", {"limit": 1}).status_code == 302
    quota.refresh_from_db()
    assert quota.limit == 1
    assert "LimitReached" in operator.get(LIST).content.decode()

    assert operator.post(f"{LIST}{quota.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not ProjectQuota.objects.exists()
    details = [entry.detail for entry in AuditEntry.objects.filter(method="UpdateQuota")]
    assert details == [{"limit": 5}, {"limit": 1}, {"limit": None}]


@pytest.mark.parametrize(
    "changes", [{"limit": -1}, {"limit": "many"}, {"limit": 2**31}, {"resource": "gpus"}]
)
def test_a_wrong_limit_is_shown_at_the_form(
    world: World, operator: Client, changes: dict[str, object]
) -> None:
    form = {"project": world.project.pk, "resource": "volumes", "limit": 5, **changes}
    answer = operator.post(f"{LIST}add/", form)
    assert answer.status_code == 200
    assert not ProjectQuota.objects.exists()


def test_a_second_limit_of_the_same_kind_is_refused(world: World, operator: Client) -> None:
    ProjectQuota.objects.create(project=world.project, resource="volumes", limit=5)
    form = {"project": world.project.pk, "resource": "volumes", "limit": 7}
    assert operator.post(f"{LIST}add/", form).status_code == 200
    assert ProjectQuota.objects.get().limit == 5


def test_who_is_no_operator_is_kept_out(world: World) -> None:
    client = Client()
    client.force_login(UserFactory.create())
    assert client.get(LIST).status_code == 302
