"""The two faces behind one adapter: the same call over REST and over gRPC, and what came of it.

A call names a method of a collection by words that both faces have; an adapter knows how it is written there.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import grpc
import pytest
from django.conf import settings

from cycloud.core.aip.collection import Collection
from cycloud.core.aip.rpc.bindings import bind, read_rules
from cycloud.rpc import SERVICES
from tests.factories.rest import RestClient
from tests.support.rpc import RpcClient, refused, rpc_server

__all__ = ["Face", "GrpcFace", "MethodCall", "Outcome", "RestFace", "methods_of", "open_face"]

Json = Mapping[str, Any]
_STANDARD = {
    "list": "rows",
    "get": "find",
    "create": "create",
    "update": "update",
    "delete": "delete",
}


@dataclass(frozen=True)
class MethodCall:
    """One method of a collection: list, get, create, update, delete, or a custom method's name.

    ``resource_id`` is the id of the resource, or the one to be created under (empty: the server chooses).
    """

    collection: Collection[Any]
    method: str
    project_id: str = "p"
    parent_id: str = ""
    resource_id: str = ""
    body: Json = field(default_factory=dict)

    @property
    def parent(self) -> str:
        """The name of what holds the collection; empty for a collection outside projects."""
        parts = [f"projects/{self.project_id}"] if self.collection.in_project else []
        if self.collection.within:
            parts.append(f"{self.collection.within}/{self.parent_id}")
        return "/".join(parts)

    @property
    def path(self) -> str:
        return "/".join(filter(None, [self.parent, self.collection.name]))

    @property
    def name(self) -> str:
        return f"{self.path}/{self.resource_id}"


@dataclass(frozen=True)
class Outcome:
    """``code`` is the canonical code's name, ``reason`` the ErrorInfo's (empty where it is OK)."""

    code: str
    reason: str = ""
    json: Any = None


class Face(Protocol):
    """How a call is made with a token (empty: none)."""

    def call(self, call: MethodCall, secret: str) -> Outcome: ...

    def refused_watch(self, call: MethodCall, secret: str) -> Outcome:
        """Open a watch that is refused at its beginning."""
        ...


def methods_of(collection: Collection[Any]) -> list[str]:
    """Return the names of the methods that a collection has, custom ones last."""
    standard = [name for name, method in _STANDARD.items() if collection.supports(method)]
    return [*standard, *sorted(collection.verbs)]


class RestFace:
    """HTTP and JSON, through the whole of Django."""

    def call(self, call: MethodCall, secret: str) -> Outcome:
        method, path, body = self._request(call)
        answer = RestClient(secret)(method, path, body)
        if answer.status < 400:
            return Outcome("OK", json=answer.json)
        error = answer.json["error"]
        return Outcome(error["status"], error["details"][0]["reason"], answer.json)

    def refused_watch(self, call: MethodCall, secret: str) -> Outcome:
        answer = RestClient(secret)("GET", f"{call.path}:watch")
        error = answer.json["error"]
        return Outcome(error["status"], error["details"][0]["reason"], answer.json)

    def _request(self, call: MethodCall) -> tuple[str, str, Any]:
        if call.method == "list":
            return "GET", call.path, None
        if call.method == "create":
            query = (
                f"?{call.collection.id_parameter}={call.resource_id}" if call.resource_id else ""
            )
            return "POST", call.path + query, dict(call.body)
        standard = {"get": "GET", "update": "PATCH", "delete": "DELETE"}.get(call.method)
        if standard:
            return standard, call.name, dict(call.body) if standard == "PATCH" else None
        return "POST", f"{call.name}:{call.method}", dict(call.body)


class GrpcFace:
    """A channel to a server in this process; which RPC a method is, is read from the protos' http rules."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._rpcs = _rpcs()

    def call(self, call: MethodCall, secret: str) -> Outcome:
        rpc, name_field, body_field = self._rpcs[call.collection.name, call.method]
        client = RpcClient(self._port, secret)
        try:
            answer = client(rpc, self._request(call, name_field, body_field))
        finally:
            client.close()
        if answer.ok:
            return Outcome("OK", json=answer.json)
        return Outcome(answer.code.name, answer.reason, answer.status)

    def refused_watch(self, call: MethodCall, secret: str) -> Outcome:
        rpc, name_field, _ = self._rpcs[call.collection.name, "watch"]
        client = RpcClient(self._port, secret)
        try:
            with pytest.raises(grpc.RpcError) as ended:
                next(client.messages(client.stream(rpc, {name_field: call.parent})))
        finally:
            client.close()
        answer = refused(ended.value)
        return Outcome(answer.code.name, answer.reason, answer.status)

    def _request(self, call: MethodCall, name_field: str, body_field: str) -> dict[str, Any]:
        if call.method == "list":
            return {name_field: call.parent} if name_field else {}
        if call.method == "create":
            request: dict[str, Any] = {name_field: call.parent} if name_field else {}
            if call.resource_id:
                request[call.collection.id_parameter] = call.resource_id
            return {**request, body_field: dict(call.body)}
        if call.method == "update":
            resource = {**call.body, name_field.rpartition(".")[2]: call.name}
            # a FieldMask in JSON has its paths in lowerCamelCase
            return {body_field: resource, "update_mask": ",".join(map(_camel_case, call.body))}
        return {name_field: call.name, **call.body}


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def _rpcs() -> dict[tuple[str, str], tuple[str, str, str]]:
    """Return by collection and method: the RPC, and the fields of its request for the name and the body."""
    rules = read_rules(Path(settings.BASE_DIR) / "proto" / "cycloud.yaml")
    found = {}
    for service in SERVICES:
        for method in service.descriptor.methods:
            binding = bind(method, rules)
            full = service.descriptor.full_name.removeprefix("cycloud.")
            found[binding.collection, binding.verb or binding.kind.value] = (
                f"{full}/{method.name}",
                binding.name_field,
                binding.body_field,
            )
    return found


@contextmanager
def open_face(name: str) -> Iterator[Face]:
    """Open the face "rest" or "grpc" on the test's database."""
    if name == "rest":
        yield RestFace()
        return
    with rpc_server() as server:
        yield GrpcFace(server.port)
