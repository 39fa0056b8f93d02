"""The operators' page of namespaces: whose they are, and as whom objects are taken in there."""

from typing import Any

import pytest
from django.test import Client

from cycloud.core.iam.models import AuditEntry, Project
from cycloud.kubernetes.models import NamespaceBinding
from tests.factories.iam import (
    MembershipFactory,
    OperatorFactory,
    ProjectFactory,
    ServiceAccountFactory,
    UserFactory,
)

LIST = "/admin/kubernetes/namespacebinding/"


@pytest.fixture
def project(db: None) -> Project:
    return ProjectFactory.create(resource_id="p")


@pytest.fixture
def operator(project: Project) -> Client:
    client = Client()
    client.force_login(OperatorFactory.create(username="olga"))
    return client


def test_a_project_is_bound_and_its_account_changed(operator: Client, project: Project) -> None:
    first, second = ServiceAccountFactory.create_batch(2, project=project)
    for account in (first, second):
        MembershipFactory.create(project=project, user=None, service_account=account)
    made = operator.post(f"{LIST}add/", {"project": project.pk, "service_account": first.pk})
    assert made.status_code == 302
    binding = NamespaceBinding.objects.get()
    assert (binding.namespace, binding.service_account) == ("cycloud-p", first)

    change = f"{LIST}{binding.pk}/change/"
    assert operator.post(change, {"service_account": second.pk}).status_code == 302
    binding.refresh_from_db()
    assert binding.service_account == second
    operator.post(change, {"service_account": ""})
    assert NamespaceBinding.objects.get().service_account is None
    entries = AuditEntry.objects.values_list("principal", "method", "resource_name")
    assert list(entries) == [("users/olga", "BindNamespace", "projects/p")] * 3


def test_the_page_offers_the_projects_own_accounts_only(operator: Client, project: Project) -> None:
    own = ServiceAccountFactory.create(project=project)
    ServiceAccountFactory.create(project=project, disabled=True)
    foreign = ServiceAccountFactory.create()
    binding = NamespaceBinding.objects.create(project=project, namespace="team")
    shown = operator.get(f"{LIST}{binding.pk}/change/")
    choices = shown.context["adminform"].form.fields["service_account"].queryset
    assert list(choices) == [own]
    refused = operator.post(f"{LIST}{binding.pk}/change/", {"service_account": foreign.pk})
    assert "service_account" in refused.context["adminform"].form.errors


def test_a_disabled_account_stays_bound_until_another_is_chosen(
    operator: Client, project: Project
) -> None:
    disabled = ServiceAccountFactory.create(project=project, disabled=True)
    binding = NamespaceBinding.objects.create(
        project=project, namespace="team", service_account=disabled
    )
    shown = operator.get(f"{LIST}{binding.pk}/change/")
    choices = shown.context["adminform"].form.fields["service_account"].queryset
    assert list(choices) == [disabled]


def test_another_projects_account_is_refused_at_its_field(
    operator: Client, project: Project
) -> None:
    foreign = ServiceAccountFactory.create(resource_id="robot")
    ServiceAccountFactory.create(project=project, resource_id="robot")
    refused = operator.post(f"{LIST}add/", {"project": project.pk, "service_account": foreign.pk})
    errors = refused.context["adminform"].form.errors
    assert "has no service account" in errors["service_account"][0]
    assert not NamespaceBinding.objects.exists()


def test_the_list_tells_where_objects_are_taken_in(operator: Client, project: Project) -> None:
    account = ServiceAccountFactory.create(project=project)
    NamespaceBinding.objects.create(project=project, namespace="team", service_account=account)
    other: Any = ProjectFactory.create()
    NamespaceBinding.objects.create(project=other, namespace="other")
    listing = operator.get(LIST)
    assert listing.status_code == 200
    assert len(listing.context["cl"].result_list) == 2
    found = operator.get(f"{LIST}?q=team").context["cl"].result_list
    assert [binding.project for binding in found] == [project]


def test_a_binding_is_neither_deleted_nor_moved_here(operator: Client, project: Project) -> None:
    binding = NamespaceBinding.objects.create(project=project, namespace="team")
    assert operator.post(f"{LIST}{binding.pk}/delete/", {"post": "yes"}).status_code == 403
    operator.post(f"{LIST}{binding.pk}/change/", {"namespace": "other", "service_account": ""})
    binding.refresh_from_db()
    assert binding.namespace == "team"


def test_it_is_in_the_sidebar_where_there_is_a_kubernetes_api(
    operator: Client, settings: Any
) -> None:
    assert LIST not in operator.get("/admin/iam/project/").content.decode()
    settings.CYCLOUD_KUBERNETES_ENABLED = True
    assert LIST in operator.get("/admin/iam/project/").content.decode()


def test_only_operators_see_it(project: Project) -> None:
    client = Client()
    client.force_login(UserFactory.create())
    assert client.get(LIST).status_code == 302
