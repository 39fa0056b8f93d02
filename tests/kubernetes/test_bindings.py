"""Binding a namespace: to a service account, and to a project."""

from collections.abc import Iterator
from typing import Any

import pytest

from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument, NotFound, PermissionDenied
from cycloud.core.clock import now
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry, Membership, Project, ServiceAccount
from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.kubernetes.bindings import bind_namespace
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.registry import _by_rows, _kinds
from tests.factories.compute import InstanceFactory
from tests.factories.iam import OPERATOR, ProjectFactory, ServiceAccountFactory
from tests.factories.networking import SubnetFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kinds(settings: Any) -> Iterator[None]:
    settings.CYCLOUD_KUBERNETES_KINDS = ["tests.kubernetes.stub_kinds.KINDS"]
    _kinds.cache_clear()
    _by_rows.cache_clear()
    yield
    _kinds.cache_clear()
    _by_rows.cache_clear()


@pytest.fixture
def project() -> Project:
    return ProjectFactory.create(resource_id="p")


@pytest.fixture
def robot(project: Project) -> ServiceAccount:
    robot = ServiceAccountFactory.create(project=project, resource_id="robot")
    Membership.objects.create(project=project, service_account=robot, role=Role.EDITOR)
    return robot


def bind(**more: Any) -> NamespaceBinding:
    return bind_namespace(actor=OPERATOR, project_id="p", **more)


def waiting(key: str, project: str = "") -> DueRow:
    """An object that was refused, for good as far as anybody knew."""
    return DueRow.objects.create(
        controller="kubernetes",
        key=key,
        queue="kubernetes",
        project=project,
        requested=now(),
        last_outcome="Terminal",
    )


@pytest.mark.parametrize("word", ["robot", "serviceAccounts/p/robot"])
def test_an_account_is_bound_and_taken_away_again(robot: ServiceAccount, word: str) -> None:
    binding = bind(service_account=word)
    assert binding.namespace == "cycloud-p"
    assert NamespaceBinding.objects.get().service_account == robot
    bind(service_account="")
    assert NamespaceBinding.objects.get().service_account is None
    entries = AuditEntry.objects.order_by("pk").values_list("method", "resource_name", "detail")
    assert list(entries) == [
        (
            "BindNamespace",
            "projects/p",
            {"namespace": "cycloud-p", "service_account": account},
        )
        for account in ("serviceAccounts/p/robot", "")
    ]


def test_again_changes_nothing(robot: ServiceAccount) -> None:
    bind(service_account="robot", namespace="team-p")
    bind(service_account="robot", namespace="team-p")
    bind()
    assert AuditEntry.objects.count() == 1
    binding = NamespaceBinding.objects.get()
    assert (binding.namespace, binding.service_account, binding.is_ours) == ("team-p", robot, False)


def test_the_account_stays_where_only_the_namespace_is_changed(robot: ServiceAccount) -> None:
    bind(service_account="robot")
    bind(namespace="team-p")
    assert NamespaceBinding.objects.get().service_account == robot


def test_the_projects_first_namespace_is_ours(project: Project) -> None:
    bind(namespace="team-p")
    assert bind(namespace="").namespace == "cycloud-p"
    assert NamespaceBinding.objects.get().is_ours


def test_what_was_refused_is_looked_at_again(robot: ServiceAccount) -> None:
    mine = waiting("Instance:projects/p/instances/a", "p")
    unbound = waiting("Instance:namespaces/team-p/instances/b")
    foreign = waiting("Instance:projects/q/instances/a", "q")
    bind(service_account="robot", namespace="team-p")
    for row, is_due in ((mine, True), (unbound, True), (foreign, False)):
        row.refresh_from_db()
        assert (row.due is not None) is is_due, row


def test_after_a_move_all_of_the_project_is_written_anew_and_the_old_objects_go(
    project: Project,
) -> None:
    instance = InstanceFactory.create(project=project)
    InstanceFactory.create()
    bind(namespace="team-p")
    rows = DueRow.objects.filter(controller="kubernetes").values_list("key", "lane")
    assert dict(rows) == {
        f"Instance:{instance.name}": Lane.RESYNC,
        f"Instance:namespaces/cycloud-p/instances/{instance.resource_id}": Lane.RESYNC,
    }


def test_a_validation_keeps_nothing(robot: ServiceAccount) -> None:
    bind(service_account="robot", namespace="team-p", validate_only=True)
    assert NamespaceBinding.objects.get().namespace == "cycloud-p"
    assert not AuditEntry.objects.exists()
    with pytest.raises(InvalidArgument):
        bind(namespace="kube-system", validate_only=True)


def test_an_account_that_could_not_make_anything_is_refused(robot: ServiceAccount) -> None:
    Membership.objects.update(role=Role.VIEWER)
    with pytest.raises(InvalidArgument, match="has the role viewer in projects/p"):
        bind(service_account="robot")
    Membership.objects.all().delete()
    with pytest.raises(InvalidArgument, match="has no role in projects/p"):
        bind(service_account="robot")


@pytest.mark.parametrize(
    "account", ["none", "serviceAccounts/q/robot", "serviceAccounts/q/other", "other"]
)
def test_an_account_of_another_project_is_none(robot: ServiceAccount, account: str) -> None:
    ServiceAccountFactory.create(project__resource_id="q", resource_id="other")
    with pytest.raises(InvalidArgument, match="projects/p has no service account"):
        bind(service_account=account)
    assert NamespaceBinding.objects.get().service_account is None


def test_a_disabled_account_is_refused(robot: ServiceAccount) -> None:
    ServiceAccount.objects.update(disabled=True)
    with pytest.raises(InvalidArgument, match="disabled"):
        bind(service_account="robot")


@pytest.mark.parametrize(
    "namespace",
    ["Team", "a" * 64, "-a", "a/b", "default", "kube-system", "cycloud-q", "cycloud-system"],
)
def test_a_bad_namespace_is_refused(project: Project, namespace: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        bind(namespace=namespace)
    assert [violation.field for violation in refused.value.violations] == ["namespace"]
    assert NamespaceBinding.objects.get().namespace == "cycloud-p"


def test_a_namespace_is_one_projects(project: Project) -> None:
    ProjectFactory.create(resource_id="q")
    bind_namespace(actor=OPERATOR, project_id="q", namespace="team")
    with pytest.raises(FailedPrecondition, match="projects/q") as refused:
        bind(namespace="team")
    assert refused.value.reason == "NAMESPACE_IN_USE"
    assert NamespaceBinding.objects.get(project=project).namespace == "cycloud-p"


def test_a_namespace_in_which_something_is_declared_is_not_left(project: Project) -> None:
    bind()
    instance = InstanceFactory.create(
        project=project, managed_by="namespaces/cycloud-p/instances/x"
    )
    SubnetFactory.create(vpc__project=project)
    with pytest.raises(FailedPrecondition, match=instance.name):
        bind(namespace="team-p")
    assert NamespaceBinding.objects.get().namespace == "cycloud-p"


def test_a_project_that_is_not_there_is_not_bound() -> None:
    with pytest.raises(NotFound):
        bind(namespace="team")
    assert not NamespaceBinding.objects.exists()


def test_only_operators_bind(robot: ServiceAccount) -> None:
    admin = Actor("users/alice", roles={"p": Role.ADMIN})
    with pytest.raises(PermissionDenied):
        bind_namespace(actor=admin, project_id="p", service_account="robot")
    assert not NamespaceBinding.objects.exists()
