"""Calls to the Kubernetes API: JSON in, JSON out, errors as ``KubernetesFault``.

A thin layer over the ``kubernetes`` library, which reads configurations and connects. lightkube and kr8s were left:
they bring a second HTTP stack and models of their own, for a dozen kinds of calls. kopf was left: its handlers and
queue would be a second engine beside ours, with progress kept in annotations.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from django.conf import settings

from cycloud.kubernetes.config import access_of_settings, load_configuration
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Json
from cycloud.kubernetes.streams import WatchEvent, WatchStream
from cycloud.kubernetes.transport import JSON, JSON_PATCH, Limits, Request, Transport

__all__ = [
    "APPLY_PATCH",
    "MERGE_PATCH",
    "KubernetesClient",
    "Page",
    "WatchEvent",
    "WatchStream",
    "client",
    "forget_client",
    "path_of",
]

APPLY_PATCH = "application/apply-patch+yaml"
MERGE_PATCH = "application/merge-patch+json"
_STRICT = {"fieldValidation": "Strict"}


@dataclass(frozen=True)
class Page:
    """Some of the objects of a listing, and the version of the whole listing: a watch goes on from there."""

    items: list[Json]
    resource_version: str


def path_of(api: ApiKind, namespace: str = "", name: str = "") -> str:
    """Return the path of an object; of the collection where ``name`` is empty (of all namespaces, without one)."""
    base = f"/apis/{api.group}/{api.version}" if api.group else f"/api/{api.version}"
    within = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
    return f"{base}{within}/{api.plural}" + (f"/{quote(name, safe='')}" if name else "")


class KubernetesClient:
    """The calls to one API server. Thread-safe. Every one raises KubernetesFault."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __repr__(self) -> str:
        return f"KubernetesClient({self._transport.host})"

    @property
    def host(self) -> str:
        """The address of the API server."""
        return self._transport.host

    def pause(self) -> float:
        """Return for how many seconds no call will be made, since the server is down."""
        return self._transport.pause()

    def close(self) -> None:
        """Close the idle connections."""
        self._transport.close()

    def get(self, api: ApiKind, namespace: str, name: str) -> Json | None:
        """Return an object; None where there is none. A kind that is not installed is a fault, not an absence."""
        try:
            return self._send("GET", "get", _object_path(api, namespace, name))
        except KubernetesFault as fault:
            if fault.kind is FaultKind.NOT_FOUND:
                return None
            raise

    def pages(
        self,
        api: ApiKind,
        *,
        namespace: str = "",
        label_selector: str = "",
        limit: int = 500,
    ) -> Iterator[Page]:
        """Yield the objects of a kind; each page is one call, made when it is needed. There is always one page.

        GONE where so much time passed between two pages that the server forgot the listing: begin anew.
        """
        query = {"limit": str(limit)}
        if label_selector:
            query["labelSelector"] = label_selector
        while True:
            answer = self._send("GET", "list", path_of(api, namespace), query=query)
            metadata = answer.get("metadata") or {}
            if "items" not in answer or "resourceVersion" not in metadata:
                raise KubernetesFault(FaultKind.UNREACHABLE, "the answer is not a list of objects")
            yield Page(answer["items"] or [], str(metadata["resourceVersion"]))
            following = metadata.get("continue")
            if not following:
                return
            query = {**query, "continue": str(following)}

    def apply(self, api: ApiKind, body: Json, *, manager: str) -> Json:
        """Make the object have these fields, as ``manager`` (server-side apply); those of others are taken over.

        Makes the object where it is missing, unless the body names a uid: CONFLICT then.
        """
        return self._apply(api, body, manager, "apply", "")

    def apply_status(self, api: ApiKind, body: Json, *, manager: str) -> Json:
        """Do so with the status; NOT_FOUND where there is no object."""
        return self._apply(api, body, manager, "apply_status", "/status")

    def patch_json(self, api: ApiKind, namespace: str, name: str, operations: list[Json]) -> Json:
        """Change an object by a JSON patch (RFC 6902); CONFLICT where a ``test`` in it fails."""
        path = _object_path(api, namespace, name)
        return self._send("PATCH", "patch", path, operations, _STRICT, JSON_PATCH)

    def patch_merge(self, api: ApiKind, namespace: str, name: str, body: Json) -> Json:
        """Change an object by a merge patch (RFC 7386): lists are replaced as a whole."""
        path = _object_path(api, namespace, name)
        return self._send("PATCH", "patch", path, body, _STRICT, MERGE_PATCH)

    def create(self, path: str, body: Json) -> Json:
        """Create an object in a collection; CONFLICT where the name is taken."""
        return self._send("POST", "create", path, body, _STRICT)

    def raw(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        query: Mapping[str, str] | None = None,
        *,
        content_type: str = JSON,
    ) -> Json:
        """Send any request: for what is not one of our kinds. The hooks see the method in lower case as the verb."""
        return self._send(method, method.lower(), path, body, query, content_type)

    def delete(self, api: ApiKind, namespace: str, name: str, *, uid: str) -> None:
        """Delete the object of this uid; one of another uid is left (CONFLICT), none at all is fine."""
        body: Json = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "preconditions": {"uid": uid},
            "propagationPolicy": "Background",
        }
        try:
            self._send("DELETE", "delete", _object_path(api, namespace, name), body)
        except KubernetesFault as fault:
            if fault.kind is not FaultKind.NOT_FOUND:
                raise

    def watch(self, api: ApiKind, resource_version: str, *, timeout_seconds: int) -> WatchStream:
        """Yield what happens to objects of all namespaces after a version, for up to this long; see ``WatchStream``.

        GONE where the server no longer keeps that version: list again.
        """
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(timeout_seconds),
        }
        request = Request(
            "GET", "watch", path_of(api), query, stream_seconds=float(timeout_seconds)
        )
        return WatchStream(self._transport.open(request))

    def _apply(self, api: ApiKind, body: Json, manager: str, verb: str, subresource: str) -> Json:
        metadata = body["metadata"]
        path = _object_path(api, metadata.get("namespace", ""), metadata["name"]) + subresource
        query = {"fieldManager": manager, "force": "true", **_STRICT}
        return self._send("PATCH", verb, path, body, query, APPLY_PATCH)

    def _send(
        self,
        method: str,
        verb: str,
        path: str,
        body: Json | list[Json] | None = None,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
    ) -> Json:
        return self._transport.send(Request(method, verb, path, query or {}, body, content_type))


def _object_path(api: ApiKind, namespace: str, name: str) -> str:
    if not name or (api.namespaced and not namespace):
        # it would be the path of a whole collection
        raise ValueError(f"{api.kind}: an object needs a name, and a namespace if it is in one")
    return path_of(api, namespace if api.namespaced else "", name)


_client: KubernetesClient | None = None
_lock = threading.Lock()


def client() -> KubernetesClient:
    """Return this process's client, made at the first call; makes no request.

    :raises UnusableConfiguration: see ``load_configuration``.
    """
    global _client  # one per process, as the rate limit and the circuit are
    with _lock:
        if _client is None:
            limits = Limits(settings.CYCLOUD_KUBERNETES_CALLS_PER_SECOND)
            load = partial(load_configuration, access_of_settings())
            timeout_seconds = settings.CYCLOUD_KUBERNETES_TIMEOUT_SECONDS
            _client = KubernetesClient(Transport(load, limits, timeout_seconds))
        return _client


def forget_client() -> None:
    """Let the next call of ``client`` make a new one, with a full rate limit and a closed circuit (tests)."""
    global _client
    with _lock:
        if _client is not None:
            _client.close()
        _client = None
