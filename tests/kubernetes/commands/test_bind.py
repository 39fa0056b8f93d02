"""``bind``, ``unbind`` and ``bindings``: what they say."""

import pytest
from django.core.management import CommandError

from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import AuditEntry, Membership, ServiceAccount
from cycloud.kubernetes.models import NamespaceBinding
from tests.factories.iam import ProjectFactory
from tests.kubernetes.commands.running import run
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.widgets import Widgets

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def robot(api: ApiServer, widgets: Widgets) -> ServiceAccount:
    project = ProjectFactory.create(resource_id="p")
    account = ServiceAccount.objects.create(project=project, resource_id="robot")
    Membership.objects.create(project=project, service_account=account, role=Role.ADMIN)
    return account


@pytest.mark.parametrize("project", ["p", "projects/p"])
def test_a_project_is_bound_and_unbound(robot: ServiceAccount, project: str) -> None:
    told = run("bind", project, "--namespace", "team", "--service-account", "robot")
    assert told.splitlines() == [
        "The namespace of projects/p is team.",
        "What is applied there is taken in as serviceAccounts/p/robot.",
    ]
    assert run("bindings").splitlines() == [
        "PROJECT  NAMESPACE  TAKEN IN AS",
        "p        team       serviceAccounts/p/robot",
    ]
    told = run("unbind", project)
    assert told == "The namespace of projects/p is cycloud-p; what is applied there is refused.\n"
    assert NamespaceBinding.objects.get().service_account is None
    entries = AuditEntry.objects.values_list("principal", "method", "resource_name")
    assert set(entries) == {("system/kubernetes-command", "BindNamespace", "projects/p")}


def test_without_an_account_it_says_what_is_missing() -> None:
    assert run("bind", "p").splitlines()[1] == (
        "What is applied there is refused, until a service account is bound: --service-account ID"
    )


def test_the_account_can_be_made_with_it() -> None:
    ProjectFactory.create(resource_id="new")
    words = ["bind", "new", "--service-account", "gitops", "--create"]
    assert run(*words) == run(*words)
    membership = Membership.objects.get(service_account__resource_id="gitops")
    assert membership.role == Role.EDITOR
    assert NamespaceBinding.objects.get().service_account == membership.service_account
    with pytest.raises(CommandError, match="name it with --service-account"):
        run("bind", "new", "--create")


def test_an_account_that_is_there_keeps_its_role(robot: ServiceAccount) -> None:
    run("bind", "p", "--service-account", "robot", "--create")
    assert Membership.objects.get().role == Role.ADMIN


def test_a_disabled_account_shows(robot: ServiceAccount) -> None:
    run("bind", "p", "--service-account", "robot")
    ServiceAccount.objects.update(disabled=True)
    assert run("bindings").splitlines()[1].endswith("serviceAccounts/p/robot (disabled)")


def test_no_binding_is_only_the_head() -> None:
    assert run("bindings") == "PROJECT  NAMESPACE  TAKEN IN AS\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["q"], "There is no projects/q"),
        (["p", "--service-account", "none"], "has no service account 'none'"),
        (["p", "--namespace", "kube-system"], "kube-system is Kubernetes' own"),
    ],
)
def test_a_refusal_is_one_line(words: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run("bind", *words)


def test_an_api_that_is_away_is_one_line(api: ApiServer) -> None:
    api.faults.down = True
    with pytest.raises(CommandError, match="The Kubernetes API does not answer"):
        run("bind", "p", "--service-account", "robot")
