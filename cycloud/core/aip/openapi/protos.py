"""The API as its protos tell it: every method with its place in REST, every message, and what their comments say.

Read from the generated code, and from ``descriptors.binpb``, which ``make proto`` writes beside it: the generated code
has no comments.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import yaml
from django.conf import settings
from google.api import annotations_pb2, resource_pb2
from google.protobuf.descriptor import Descriptor, FileDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto, FileDescriptorSet

from cycloud.core.aip.rpc.bindings import Binding, Rules, bind, read_rules

__all__ = ["Api", "Method", "message_in", "read_api"]

_WILDCARD: Final = re.compile(r"([A-Za-z]+)/\*")
_NAME: Final = re.compile(r"\{([a-z_.]+)=([A-Za-z*/]+)\}")
# field numbers of descriptor.proto, of which the paths of comments are made
_MESSAGE, _ENUM, _SERVICE = 4, 5, 6
_FIELD, _NESTED_MESSAGE, _NESTED_ENUM = 2, 3, 4
_VALUE, _METHOD = 2, 2


@dataclass(frozen=True)
class Method:
    """``path`` is as OpenAPI has it, ``parameters`` are the ids in it, ``http`` is "get", "post" and so on."""

    descriptor: MethodDescriptor
    binding: Binding
    http: str
    path: str
    parameters: tuple[str, ...]
    # whether the whole request is the body
    body_is_request: bool

    @property
    def name(self) -> str:
        return str(self.descriptor.name)

    @property
    def request(self) -> Descriptor:
        return self.descriptor.input_type

    @property
    def query_fields(self) -> list[Any]:
        """Return the fields of the request that are neither in the path nor in the body."""
        if self.body_is_request:
            return []
        in_path = self.binding.name_field.partition(".")[0]
        taken = {in_path, self.binding.body_field}
        return [field for field in self.request.fields if field.name not in taken]


@dataclass(frozen=True)
class Api:
    """``comments`` are by the full name of a service, method, message, field, enum or value."""

    methods: Sequence[Method]
    comments: Mapping[str, str]

    def comment(self, descriptor: Any) -> str:
        return self.comments.get(descriptor.full_name, "")


@cache
def read_api() -> Api:
    """Return the whole API. Raises ValueError for a method whose http rule is not understood."""
    raw = files("cycloud.common.v1").joinpath("descriptors.binpb").read_bytes()
    protos = FileDescriptorSet.FromString(raw).file
    modules = [import_module(f"{_module_of(proto.name)}_pb2") for proto in protos]
    descriptors: list[FileDescriptor] = [module.DESCRIPTOR for module in modules]
    config = Path(settings.BASE_DIR) / "proto" / "cycloud.yaml"
    rules = read_rules(config)
    placeholders = _placeholders(descriptors)
    methods = [
        _method(method, rules, placeholders)
        for file in descriptors
        for service in file.services_by_name.values()
        for method in service.methods
    ]
    comments = {name: text for proto in protos for name, text in _comments(proto).items()}
    return Api(methods, {**comments, **_documentation(config)})


def message_in(holder: Descriptor, field: str) -> Descriptor:
    """Return the message that a field holds. Raises KeyError where there is no such field."""
    found = holder.fields_by_name[field].message_type
    if found is None:
        raise KeyError(f"{holder.full_name}.{field} holds no message")
    return found


def _module_of(file: str) -> str:
    return file.removesuffix(".proto").replace("/", ".")


def _documentation(config: Path) -> dict[str, str]:
    """Return the texts of the service configuration, about what is in Google's own protos."""
    rules = yaml.safe_load(config.read_text()).get("documentation", {}).get("rules", [])
    return {rule["selector"]: str(rule["description"]).strip() for rule in rules}


def _placeholders(protos: Sequence[FileDescriptor]) -> dict[str, str]:
    """Return what ids are called in paths, by the collection that they are in: instances -> instance."""
    found = {"operations": "operation"}
    for file in protos:
        for message in file.message_types_by_name.values():
            for pattern in message.GetOptions().Extensions[resource_pb2.resource].pattern:
                parts = pattern.split("/")
                for collection, placeholder in zip(parts[::2], parts[1::2], strict=False):
                    found[collection] = placeholder.strip("{}")
    return found


def _method(method: MethodDescriptor, rules: Rules, placeholders: Mapping[str, str]) -> Method:
    rule = rules.get(method.full_name) or method.GetOptions().Extensions[annotations_pb2.http]
    http = rule.WhichOneof("pattern") or ""
    path = str(getattr(rule, http, ""))
    names: list[str] = []

    def placeholder(found: re.Match[str]) -> str:
        names.append(placeholders[found[1]])
        return f"{found[1]}/{{{names[-1]}}}"

    def expanded(found: re.Match[str]) -> str:
        return _WILDCARD.sub(placeholder, found[2])

    return Method(
        descriptor=method,
        binding=bind(method, rules),
        http=http,
        path=_NAME.sub(expanded, path),
        parameters=tuple(names),
        body_is_request=rule.body == "*",
    )


def _comments(file: FileDescriptorProto) -> dict[str, str]:
    """Return the comment before each thing in a file, by full name."""
    names = dict(_named(file))
    return {
        names[tuple(location.path)]: _text(location.leading_comments)
        for location in file.source_code_info.location
        if location.leading_comments and tuple(location.path) in names
    }


def _text(comment: str) -> str:
    """Return a comment with the line breaks of its source taken out; paragraphs stay."""
    paragraphs = re.split(r"\n\s*\n", comment.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _named(file: FileDescriptorProto) -> list[tuple[tuple[int, ...], str]]:
    """Return the full name of each thing that a comment can be about, with its path in the file."""
    found: list[tuple[tuple[int, ...], str]] = []
    for index, service in enumerate(file.service):
        name = f"{file.package}.{service.name}"
        found.append(((_SERVICE, index), name))
        for number, method in enumerate(service.method):
            found.append(((_SERVICE, index, _METHOD, number), f"{name}.{method.name}"))
    for index, message in enumerate(file.message_type):
        found += _named_in((_MESSAGE, index), f"{file.package}.{message.name}", message)
    for index, enum in enumerate(file.enum_type):
        found += _named_values((_ENUM, index), f"{file.package}.{enum.name}", enum)
    return found


def _named_in(
    path: tuple[int, ...], name: str, message: DescriptorProto
) -> list[tuple[tuple[int, ...], str]]:
    found = [(path, name)]
    for index, field in enumerate(message.field):
        found.append(((*path, _FIELD, index), f"{name}.{field.name}"))
    for index, inner in enumerate(message.nested_type):
        found += _named_in((*path, _NESTED_MESSAGE, index), f"{name}.{inner.name}", inner)
    for index, enum in enumerate(message.enum_type):
        found += _named_values((*path, _NESTED_ENUM, index), f"{name}.{enum.name}", enum)
    return found


def _named_values(path: tuple[int, ...], name: str, enum: Any) -> list[tuple[tuple[int, ...], str]]:
    """Values are in the scope of their enum here, as Python's descriptors have no name of their own for them."""
    found = [(path, name)]
    for index, value in enumerate(enum.value):
        found.append(((*path, _VALUE, index), f"{name}.{value.name}"))
    return found
