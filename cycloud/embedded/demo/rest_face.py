"""The REST face, as ``curl`` would call it."""

from collections.abc import Mapping
from typing import Any

from cycloud.embedded.demo.http import JsonClient
from cycloud.embedded.demo.portal import Resource

__all__ = ["RestFace"]


class RestFace:
    """Calls below ``url``/v1/ with a token."""

    def __init__(self, url: str, token: str) -> None:
        self._http = JsonClient(url, {"Authorization": f"Bearer {token}"})

    def find(self, name: str) -> Resource | None:
        if self._http.send("GET", f"/v1/{name}").status == 404:
            return None
        resource: Resource = self._http.call("GET", f"/v1/{name}")
        return resource

    def list(self, parent: str, collection: str) -> list[Resource]:
        answer = self._http.call("GET", f"/v1/{parent}/{collection}", query={"page_size": "1000"})
        return next((value for value in answer.values() if isinstance(value, list)), [])

    def create(
        self, parent: str, collection: str, id_field: str, resource_id: str, body: Resource
    ) -> Resource:
        return self._call("POST", f"{parent}/{collection}", body, {id_field: resource_id})

    def update(self, name: str, changes: Mapping[str, Any]) -> Resource:
        return self._call("PATCH", name, dict(changes), {"update_mask": ",".join(changes)})

    def verb(self, name: str, verb: str) -> Resource:
        return self._call("POST", f"{name}:{verb}", {})

    def delete(self, name: str) -> Resource:
        return self._call("DELETE", name)

    def _call(
        self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None
    ) -> Resource:
        answer: Resource = self._http.call(method, f"/v1/{path}", body, query)
        return answer
