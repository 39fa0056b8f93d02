"""Binding a namespace of the cluster: the label there, the binding here, and what is refused."""

from typing import Any

import pytest

from cycloud.core.aip.errors import CycloudError, FailedPrecondition, InvalidArgument, NotFound
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import Membership, Project, ServiceAccount
from cycloud.kubernetes.client import client
from cycloud.kubernetes.faults import KubernetesFault
from cycloud.kubernetes.given_namespaces import bind, unbind
from cycloud.kubernetes.models import NamespaceBinding
from tests.factories.iam import OPERATOR, ProjectFactory
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.store import Ref
from tests.support.kubernetes.widgets import Widgets

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def robot(widgets: Widgets) -> ServiceAccount:
    project = ProjectFactory.create(resource_id="p")
    account = ServiceAccount.objects.create(project=project, resource_id="robot")
    Membership.objects.create(project=project, service_account=account, role=Role.EDITOR)
    return account


def give(api: ApiServer, name: str, **labels: str) -> None:
    """An operator makes a namespace."""
    body: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {"team": "a", **labels}},
    }
    api.store.create(Ref("", "v1", "namespaces", "", name), body, "kubectl")


def labels(api: ApiServer, name: str) -> dict[str, str]:
    found: dict[str, str] = api.store.get(Ref("", "v1", "namespaces", "", name))["metadata"][
        "labels"
    ]
    return found


def bound(**more: Any) -> NamespaceBinding:
    return bind(client(), actor=OPERATOR, project_id="p", **more)


def test_a_given_namespace_is_labelled_and_bound(api: ApiServer, robot: ServiceAccount) -> None:
    give(api, "team")
    bound(namespace="team", service_account="robot")
    assert labels(api, "team") == {"team": "a", "cycloud.jp/project": "p"}
    binding = NamespaceBinding.objects.get()
    assert (binding.namespace, binding.service_account, binding.is_ours) == ("team", robot, False)


@pytest.mark.parametrize("namespace", [None, "team"])
def test_a_namespace_that_is_not_there_is_made(api: ApiServer, namespace: str | None) -> None:
    made = bound(namespace=namespace).namespace
    assert made == (namespace or "cycloud-p")
    assert labels(api, made)["cycloud.jp/project"] == "p"


def test_again_writes_nothing(api: ApiServer) -> None:
    bound(namespace="team", service_account="robot")
    before = api.writes()
    bound(namespace="team", service_account="robot")
    assert api.writes() == before


def test_a_namespace_of_another_project_is_refused(api: ApiServer) -> None:
    give(api, "team", **{"cycloud.jp/project": "q"})
    with pytest.raises(FailedPrecondition, match=r"labelled cycloud\.jp/project=q") as refused:
        bound(namespace="team")
    assert refused.value.reason == "NAMESPACE_IN_USE"
    assert labels(api, "team")["cycloud.jp/project"] == "q"
    assert NamespaceBinding.objects.get().namespace == "cycloud-p"


def test_somebody_elses_namespace_of_the_name_that_we_would_make_is_not_taken(
    api: ApiServer,
) -> None:
    give(api, "cycloud-p")
    with pytest.raises(FailedPrecondition, match="Cycloud did not make it"):
        bound(service_account="robot")
    assert "cycloud.jp/project" not in labels(api, "cycloud-p")
    assert NamespaceBinding.objects.get().service_account is None
    # unless an operator names it
    bound(namespace="cycloud-p", service_account="robot")
    assert labels(api, "cycloud-p")["cycloud.jp/project"] == "p"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"namespace": "kube-system"}, InvalidArgument),
        ({"namespace": "cycloud-system"}, InvalidArgument),
        ({"namespace": "taken"}, FailedPrecondition),
        ({"service_account": "none", "namespace": "team"}, InvalidArgument),
        ({"project_id": "q"}, NotFound),
    ],
)
def test_what_is_refused_writes_nothing(
    api: ApiServer, words: dict[str, str], error: type[CycloudError]
) -> None:
    NamespaceBinding.objects.create(
        project=Project.objects.create(resource_id="r"), namespace="taken"
    )
    with pytest.raises(error):
        bind(client(), actor=OPERATOR, **{"project_id": "p", **words})
    assert api.writes() == []


def test_nothing_is_bound_while_the_api_is_away(api: ApiServer) -> None:
    api.faults.down = True
    with pytest.raises(KubernetesFault):
        bound(namespace="team", service_account="robot")
    binding = NamespaceBinding.objects.get()
    assert (binding.namespace, binding.service_account) == ("cycloud-p", None)
    api.faults.down = False
    assert bound(namespace="team", service_account="robot").namespace == "team"


def test_a_namespace_that_is_given_back_loses_the_label_and_nothing_else(api: ApiServer) -> None:
    give(api, "team")
    bound(namespace="team", service_account="robot")
    unbind(client(), actor=OPERATOR, project_id="p")
    assert labels(api, "team") == {"team": "a"}
    binding = NamespaceBinding.objects.get()
    assert (binding.namespace, binding.service_account, binding.is_ours) == (
        "cycloud-p",
        None,
        True,
    )
    assert labels(api, "cycloud-p")["cycloud.jp/project"] == "p"


def test_a_label_that_changed_meanwhile_is_left(api: ApiServer) -> None:
    bound(namespace="team")
    path = Ref("", "v1", "namespaces", "", "team")
    found = api.store.get(path)
    found["metadata"]["labels"]["cycloud.jp/project"] = "q"
    api.store.replace(path, found, "kubectl")
    bound(namespace="")
    assert labels(api, "team")["cycloud.jp/project"] == "q"
