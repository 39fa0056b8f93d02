"""The stand-in API over HTTP, in threads of this process."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from kubernetes.client.configuration import Configuration

from cycloud.kubernetes import client as client_module
from cycloud.kubernetes.client import KubernetesClient, forget_client
from cycloud.kubernetes.transport import Limits, Transport
from tests.support.kubernetes.store import Json, Ref, Refused, Store

_CORE = {"namespaces", "events", "secrets", "serviceaccounts"}


@dataclass
class Faults:
    """What goes wrong: ``down``: every call is answered 503; ``answers``: the next writes are answered so."""

    down: bool = False
    answers: list[tuple[int, str]] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)


class ApiServer:
    """``kinds``: (group, plural) of the kinds that are installed, besides those that every server has."""

    def __init__(self, store: Store, kinds: set[tuple[str, str]]) -> None:
        self.store = store
        self.faults = Faults()
        self.kinds = kinds | {("", name) for name in _CORE}
        self.kinds |= {("events.k8s.io", "events"), ("coordination.k8s.io", "leases")}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def client(self) -> KubernetesClient:
        """Return a client of it, without the limits of a process."""

        def load() -> Configuration:
            configuration = Configuration(host=self.url)
            configuration.retries = False
            return configuration

        return KubernetesClient(Transport(load, Limits(100_000.0), timeout_seconds=5.0))

    def renew_client(self) -> None:
        """Have this process's ``client()`` talk to it, with a closed circuit."""
        forget_client()
        client_module._client = self.client()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def writes(self) -> list[tuple[str, str]]:
        """Return the writing requests so far, as (method, path)."""
        return [item for item in self.faults.requests if item[0] not in ("GET", "HEAD")]


@contextmanager
def serving(store: Store, kinds: set[tuple[str, str]]) -> Iterator[ApiServer]:
    """Have a server that this process's ``client()`` talks to."""
    server = ApiServer(store, kinds)
    server.start()
    server.renew_client()
    try:
        yield server
    finally:
        forget_client()
        server.stop()


def _handler_of(server: ApiServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

        def _run(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            text = self.rfile.read(length)
            server.faults.requests.append((self.command, self.path))
            try:
                self._answer(json.loads(text) if text else None)
            except Refused as refused:
                self._send(refused.code, _status(refused))

        def _answer(self, body: Any) -> None:
            if server.faults.down:
                raise Refused(503, "ServiceUnavailable", "the server is down")
            if self.command != "GET" and server.faults.answers:
                code, reason = server.faults.answers.pop(0)
                raise Refused(code, reason, "made up")
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            ref, subresource = _ref_of(parts.path)
            if ref.collection not in server.kinds:
                self._send_text(404, "404 page not found")
            elif self.command == "GET" and "watch" in query:
                self._watch(ref, query)
            elif self.command == "GET":
                self._send(200, _read(server.store, ref, query))
            else:
                kind = self.headers.get("Content-Type", "")
                self._send(
                    200, _write(server.store, self.command, ref, subresource, body, kind, query)
                )

        def _watch(self, ref: Ref, query: dict[str, str]) -> None:
            events = server.store.since(
                ref.group,
                ref.plural,
                int(query.get("resourceVersion", "0")),
                float(query.get("timeoutSeconds", "5")),
            )
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                for _, type_, shown in events:
                    self._line({"type": type_, "object": shown})
            except Refused as refused:
                self._line({"type": "ERROR", "object": _status(refused)})
            except OSError:
                return

        def _line(self, value: Json) -> None:
            self.wfile.write(json.dumps(value).encode() + b"\n")
            self.wfile.flush()

        def _send(self, code: int, value: Json) -> None:
            self._send_text(code, json.dumps(value), "application/json")

        def _send_text(self, code: int, text: str, kind: str = "text/plain") -> None:
            data = text.encode()
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        # the names under which http.server looks for them
        setattr(Handler, f"do_{method}", Handler._run)
    return Handler


def _ref_of(path: str) -> tuple[Ref, str]:
    steps = [unquote(step) for step in path.strip("/").split("/")]
    if steps[0] == "api":
        steps.insert(1, "")
    group, version, rest = steps[1], steps[2], steps[3:]
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] != "status":
        namespace, rest = rest[1], rest[2:]
    name = rest[1] if len(rest) > 1 else ""
    return Ref(group, version, rest[0], namespace, name), rest[2] if len(rest) > 2 else ""


def _read(store: Store, ref: Ref, query: dict[str, str]) -> Json:
    if ref.name:
        return store.get(ref)
    items, version = store.listing(ref.group, ref.plural, ref.namespace)
    start, limit = int(query.get("continue", "0")), int(query.get("limit", "0"))
    page = items[start : start + limit] if limit else items
    metadata: Json = {"resourceVersion": str(version)}
    if limit and start + limit < len(items):
        metadata["continue"] = str(start + limit)
    return {"kind": "List", "metadata": metadata, "items": page}


def _write(
    store: Store, method: str, ref: Ref, sub: str, body: Any, kind: str, query: dict[str, str]
) -> Json:
    manager = query.get("fieldManager", "somebody")
    if method == "POST":
        return store.create(_named(ref, body["metadata"]["name"]), body, manager)
    if method == "DELETE":
        store.delete(ref, ((body or {}).get("preconditions") or {}).get("uid", ""))
        return {"kind": "Status", "status": "Success"}
    if method == "PUT":
        return store.replace(ref, body, manager, subresource=sub)
    if kind.startswith("application/apply-patch"):
        return store.apply(ref, body, manager, subresource=sub)
    current = store.get(ref)
    changed = _json_patched(current, body) if "json-patch" in kind else _merged(current, body)
    return store.replace(ref, changed, manager, subresource=sub)


def _named(ref: Ref, name: str) -> Ref:
    return Ref(ref.group, ref.version, ref.plural, ref.namespace, name)


def _json_patched(current: Json, operations: list[Json]) -> Json:
    for operation in operations:
        node, steps = current, operation["path"].strip("/").split("/")
        for step in steps[:-1]:
            node = node[step]
        if operation["op"] == "test":
            if node.get(steps[-1]) != operation["value"]:
                raise Refused(422, "Invalid", "the server rejected our request due to a test")
        else:
            node[steps[-1]] = operation["value"]
    return current


def _merged(current: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    result = dict(current) if isinstance(current, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key), value)
    return result


def _status(refused: Refused) -> Json:
    answer: Json = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": refused.code,
        "reason": refused.reason,
        "message": refused.message,
    }
    if refused.code == 404:
        answer["details"] = {"name": refused.message.split('"')[1]}
    return answer
