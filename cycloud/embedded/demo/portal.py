"""The portal as a user's program sees it: resources by name, operations, waiting."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from cycloud.embedded.demo.failure import DemoFailed
from cycloud.embedded.demo.http import JsonClient

__all__ = ["PortalClient", "condition"]

Resource = dict[str, Any]
POLL_SECONDS = 0.2
WAIT_SECONDS = 120.0


class PortalClient:
    """``project`` is the id of the project in which all happens."""

    def __init__(self, url: str, token: str, project: str) -> None:
        self._http = JsonClient(url, {"Authorization": f"Bearer {token}"})
        self.parent = f"projects/{project}"

    def get(self, name: str) -> Resource:
        resource: Resource = self._http.call("GET", f"/v1/{name}")
        return resource

    def find(self, name: str) -> Resource | None:
        """Return the resource, or None where there is none."""
        answer = self._http.send("GET", f"/v1/{name}")
        if answer.status == 404:
            return None
        return self.get(name)

    def list(self, collection: str) -> list[Resource]:
        """Return the first 1000 of a collection."""
        path = f"/v1/{self.parent}/{collection}"
        answer = self._http.call("GET", path, query={"page_size": "1000"})
        return next((value for value in answer.values() if isinstance(value, list)), [])

    def create(self, collection: str, id_field: str, resource_id: str, body: Resource) -> str:
        """Create a resource, wait for its operation, and return its name."""
        path = f"/v1/{self.parent}/{collection}"
        self._settle(self._http.call("POST", path, body, {id_field: resource_id}))
        return f"{self.parent}/{collection}/{resource_id}"

    def update(self, name: str, changes: Mapping[str, Any]) -> Resource:
        """Change fields and return the operation as answered: a change may wait for a restart."""
        query = {"update_mask": ",".join(changes)}
        operation: Resource = self._http.call("PATCH", f"/v1/{name}", dict(changes), query)
        return operation

    def verb(self, name: str, verb: str) -> None:
        """Call a custom method and wait for its operation."""
        self._settle(self._http.call("POST", f"/v1/{name}:{verb}", {}))

    def delete(self, name: str) -> None:
        """Delete a resource and wait for the operation."""
        self._settle(self._http.call("DELETE", f"/v1/{name}"))

    def wait(self, name: str, what: str, holds: Callable[[Resource], bool]) -> Resource:
        """Get the resource until ``holds``; raises DemoFailed with what was seen last."""
        end = time.monotonic() + WAIT_SECONDS
        while True:
            resource = self.get(name)
            if holds(resource):
                return resource
            if time.monotonic() > end:
                seen = {k: resource.get(k) for k in ("state", "done", "error", "conditions")}
                raise DemoFailed(
                    f"{name}: {what}: not within {WAIT_SECONDS:.0f} s. Last seen: {seen}"
                )
            # the demo is an outside program: it looks again and again, as a user's script would
            time.sleep(POLL_SECONDS)

    def wait_gone(self, name: str) -> None:
        """Look until the resource answers 404."""
        end = time.monotonic() + WAIT_SECONDS
        while (resource := self.find(name)) is not None:
            if time.monotonic() > end:
                raise DemoFailed(f"{name} is still there after {WAIT_SECONDS:.0f} s: {resource}")
            time.sleep(POLL_SECONDS)

    def _settle(self, operation: Resource) -> None:
        if not operation.get("done"):
            operation = self.wait(operation["name"], "done", lambda seen: bool(seen.get("done")))
        error = operation.get("error")
        if error:
            raise DemoFailed(f"{operation.get('name')} failed: {error.get('message', error)}")


def condition(resource: Resource, kind: str) -> Resource:
    """Return the condition of that type; an empty one if there is none."""
    found = (c for c in resource.get("conditions", []) if c["type"] == kind)
    return next(found, {})
