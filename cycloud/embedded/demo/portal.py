"""The portal as a user's program sees it: resources by name, operations, waiting; over either face."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from cycloud.embedded.demo.failure import DemoFailed

__all__ = ["Face", "PortalClient", "Resource", "condition"]

Resource = dict[str, Any]
POLL_SECONDS = 0.2
WAIT_SECONDS = 120.0


class Face(Protocol):
    """One call each, with JSON values; refusals are DemoFailed in the portal's words."""

    def find(self, name: str) -> Resource | None:
        """Return a resource or operation; None where there is none."""

    def list(self, parent: str, collection: str) -> list[Resource]:
        """Return the first 1000 of a collection."""

    def create(
        self, parent: str, collection: str, id_field: str, resource_id: str, body: Resource
    ) -> Resource:
        """Return the operation."""

    def update(self, name: str, changes: Mapping[str, Any]) -> Resource:
        """Change these fields; return the operation."""

    def verb(self, name: str, verb: str) -> Resource:
        """Call a custom method; return the operation."""

    def delete(self, name: str) -> Resource:
        """Return the operation."""


class PortalClient:
    """``project`` is the id of the project in which all happens."""

    def __init__(self, face: Face, project: str) -> None:
        self._face = face
        self.parent = f"projects/{project}"

    def get(self, name: str) -> Resource:
        resource = self._face.find(name)
        if resource is None:
            raise DemoFailed(f"There is no {name}.")
        return resource

    def find(self, name: str) -> Resource | None:
        """Return the resource, or None where there is none."""
        return self._face.find(name)

    def list(self, collection: str) -> list[Resource]:
        """Return the first 1000 of a collection."""
        return self._face.list(self.parent, collection)

    def create(self, collection: str, id_field: str, resource_id: str, body: Resource) -> str:
        """Create a resource, wait for its operation, and return its name."""
        self._settle(self._face.create(self.parent, collection, id_field, resource_id, body))
        return f"{self.parent}/{collection}/{resource_id}"

    def update(self, name: str, changes: Mapping[str, Any]) -> Resource:
        """Change fields and return the operation as answered: a change may wait for a restart."""
        return self._face.update(name, changes)

    def verb(self, name: str, verb: str) -> None:
        """Call a custom method and wait for its operation."""
        self._settle(self._face.verb(name, verb))

    def delete(self, name: str) -> None:
        """Delete a resource and wait for the operation."""
        self._settle(self._face.delete(name))

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
        """Look until the resource is not found."""
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
