"""A request of the protos as HTTP, by nothing but its google.api.http annotation (google/api/http.proto)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from google.api import annotations_pb2
from google.protobuf.descriptor import MethodDescriptor

from cycloud.rpc import SERVICES

__all__ = ["HttpRequest", "method_of", "transcode"]

_FIELD = re.compile(r"\{([a-z_.]+)=[^}]*\}")
_BY_NAME = {
    f"{service.descriptor.full_name.removeprefix('cycloud.')}/{method.name}": method
    for service in SERVICES
    for method in service.descriptor.methods
}


@dataclass(frozen=True)
class HttpRequest:
    """``path`` is below ``/v1/``, with the query; ``body`` None: none is sent."""

    verb: str
    path: str
    body: Any


def method_of(name: str) -> MethodDescriptor:
    """Return the method of a name like "compute.v1.InstanceService/GetInstance"."""
    return _BY_NAME[name]


def transcode(method: MethodDescriptor, request: Mapping[str, Any]) -> HttpRequest:
    """Return ``request`` (field names to JSON values) as the annotation of ``method`` says."""
    rule = method.GetOptions().Extensions[annotations_pb2.http]
    verb = rule.WhichOneof("pattern")
    rest = _copy(request)
    path = _FIELD.sub(
        lambda found: quote(str(_take(rest, found[1])), safe="/-_.~"), getattr(rule, verb)
    )
    body = None
    if rule.body == "*":
        body, rest = rest, {}
    elif rule.body:
        body = rest.pop(rule.body, {})
    query = urlencode({key: _text(value) for key, value in rest.items()})
    return HttpRequest(
        verb.upper(), path.removeprefix("/v1/") + (f"?{query}" if query else ""), body
    )


def _copy(value: Any) -> Any:
    return {k: _copy(v) for k, v in value.items()} if isinstance(value, Mapping) else value


def _take(request: dict[str, Any], path: str) -> Any:
    holder, _, last = path.rpartition(".")
    return (request[holder] if holder else request).pop(last)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
