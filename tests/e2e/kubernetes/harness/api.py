"""A plain observer of the API server, which shares no code with the product's client."""

import ssl
import time
from collections.abc import Callable
from typing import Any

import httpx

from tests.e2e.kubernetes.harness.server import ApiServer

Json = dict[str, Any]
POLL_SECONDS = 0.1
READY_SECONDS = 60.0
GROUPS = {
    "instances": "compute.interface.compute.cycloud.jp",
    "instancetypes": "compute.interface.compute.cycloud.jp",
    "volumes": "storage.interface.compute.cycloud.jp",
    "volumetypes": "storage.interface.compute.cycloud.jp",
    "volumebindings": "storage.interface.compute.cycloud.jp",
    "openstackclusters": "cluster.interface.compute.cycloud.jp",
    "publicimages": "image.interface.compute.cycloud.jp",
    "vpcs": "networking.interface.compute.cycloud.jp",
    "subnets": "networking.interface.compute.cycloud.jp",
    "networkinterfaces": "networking.interface.compute.cycloud.jp",
    "openstackinstances": "openstack.provider.compute.cycloud.jp",
    "openstackvolumes": "openstack.provider.compute.cycloud.jp",
    "openstacknetworkinterfaces": "openstack.provider.compute.cycloud.jp",
}
GLOBAL = frozenset({"instancetypes", "volumetypes", "openstackclusters", "publicimages"})


class Api:
    """Reads and writes objects as an administrator. ``namespace`` is for the kinds that have one."""

    def __init__(self, server: ApiServer, namespace: str = "") -> None:
        self.server, self.namespace = server, namespace
        context = ssl.create_default_context(cafile=str(server.ca))
        headers = {"Authorization": f"Bearer {server.token()}"}
        self._http = httpx.Client(
            base_url=server.url, verify=context, headers=headers, trust_env=False, timeout=30
        )

    def close(self) -> None:
        self._http.close()

    def path(self, plural: str, name: str = "", *, namespace: str | None = None) -> str:
        where = self.namespace if namespace is None else namespace
        within = "" if plural in GLOBAL or not where else f"/namespaces/{where}"
        return f"/apis/{GROUPS[plural]}/v1{within}/{plural}" + (f"/{name}" if name else "")

    def call(
        self, method: str, path: str, body: Any = None, kind: str = "json", **query: str
    ) -> Json:
        """Send one request; raises AssertionError for an answer that is an error."""
        answer = self.send(method, path, body, kind, **query)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        found: Json = answer.json()
        return found

    def send(
        self, method: str, path: str, body: Any = None, kind: str = "json", **query: str
    ) -> httpx.Response:
        """Send one request. ``kind``: json, merge-patch+json, json-patch+json or apply-patch+yaml.

        Again where the server is too busy (429): for a second after a new definition, it is.
        """
        headers = {"Content-Type": f"application/{kind}"}
        while True:
            answer = self._http.request(method, path, json=body, params=query, headers=headers)
            if answer.status_code != 429:
                return answer
            time.sleep(POLL_SECONDS)

    def get(self, plural: str, name: str) -> Json | None:
        """Return an object, or None where there is none."""
        answer = self.send("GET", self.path(plural, name))
        if answer.status_code == 404:
            return None
        assert answer.is_success, f"{plural}/{name}: {answer.status_code} {answer.text}"
        found: Json = answer.json()
        return found

    def all(self, plural: str) -> list[Json]:
        """Return all objects of a kind in the namespace (everywhere without one), without order."""
        found: list[Json] = self.call("GET", self.path(plural))["items"]
        return found

    def names(self, plural: str) -> set[str]:
        return {item["metadata"]["name"] for item in self.all(plural)}

    def events(self, name: str) -> list[Json]:
        """Return the events about an object of that name, the oldest first; also if it is outside namespaces."""
        found = self.call("GET", "/apis/events.k8s.io/v1/events")["items"]
        here = {self.namespace, "default"} if self.namespace else {"default"}
        found = [item for item in found if item["metadata"]["namespace"] in here]
        mine = [item for item in found if item["regarding"]["name"] == name]
        return sorted(mine, key=lambda item: str(item.get("eventTime")))

    # -- writing, as somebody else than the product

    def merge(self, plural: str, name: str, body: Json, *, manager: str = "somebody") -> Json:
        return self.call(
            "PATCH", self.path(plural, name), body, "merge-patch+json", fieldManager=manager
        )

    def merge_status(self, plural: str, name: str, status: Json) -> Json:
        path = self.path(plural, name) + "/status"
        body = {"status": status}
        return self.call("PATCH", path, body, "merge-patch+json", fieldManager="somebody")

    def apply(self, body: Json, *, manager: str = "flux", force: bool = True) -> Json:
        """Server-side apply, as a GitOps tool does it."""
        plural = next(p for p in GROUPS if _is_of(p, body))
        force_text = "true" if force else "false"
        path = self.path(plural, body["metadata"]["name"])
        return self.call(
            "PATCH", path, body, "apply-patch+yaml", fieldManager=manager, force=force_text
        )

    def delete(self, plural: str, name: str) -> None:
        answer = self.send("DELETE", self.path(plural, name))
        assert answer.status_code in (200, 202, 404), answer.text

    # -- waiting

    def wait(
        self,
        plural: str,
        name: str,
        what: str,
        wanted: Callable[[Json | None], bool],
        seconds: float = READY_SECONDS,
    ) -> Json:
        """Look until ``wanted`` holds; return the object ({} where there is none)."""
        end = time.monotonic() + seconds
        while True:
            found = self.get(plural, name)
            if wanted(found):
                return found or {}
            if time.monotonic() > end:
                raise AssertionError(
                    f"{plural}/{name}: {what}: not within {seconds:.0f} s: {found}"
                )
            time.sleep(POLL_SECONDS)

    def wait_served(self, path: str, seconds: float = READY_SECONDS) -> None:
        """Wait until a kind that was just defined is served."""
        end = time.monotonic() + seconds
        while not self.send("GET", path).is_success:
            assert time.monotonic() < end, f"{path}: not served within {seconds:.0f} s"
            time.sleep(POLL_SECONDS)

    def wait_ready(self, plural: str, name: str, seconds: float = READY_SECONDS) -> Json:
        """Wait for Ready=True of the present generation."""
        return self.wait(plural, name, "Ready", is_ready, seconds)

    def wait_condition(
        self, plural: str, name: str, type_: str, status: str, reason: str = ""
    ) -> Json:
        """Wait for a condition of that status, and of that reason if given; return the condition."""

        def holds(found: Json | None) -> bool:
            item = condition(found, type_)
            return item.get("status") == status and reason in ("", item.get("reason"))

        found = self.wait(plural, name, f"{type_}={status}/{reason}", holds)
        return condition(found, type_)

    def wait_gone(self, plural: str, name: str, seconds: float = READY_SECONDS) -> None:
        self.wait(plural, name, "gone", lambda found: found is None, seconds)


def condition(found: Json | None, type_: str) -> Json:
    """Return the condition of that type, or an empty one."""
    conditions = ((found or {}).get("status") or {}).get("conditions") or ()
    return next((item for item in conditions if item["type"] == type_), {})


def is_ready(found: Json | None) -> bool:
    """Tell whether Ready is True for what the object declares now."""
    ready = condition(found, "Ready")
    return (
        found is not None
        and ready.get("status") == "True"
        and ready.get("observedGeneration") == found["metadata"]["generation"]
    )


def _is_of(plural: str, body: Json) -> bool:
    group = str(body["apiVersion"]).partition("/")[0]
    return GROUPS[plural] == group and plural == f"{str(body['kind']).lower()}s"
