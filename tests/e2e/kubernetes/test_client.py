"""Our client against a real API server: what it sends is understood, and what comes back is sorted as it must be."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import yaml

from cycloud.kubernetes.client import KubernetesClient, path_of
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Json
from tests.e2e.kubernetes.harness.gadgets import (
    NAMESPACE,
    client_of,
    installed,
    namespace,
)
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.e2e.kubernetes.harness.waiting import until


@pytest.fixture(scope="module")
def client(server: ApiServer) -> Iterator[KubernetesClient]:
    client = client_of(server.kubeconfig())
    yield client
    client.close()


@pytest.fixture(scope="module")
def gadget(client: KubernetesClient) -> Iterator[ApiKind]:
    with installed(client) as kind:
        yield kind.api


@pytest.fixture(scope="module")
def team(client: KubernetesClient) -> Iterator[str]:
    with namespace(client) as name:
        yield name


def body_of(api: ApiKind, where: str, name: str, **fields: object) -> Json:
    metadata = {"name": name, "namespace": where}
    return {"apiVersion": api.api_version, "kind": api.kind, "metadata": metadata, **fields}


def fault(call: Callable[[], object]) -> FaultKind:
    with pytest.raises(KubernetesFault) as caught:
        call()
    return caught.value.kind


def test_an_object_that_is_applied_again_is_not_written(
    client: KubernetesClient, gadget: ApiKind, team: str
) -> None:
    body = body_of(gadget, team, "same", spec={"size": 1})
    first = client.apply(gadget, body, manager="cycloud")
    assert client.apply(gadget, body, manager="cycloud") == first
    assert client.get(gadget, team, "same") == first


def test_a_field_of_somebody_else_is_taken_over(
    client: KubernetesClient, gadget: ApiKind, team: str
) -> None:
    client.apply(gadget, body_of(gadget, team, "taken", spec={"size": 1}), manager="flux")
    ours = client.apply(gadget, body_of(gadget, team, "taken", spec={"size": 2}), manager="cycloud")
    assert ours["spec"] == {"size": 2}


def test_a_status_is_written_beside_the_spec(
    client: KubernetesClient, gadget: ApiKind, team: str
) -> None:
    client.apply(gadget, body_of(gadget, team, "status", spec={"size": 1}), manager="cycloud")
    found = client.apply_status(
        gadget, body_of(gadget, team, "status", status={"uid": "u"}), manager="cycloud-status"
    )
    assert (found["spec"], found["status"]) == ({"size": 1}, {"uid": "u"})
    assert found["metadata"]["generation"] == 1


def test_patches_change_and_a_failed_test_in_one_is_a_conflict(
    client: KubernetesClient, gadget: ApiKind, team: str
) -> None:
    client.apply(gadget, body_of(gadget, team, "patch", spec={"size": 1}), manager="cycloud")
    changed = client.patch_merge(gadget, team, "patch", {"spec": {"size": 2}})
    assert changed["spec"] == {"size": 2}
    test = {"op": "test", "path": "/spec/size", "value": 1}
    replace = {"op": "replace", "path": "/spec/size", "value": 3}
    kind = fault(lambda: client.patch_json(gadget, team, "patch", [test, replace]))
    assert kind is FaultKind.CONFLICT
    assert client.patch_json(gadget, team, "patch", [replace])["spec"] == {"size": 3}


def test_an_unknown_field_is_refused(client: KubernetesClient, gadget: ApiKind, team: str) -> None:
    body = body_of(gadget, team, "colour", spec={"colour": "red"})
    assert fault(lambda: client.apply(gadget, body, manager="cycloud")) is FaultKind.INVALID
    assert fault(lambda: client.create(path_of(gadget, team), body)) is FaultKind.INVALID
    assert client.get(gadget, team, "colour") is None


def test_an_object_of_a_uid_that_is_gone_is_not_made_anew(
    client: KubernetesClient, gadget: ApiKind, team: str
) -> None:
    body = body_of(gadget, team, "gone", spec={"size": 1})
    made = client.apply(gadget, body, manager="cycloud")
    client.delete(gadget, team, "gone", uid=made["metadata"]["uid"])
    client.delete(gadget, team, "gone", uid=made["metadata"]["uid"])
    body["metadata"]["uid"] = made["metadata"]["uid"]
    assert fault(lambda: client.apply(gadget, body, manager="cycloud")) is FaultKind.CONFLICT
    status = body_of(gadget, team, "gone", status={})
    kind = fault(lambda: client.apply_status(gadget, status, manager="cycloud"))
    assert kind is FaultKind.NOT_FOUND


def test_an_object_of_another_uid_is_not_deleted(
    client: KubernetesClient, gadget: ApiKind, team: str
) -> None:
    client.apply(gadget, body_of(gadget, team, "kept", spec={}), manager="cycloud")
    kind = fault(lambda: client.delete(gadget, team, "kept", uid="another"))
    assert kind is FaultKind.CONFLICT
    assert client.get(gadget, team, "kept") is not None


def test_a_listing_comes_in_pages_of_one_version(
    client: KubernetesClient, gadget: ApiKind, team: str
) -> None:
    names = [f"page-{number}" for number in range(5)]
    for name in names:
        body = body_of(gadget, team, name, spec={})
        body["metadata"]["labels"] = {"listed": "yes"}
        client.apply(gadget, body, manager="cycloud")
    pages = list(client.pages(gadget, namespace=team, label_selector="listed=yes", limit=2))
    assert [len(page.items) for page in pages] == [2, 2, 1]
    assert len({page.resource_version for page in pages}) == 1
    assert [item["metadata"]["name"] for page in pages for item in page.items] == names


def test_a_kind_that_is_not_installed_is_told_from_a_missing_object(
    client: KubernetesClient, gadget: ApiKind, team: str
) -> None:
    assert client.get(gadget, team, "none") is None
    assert client.get(gadget, "no-such-namespace", "none") is None
    other = ApiKind(gadget.group, "Gizmo", "gizmos")
    strange = ApiKind("strange.test.cycloud.jp", "Gizmo", "gizmos")
    for api in (other, strange):
        calls: list[Callable[[], object]] = [
            partial(client.get, api, team, "none"),
            partial(next, client.pages(api)),
            partial(client.apply, api, body_of(api, team, "none"), manager="m"),
        ]
        assert [fault(call) for call in calls] == [FaultKind.NO_SUCH_KIND] * 3


def test_a_missing_namespace_and_one_that_goes_are_told_apart(
    client: KubernetesClient, gadget: ApiKind
) -> None:
    body = body_of(gadget, "no-such-namespace", "a", spec={})
    assert fault(lambda: client.apply(gadget, body, manager="m")) is FaultKind.NOT_FOUND
    with namespace(client) as going:
        held = body_of(gadget, going, "held", spec={})
        held["metadata"]["finalizers"] = ["test.cycloud.jp/hold"]
        client.apply(gadget, held, manager="m")
    try:
        # the namespace waits for that object now
        until(lambda: "deletionTimestamp" in _metadata(client, going), "the namespace goes")
        late = body_of(gadget, going, "late", spec={})
        assert fault(lambda: client.apply(gadget, late, manager="m")) is FaultKind.TERMINATING
    finally:
        client.patch_merge(gadget, going, "held", {"metadata": {"finalizers": None}})


def test_who_has_no_right_and_who_is_nobody_are_told_apart(
    server: ApiServer, client: KubernetesClient, gadget: ApiKind, team: str, tmp_path: Path
) -> None:
    account: Json = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "weak"}}
    client.create(f"/api/v1/namespaces/{team}/serviceaccounts", account)
    path = f"/api/v1/namespaces/{team}/serviceaccounts/weak/token"
    request: Json = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = client.create(path, request)["status"]["token"]
    weak = client_of(_with_token(server, token, tmp_path / "weak"))
    assert fault(lambda: weak.get(gadget, team, "a")) is FaultKind.FORBIDDEN
    nobody = client_of(_with_token(server, "nobody", tmp_path / "nobody"))
    assert fault(lambda: nobody.get(gadget, team, "a")) is FaultKind.UNAUTHENTICATED


def test_a_server_of_an_unknown_authority_is_not_talked_to(
    server: ApiServer, gadget: ApiKind, team: str, tmp_path: Path
) -> None:
    document = yaml.safe_load(server.kubeconfig().read_text())
    del document["clusters"][0]["cluster"]["certificate-authority-data"]
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(document))
    assert fault(lambda: client_of(path).get(gadget, team, "a")) is FaultKind.UNREACHABLE


def test_a_watch_tells_of_what_happens_and_goes_on_from_a_version(
    client: KubernetesClient, gadget: ApiKind, team: str
) -> None:
    version = next(client.pages(gadget, limit=1)).resource_version
    made = client.apply(gadget, body_of(gadget, team, "seen", spec={"size": 1}), manager="m")
    client.apply(gadget, body_of(gadget, team, "seen", spec={"size": 2}), manager="m")
    client.delete(gadget, team, "seen", uid=made["metadata"]["uid"])
    with client.watch(gadget, version, timeout_seconds=30) as stream:
        events = [next(stream) for _ in range(3)]
    assert [event.type for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    with client.watch(gadget, events[0].resource_version, timeout_seconds=30) as stream:
        assert next(stream) == events[1]


def test_a_watch_from_a_version_that_is_no_longer_kept_is_gone(
    client: KubernetesClient, gadget: ApiKind
) -> None:
    with client.watch(gadget, "1", timeout_seconds=30) as stream:
        assert fault(lambda: next(stream)) is FaultKind.GONE


def _metadata(client: KubernetesClient, name: str) -> Json:
    found = client.get(NAMESPACE, "", name)
    assert found is not None
    metadata: Json = found["metadata"]
    return metadata


def _with_token(server: ApiServer, token: str, path: Path) -> Path:
    document = yaml.safe_load(server.kubeconfig().read_text())
    document["users"][0]["user"] = {"token": token}
    path.write_text(yaml.safe_dump(document))
    return path
