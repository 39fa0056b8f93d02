"""A kind without rows of its own, and reviews about it as the API server sends them."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from cycloud.core.aip.errors import CycloudError
from cycloud.kubernetes.kinds import ApiKind, Json, Manifest, TakenIn
from cycloud.kubernetes.objects import MANAGER_LABEL

__all__ = ["NAME", "PATH", "FakeJudge", "Machines", "machine", "review"]

GROUP = "compute.cycloud.example"
NAME = "projects/shop/instances/web-1"
PATH = "namespaces/demo/instances/web-1"


class Machines(TakenIn):
    """``rows`` are what the database has."""

    api = ApiKind(GROUP, "Instance", "instances")
    row_kind = "Machine"
    collection = "instances"

    def __init__(self) -> None:
        self.rows: dict[str, Manifest] = {}

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        return {name: self.rows[name] for name in names if name in self.rows}

    def has(self, *, managed_by: str, spec: Json | None = None) -> None:
        self.rows[NAME] = Manifest(UUID(int=1), spec or {}, managed_by=managed_by)


class FakeJudge:
    """Refuses with ``error``; keeps what it was asked."""

    def __init__(self, error: CycloudError | None = None) -> None:
        self.error = error
        self.asked: list[tuple[str, bool]] = []

    def __call__(
        self, kind: TakenIn, name: str, observed: Json, *, deleting: bool = False
    ) -> CycloudError | None:
        self.asked.append((name, deleting))
        return self.error


def machine(*, metadata: Json | None = None, **spec: Any) -> Json:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Instance",
        "metadata": {"name": "web-1", "namespace": "demo", "uid": "u-1", **(metadata or {})},
        "spec": {"instanceType": "m8a.medium", **spec},
    }


def api_machine(**spec: Any) -> Json:
    """Return the object as the API's own is in Kubernetes."""
    return machine(metadata={"labels": {MANAGER_LABEL: "api"}}, **spec)


def review(operation: str, new: Json | None = None, old: Json | None = None, **more: Any) -> Json:
    request: Json = {
        "uid": "33826d04-7cef-461d-9e88-8913c0d5c6f0",
        "kind": {"group": GROUP, "version": "v1", "kind": "Instance"},
        "resource": {"group": GROUP, "version": "v1", "resource": "instances"},
        "name": "web-1",
        "namespace": "demo",
        "operation": operation,
        "userInfo": {"username": "somebody"},
        "object": new,
        "oldObject": old,
        "dryRun": False,
    }
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {**request, **more},
    }
