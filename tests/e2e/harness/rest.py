"""A small client of the portal's REST API, as a user's program would write it."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any

import httpx

Resource = dict[str, Any]
POLL_SECONDS = 0.2
READY_SECONDS = 180.0


class ApiError(Exception):
    """The API refused; ``status`` is HTTP's, ``code``, ``reason`` and ``message`` are AIP-193's."""

    def __init__(self, method: str, path: str, status: int, body: object) -> None:
        error = body.get("error", {}) if isinstance(body, dict) else {}
        self.status = status
        self.code: str = error.get("status", "")
        self.message: str = error.get("message", str(body)[:500])
        self.reason: str = next(
            (item["reason"] for item in error.get("details", []) if "reason" in item), ""
        )
        super().__init__(f"{method} {path}: {status} {self.code} {self.reason} {self.message}")


class NeverHappened(AssertionError):
    """A resource did not reach a state in time; the text shows the last one seen."""


class Rest:
    """Calls below ``/v1/`` with a bearer token. Names are AIP names: ``projects/p/instances/i``."""

    def __init__(self, url: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=f"{url}/v1/", headers=headers, timeout=30)

    def __enter__(self) -> "Rest":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def call(
        self,
        method: str,
        path: str,
        body: Resource | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Resource:
        """Send one request and return the JSON answer; raises ApiError for 4xx and 5xx."""
        response = self._http.request(method, path, json=body, params=query)
        try:
            answer: Resource = response.json() if response.content else {}
        except ValueError:
            answer = {"text": response.text[:500]}
        if response.is_error:
            raise ApiError(method, path, response.status_code, answer)
        return answer

    # -- standard methods

    def create(self, parent: str, collection: str, id_: str, body: Resource) -> Resource:
        """Create ``parent/collection/id_``; returns the answer (an operation or the resource)."""
        path = f"{parent}/{collection}" if parent else collection
        return self.call("POST", path, body, {f"{_singular(collection)}_id": id_})

    def get(self, name: str) -> Resource:
        return self.call("GET", name)

    def find(self, name: str) -> Resource | None:
        """Return the resource, or None for 404."""
        try:
            return self.get(name)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, parent: str, collection: str, **query: str) -> Iterator[Resource]:
        """Yield all resources of a collection, page by page."""
        token = ""
        while True:
            page = {"page_token": token} if token else {}
            answer = self.call("GET", f"{parent}/{collection}", query={**query, **page})
            yield from next((v for v in answer.values() if isinstance(v, list)), [])
            token = answer.get("next_page_token", "")
            if not token:
                return

    def patch(self, name: str, validate_only: bool = False, **changes: Any) -> Resource:
        """Change the fields given; the update mask names exactly these."""
        query = {"update_mask": ",".join(changes)}
        if validate_only:
            query["validate_only"] = "true"
        return self.call("PATCH", name, changes, query)

    def delete(self, name: str, **query: str) -> Resource:
        return self.call("DELETE", name, query=query)

    def verb(self, name: str, verb: str, **body: Any) -> Resource:
        """Call a custom method: ``verb("projects/p/instances/i", "stop")``."""
        return self.call("POST", f"{name}:{verb}", body)

    # -- waiting

    def wait_for(
        self,
        name: str,
        what: str,
        wanted: Callable[[Resource], bool],
        seconds: float = READY_SECONDS,
        alive: Callable[[], None] = lambda: None,
    ) -> Resource:
        """Get the resource until ``wanted`` holds. ``alive`` raises where waiting is in vain."""
        end = time.monotonic() + seconds
        while True:
            alive()
            resource = self.get(name)
            if wanted(resource):
                return resource
            if time.monotonic() > end:
                raise NeverHappened(f"{name}: {what}: not within {seconds:.0f} s: {resource}")
            time.sleep(POLL_SECONDS)

    def wait_state(self, name: str, state: str, seconds: float = READY_SECONDS) -> Resource:
        """Wait for ``state`` with Ready settled for the present generation."""
        return self.wait_for(
            name,
            f"state {state}",
            lambda resource: resource.get("state") == state and is_settled(resource),
            seconds,
        )

    def wait_ready(self, name: str, seconds: float = READY_SECONDS) -> Resource:
        """Wait for Ready=True of the present generation."""
        return self.wait_for(
            name, "Ready=True", lambda r: is_settled(r) and is_true(r, "Ready"), seconds
        )

    def wait_reason(
        self, name: str, reason: str, kind: str = "Ready", seconds: float = READY_SECONDS
    ) -> Resource:
        """Wait until a condition of that type has that reason."""
        return self.wait_for(
            name,
            f"{kind} with reason {reason}",
            lambda resource: condition(resource, kind).get("reason") == reason,
            seconds,
        )

    def wait_gone(self, name: str, seconds: float = READY_SECONDS) -> None:
        """Wait until the resource answers 404."""
        end = time.monotonic() + seconds
        while (resource := self.find(name)) is not None:
            if time.monotonic() > end:
                raise NeverHappened(f"{name}: still there after {seconds:.0f} s: {resource}")
            time.sleep(POLL_SECONDS)

    def wait_operation(self, operation: Resource, seconds: float = READY_SECONDS) -> Resource:
        """Wait until an operation is done; raises ApiError where it failed."""
        name = operation["name"]
        done = self.wait_for(name, "done", lambda current: bool(current.get("done")), seconds)
        if "error" in done:
            raise ApiError("WAIT", name, 0, done)
        return done


def condition(resource: Resource, kind: str) -> Resource:
    """Return the condition of that type, or an empty one."""
    found: Iterator[Resource] = (c for c in resource.get("conditions", []) if c["type"] == kind)
    return next(found, {})


def is_true(resource: Resource, kind: str) -> bool:
    """Tell whether a condition holds. Its status may be a boolean or Kubernetes' word."""
    return str(condition(resource, kind).get("status", "")).lower() == "true"


def is_settled(resource: Resource) -> bool:
    """Tell whether what is shown belongs to the present generation."""
    return bool(resource.get("observed_generation") == resource.get("generation")) and not bool(
        resource.get("reconciling")
    )


def _singular(collection: str) -> str:
    """Read the resource's word out of a collection: "networkInterfaces" -> "network_interface"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", collection).lower().removesuffix("s")
