"""A real API server behind the face of tests.support.kubernetes: the suite of the sync runs on both."""

from dataclasses import replace
from typing import Any

import httpx

from tests.e2e.kubernetes.harness.api import Api
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.support.kubernetes.store import Json, Ref, Refused

_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_CONDITIONS = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    "items": {**_OPEN, "required": ["type"], "properties": {"type": {"type": "string"}}},
}


def open_definition(group: str, kind: str, plural: str) -> Json:
    """Return a definition that takes any spec; its status has conditions of the usual form."""
    status = {**_OPEN, "properties": {"conditions": _CONDITIONS}}
    schema = {"type": "object", "properties": {"spec": _OPEN, "status": status}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [version],
        },
    }


class RealStore:
    """The methods of ``Store`` that the suite uses, as calls of an administrator."""

    def __init__(self, server: ApiServer) -> None:
        self._api = Api(server)

    def close(self) -> None:
        self._api.close()

    def get(self, ref: Ref) -> Json:
        return self._call("GET", _path(ref))

    def listing(self, group: str, plural: str, namespace: str) -> tuple[list[Json], str]:
        found = self._call("GET", _path(Ref(group, "v1", plural, namespace, "")))
        head = {"apiVersion": f"{group}/v1", "kind": found["kind"].removesuffix("List")}
        return [head | item for item in found["items"]], found["metadata"]["resourceVersion"]

    def create(self, ref: Ref, body: Json, manager: str) -> Json:
        if ref.plural == "namespaces":
            # one namespace for all tests: its end would take each of them seconds
            return self._call("PATCH", _path(ref), body, "merge-patch+json")
        return self._call("POST", _path(replace(ref, name="")), body, fieldManager=manager)

    def apply(self, ref: Ref, body: Json, manager: str) -> Json:
        query = {"fieldManager": manager, "force": "true"}
        return self._call("PATCH", _path(ref), body, "apply-patch+yaml", **query)

    def replace(self, ref: Ref, body: Json, manager: str, *, subresource: str = "") -> Json:
        path = _path(ref) + (f"/{subresource}" if subresource else "")
        return self._call("PUT", path, body, fieldManager=manager)

    def delete(self, ref: Ref) -> None:
        self._call("DELETE", _path(ref))

    def wipe(self) -> None:
        """Lose the objects in the namespace: without their finalizers having a say."""
        for group, plural in self.custom_kinds():
            for item in self.listing(group, plural, "")[0]:
                metadata = item["metadata"]
                ref = Ref(group, "v1", plural, metadata["namespace"], metadata["name"])
                if metadata.get("finalizers"):
                    none = {"metadata": {"finalizers": None}}
                    self._call("PATCH", _path(ref), none, "merge-patch+json")
                answer = self._api.send("DELETE", _path(ref))
                assert answer.status_code in (200, 404), answer.text

    def custom_kinds(self) -> list[tuple[str, str]]:
        return [("test.cycloud.jp", "widgets"), ("test.cycloud.jp", "parts")]

    def forget_events(self, namespace: str) -> None:
        self._call("DELETE", f"/apis/events.k8s.io/v1/namespaces/{namespace}/events")

    def _call(
        self, method: str, path: str, body: Any = None, kind: str = "json", **query: str
    ) -> Json:
        answer: httpx.Response = self._api.send(method, path, body, kind, **query)
        if not answer.is_success:
            raise Refused(answer.status_code, answer.reason_phrase, answer.text)
        found: Json = answer.json()
        return found


def _path(ref: Ref) -> str:
    base = f"/apis/{ref.group}/{ref.version}" if ref.group else f"/api/{ref.version}"
    within = f"/namespaces/{ref.namespace}" if ref.namespace else ""
    return f"{base}{within}/{ref.plural}" + (f"/{ref.name}" if ref.name else "")
