"""What a method of the protos is, read from its google.api.http rule: REST and gRPC cannot differ in it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

import yaml
from google.api import annotations_pb2, http_pb2
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["Binding", "MethodKind", "Rules", "bind", "read_rules"]

Rules = Mapping[str, http_pb2.HttpRule]
# /v1/{parent=projects/*}/instances:watch
_PATH: Final = re.compile(
    r"/v1/(?:\{(?P<field>[a-z_.]+)=(?P<template>[A-Za-z*/]+)\})?"
    r"(?P<rest>/?[A-Za-z]*)(?::(?P<verb>[A-Za-z]+))?"
)


class MethodKind(Enum):
    """The standard methods of AIP-131 to 135, custom methods of one resource (AIP-136), watches."""

    LIST = "list"
    GET = "get"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    CUSTOM = "custom"
    WATCH = "watch"


# of a collection's path, and of a resource's
_ON_COLLECTION: Final = {"get": MethodKind.LIST, "post": MethodKind.CREATE}
_ON_RESOURCE: Final = {
    "get": MethodKind.GET,
    "patch": MethodKind.UPDATE,
    "delete": MethodKind.DELETE,
    "post": MethodKind.CUSTOM,
}


@dataclass(frozen=True)
class Binding:
    """``name_field`` holds the parent's or the resource's name in the request; empty where the path has none.

    ``template`` is how that name looks. ``body_field`` is the field that is the body in REST; empty for
    the whole request, or none.
    """

    kind: MethodKind
    collection: str
    name_field: str
    template: str
    body_field: str
    verb: str

    def ids_of(self, name: str) -> tuple[str, ...]:
        """Return the ids in a name, such as ("p", "web-1"). Raises InvalidArgument for another form."""
        pattern = re.escape(self.template).replace(r"\*", r"([^/:]+)")
        found = re.fullmatch(pattern, name)
        if found is None:
            problem = "is missing; it" if not name else f"{name[:80]!r} is no name of this kind: it"
            raise InvalidArgument.field(
                self.name_field,
                f"{problem} must be like {self.template}.",
                "INVALID_NAME" if name else "REQUIRED",
            )
        return found.groups()


def read_rules(file: Path) -> Rules:
    """Return the http rules of a service configuration, for services whose protos are not ours."""
    config: dict[str, Any] = yaml.safe_load(file.read_text())
    rules = (json_format.ParseDict(rule, http_pb2.HttpRule()) for rule in config["http"]["rules"])
    return {rule.selector: rule for rule in rules}


def bind(method: MethodDescriptor, rules: Rules) -> Binding:
    """Return what a method does. Raises ValueError for a rule that is not of this form: a fault of the protos."""
    rule = rules.get(method.full_name)
    if rule is None:
        rule = method.GetOptions().Extensions[annotations_pb2.http]
    http = rule.WhichOneof("pattern") or ""
    path = str(getattr(rule, http, ""))
    found = _PATH.fullmatch(path)
    if found is None:
        raise ValueError(
            f"{method.full_name} has no google.api.http rule that is understood: {path!r}"
        )
    template, rest = found["template"] or "", found["rest"].removeprefix("/")
    verb = found["verb"] or ""
    if method.server_streaming:
        kind = MethodKind.WATCH
    elif rest:
        kind = _ON_COLLECTION[http]
    else:
        kind = _ON_RESOURCE[http]
    return Binding(
        kind=kind,
        collection=rest or template.split("/")[-2],
        name_field=found["field"] or "",
        template=template,
        body_field="" if rule.body == "*" else rule.body,
        verb=verb,
    )
