"""What the controller's service account and people may do after an install, on a real API server."""

import json
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from django.core.management import CommandError

from cycloud.kubernetes import crds
from cycloud.kubernetes.client import forget_client
from cycloud.kubernetes.crds.definition import Category
from tests.e2e.kubernetes.harness.api import Api
from tests.e2e.kubernetes.harness.install import check, manage
from tests.e2e.kubernetes.harness.kubectl import Kubectl
from tests.e2e.kubernetes.harness.server import ApiServer

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
SYSTEM = "cycloud-system"
UID = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
WEBHOOK = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/cycloud"
EVENT: Json = {
    "apiVersion": "events.k8s.io/v1",
    "kind": "Event",
    "metadata": {"name": "told", "namespace": "team"},
    "eventTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    "reportingController": "cycloud.jp/controller",
    "reportingInstance": "cycloud",
    "action": "Reconcile",
    "reason": "Told",
    "note": "said",
    "type": "Normal",
    "regarding": {"apiVersion": "v1", "kind": "Namespace", "name": "team", "namespace": "team"},
}
NETWORK: Json = {
    "apiVersion": "networking.interface.compute.cycloud.jp/v1",
    "kind": "VPC",
    "metadata": {"name": "main", "namespace": "team"},
    "spec": {"displayName": ""},
}


@pytest.fixture
def token(installed: ApiServer) -> str:
    """A token of the controller's service account."""
    return Kubectl(installed)("create", "token", "cycloud", "--namespace", SYSTEM).strip()


@pytest.fixture
def account(installed: ApiServer, token: str, admin_api: Api) -> Iterator[httpx.Client]:
    """The service account, without the product's client."""
    context = ssl.create_default_context(cafile=str(installed.ca))
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(
        base_url=installed.url, verify=context, headers=headers, trust_env=False
    ) as http:
        yield http


def kubeconfig_with(server: ApiServer, token: str, folder: Path) -> Path:
    document = yaml.safe_load(server.kubeconfig().read_text())
    document["users"][0]["user"] = {"token": token}
    path = folder / "account.kubeconfig"
    path.write_text(yaml.safe_dump(document))
    return path


# -- what the controller's service account may do


def test_the_account_passes_the_check(
    installed: ApiServer, token: str, tmp_path: Path, settings: Any
) -> None:
    settings.CYCLOUD_KUBERNETES_KUBECONFIG = str(kubeconfig_with(installed, token, tmp_path))
    forget_client()
    told = check(0)
    assert f"It knows this process as system:serviceaccount:{SYSTEM}:cycloud." in told
    assert "ok     rights       All 126 that the controller needs are there." in told
    assert "note   definitions  All 14 are served." in told
    assert "may do everything" not in told
    with pytest.raises(CommandError, match="This account may not do that"):
        manage("install")


def test_the_account_reads_and_writes_objects_as_the_sync_does(account: httpx.Client) -> None:
    everywhere = "/apis/networking.interface.compute.cycloud.jp/v1/vpcs"
    path = "/apis/networking.interface.compute.cycloud.jp/v1/namespaces/team/vpcs/main"
    apply = {"Content-Type": "application/apply-patch+yaml"}
    by = {"fieldManager": "cycloud", "force": "true"}
    status = {**NETWORK, "status": {"conditions": [], "uid": UID}}
    ok(account.patch(path, json=NETWORK, headers=apply, params=by))
    ok(account.patch(f"{path}/status", json=status, headers=apply, params=by))
    found = ok(account.get(path)).json()
    team = ok(account.get("/api/v1/namespaces/team")).json()
    found["metadata"]["finalizers"] = ["cycloud.jp/deletion"]
    found["metadata"]["ownerReferences"] = [owned_by(team)]
    ok(account.put(path, json=found))
    found = ok(account.get(path)).json()
    ok(account.put(f"{path}/status", json={**found, "status": {"conditions": [], "uid": UID}}))
    assert len(ok(account.get(everywhere)).json()["items"]) == 1
    ok(account.get(everywhere, params={"watch": "true", "timeoutSeconds": "1"}))
    gone = [{"op": "replace", "path": "/metadata/finalizers", "value": []}]
    headers = {"Content-Type": "application/json-patch+json"}
    ok(account.patch(path, content=json.dumps(gone), headers=headers))
    ok(account.delete(path))
    assert account.get(path).status_code == 404


def test_the_account_writes_events_namespaces_and_its_lease(account: httpx.Client) -> None:
    events = "/apis/events.k8s.io/v1/namespaces/team/events"
    ok(account.post(events, json=EVENT))
    ok(account.put(f"{events}/told", json=ok(account.get(f"{events}/told")).json()))
    made = {"metadata": {"name": "cycloud-made", "labels": {"cycloud.jp/project": "made"}}}
    ok(account.post("/api/v1/namespaces", json=made))
    merge = {"Content-Type": "application/merge-patch+json"}
    ok(account.patch("/api/v1/namespaces/cycloud-made", json=made, headers=merge))
    leases = f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases"
    lease = ok(account.post(leases, json={"metadata": {"name": "cycloud-watcher"}})).json()
    ok(account.get(f"{leases}/cycloud-watcher"))
    ok(account.put(f"{leases}/cycloud-watcher", json=lease))


def ok(answer: httpx.Response) -> httpx.Response:
    assert answer.is_success, f"{answer.request.method} {answer.request.url}: {answer.text}"
    return answer


def owned_by(owner: Json) -> Json:
    """An owner that blocks nobody, as the sync writes it."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": False,
    }


CORE = "/api/v1/namespaces"
FORBIDDEN = [
    ("GET", f"{CORE}/team/secrets"),
    ("GET", f"{CORE}/{SYSTEM}/secrets"),
    ("POST", f"{CORE}/{SYSTEM}/secrets"),
    ("GET", "/api/v1/secrets"),
    ("GET", f"{CORE}/team/configmaps"),
    ("GET", f"{CORE}/team/pods"),
    ("POST", f"{CORE}/team/pods"),
    ("GET", f"{CORE}/team/serviceaccounts"),
    ("POST", f"{CORE}/{SYSTEM}/serviceaccounts/cycloud/token"),
    ("GET", "/api/v1/nodes"),
    ("GET", CORE),
    ("DELETE", f"{CORE}/team"),
    ("DELETE", f"{CORE}/kube-system"),
    ("PUT", f"{CORE}/team/finalize"),
    ("DELETE", "/apis/events.k8s.io/v1/namespaces/team/events"),
    ("GET", "/apis/events.k8s.io/v1/namespaces/team/events"),
    ("GET", f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases"),
    ("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cycloud-watcher"),
    ("POST", "/apis/coordination.k8s.io/v1/namespaces/team/leases"),
    ("DELETE", f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases/cycloud-watcher"),
    ("GET", ROLES),
    ("PUT", f"{ROLES}/cycloud-controller"),
    ("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"),
    ("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings"),
    ("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
    (
        "DELETE",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/volumes.storage.interface.compute.cycloud.jp",
    ),
    ("GET", WEBHOOK),
    ("GET", "/apis/apps/v1/deployments"),
    # of our own groups: what is only declared, and collections as a whole
    ("GET", "/apis/compute.interface.compute.cycloud.jp/v1/placementgroups"),
    ("DELETE", "/apis/compute.interface.compute.cycloud.jp/v1/namespaces/team/instances"),
]


def test_the_account_may_do_nothing_else(account: httpx.Client) -> None:
    answers = {
        f"{method} {path}": account.request(method, path, json={"metadata": {"name": "x"}})
        for method, path in FORBIDDEN
    }
    allowed = {call: it.text for call, it in answers.items() if it.status_code != 403}
    assert not allowed


def test_an_account_without_rights_is_told_each_that_is_missing(
    installed: ApiServer, settings: Any
) -> None:
    settings.CYCLOUD_KUBERNETES_KUBECONFIG = str(installed.kubeconfig("cycloud"))
    forget_client()
    told = check(1).splitlines()
    lacking = [line for line in told if line.startswith("wrong  rights")]
    assert len(lacking) == 126
    assert (
        "wrong  rights       This account may not patch instances.compute.interface.compute.cycloud.jp/status. "
        "Run: manage.py kubernetes install, as an administrator." in lacking
    )
    lease = f"update leases.coordination.k8s.io in the namespace {SYSTEM}"
    assert any(lease in line for line in lacking)


# -- what people may do


@pytest.mark.parametrize("role", ["view", "edit", "admin"])
def test_people_see_what_projects_declare_and_no_cluster(admin_api: Api, role: str) -> None:
    kubectl = Kubectl(admin_api.server)
    kubectl(
        "create", "rolebinding", f"{role}s", f"--clusterrole={role}", f"--user={role}", "-n", "team"
    )
    taken_in = {"instances", "volumes", "networkinterfaces"}
    for definition in crds.all_definitions():
        resource = f"{definition.api.plural}.{definition.api.group}"
        is_theirs = definition.category == Category.INTERFACE
        for verb in ("get", "list", "watch"):
            assert can(admin_api, role, verb, resource) is is_theirs, (verb, resource)
        writes = role != "view" and definition.api.plural in taken_in
        for verb in ("create", "update", "patch", "delete"):
            assert can(admin_api, role, verb, resource) is writes, (verb, resource)
        assert not can(admin_api, role, "patch", f"{resource}/status")
    assert not can(
        admin_api, role, "list", "instances.compute.interface.compute.cycloud.jp", "other"
    )


def can(api: Api, user: str, verb: str, resource: str, namespace: str = "team") -> bool:
    """Ask the server, as an administrator, what somebody may do."""
    plural, _, group = resource.partition(".")
    group, _, subresource = group.partition("/")
    attributes = {
        "group": group,
        "resource": plural,
        "subresource": subresource,
        "verb": verb,
        "namespace": namespace,
    }
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": user, "resourceAttributes": attributes},
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return bool(api.call("POST", path, review)["status"]["allowed"])


def test_operators_are_bound_to_roles_of_their_own(admin_api: Api) -> None:
    kubectl = Kubectl(admin_api.server)
    for role in ("cycloud-operator-view", "cycloud-catalog-edit"):
        kubectl("create", "clusterrolebinding", role, f"--clusterrole={role}", f"--user={role}")
    for definition in crds.all_definitions():
        resource = f"{definition.api.plural}.{definition.api.group}"
        assert can(admin_api, "cycloud-operator-view", "list", resource)
        assert not can(admin_api, "cycloud-operator-view", "patch", resource)
        is_catalog = definition.category == Category.CATALOG
        assert can(admin_api, "cycloud-catalog-edit", "create", resource) is is_catalog
