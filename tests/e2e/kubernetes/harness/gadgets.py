"""A kind of the tests' own, for what needs no rows of the portal: its definition comes and goes with the test."""

import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from uuid import UUID

from cycloud.kubernetes.client import KubernetesClient
from cycloud.kubernetes.config import ApiAccess, load_configuration
from cycloud.kubernetes.kinds import ApiKind, Intake, Json, Manifest, TakenIn
from cycloud.kubernetes.transport import Limits, Transport
from tests.e2e.kubernetes.harness.waiting import until

__all__ = ["Gadgets", "client_of", "installed", "namespace"]

DEFINITION = ApiKind(
    "apiextensions.k8s.io",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    namespaced=False,
)
NAMESPACE = ApiKind("", "Namespace", "namespaces", namespaced=False)
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


class Gadgets(TakenIn):
    """No gadget has a row unless a test says so."""

    row_kind = "Gadget"
    collection = "gadgets"

    def __init__(self, group: str) -> None:
        # an instance's own: every test module has a group of its own
        self.api = ApiKind(group, "Gadget", "gadgets")  # type: ignore[misc]
        self.rows: dict[str, Manifest] = {}

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        return {name: self.rows[name] for name in names if name in self.rows}

    def names(self) -> Iterator[str]:
        yield from list(self.rows)

    def names_of(self, uids: Collection[UUID]) -> dict[UUID, str]:
        return {row.uid: name for name, row in self.rows.items() if row.uid in uids}

    def take(self, intake: Intake, name: str, manifest: Json) -> None:
        raise NotImplementedError

    def remove(self, intake: Intake, name: str) -> None:
        raise NotImplementedError


def client_of(kubeconfig: Path) -> KubernetesClient:
    """Return a client of its own, with its own limits and circuit."""
    load = partial(load_configuration, ApiAccess(str(kubeconfig)))
    return KubernetesClient(Transport(load, Limits(1000.0), timeout_seconds=15.0))


@contextmanager
def installed(client: KubernetesClient) -> Iterator[Gadgets]:
    """Have the kind for the length of a block, in a group that no other has."""
    kind = Gadgets(f"g{uuid.uuid4().hex[:8]}.test.cycloud.jp")
    install(client, kind.api)
    try:
        yield kind
    finally:
        found = client.get(DEFINITION, "", kind.api.definition)
        if found is not None:
            client.delete(DEFINITION, "", kind.api.definition, uid=found["metadata"]["uid"])


def install(client: KubernetesClient, api: ApiKind) -> None:
    """Apply the definition, and wait until the server serves the kind."""
    spec = {
        "type": "object",
        "properties": {"size": {"type": "integer"}, "text": {"type": "string"}},
    }
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {
            "openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": _OPEN}}
        },
    }
    body: Json = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": api.definition},
        "spec": {
            "group": api.group,
            "scope": "Namespaced",
            "names": {"kind": api.kind, "plural": api.plural, "singular": api.singular},
            "versions": [version],
        },
    }
    client.apply(DEFINITION, body, manager="suites")

    def is_served() -> bool:
        found = client.get(DEFINITION, "", api.definition) or {}
        conditions = (found.get("status") or {}).get("conditions") or ()
        return any(c["type"] == "Established" and c["status"] == "True" for c in conditions)

    until(is_served, f"{api.definition} is established")


@contextmanager
def namespace(client: KubernetesClient) -> Iterator[str]:
    """Have a namespace for the length of a block; it is emptied by the server afterwards."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    body: Json = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    made = client.create("/api/v1/namespaces", body)
    try:
        yield name
    finally:
        client.delete(NAMESPACE, "", name, uid=made["metadata"]["uid"])
