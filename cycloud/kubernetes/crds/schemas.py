"""Structural schemas (CustomResourceDefinition v1) of fields."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from google.api import field_behavior_pb2
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from cycloud.core.aip.openapi.protos import Api, read_api
from cycloud.core.aip.openapi.schemas import Components, Use
from cycloud.core.aip.openapi.schemas import is_required as must_be_given
from cycloud.kubernetes.crds.fields import Field, Rule, camel_name
from cycloud.kubernetes.kinds import Json

__all__ = [
    "camel_value",
    "comment_of",
    "field_schema",
    "is_immutable",
    "is_required",
    "message_fields",
    "object_schema",
    "source_of",
]

Behavior: Final = field_behavior_pb2.FieldBehavior
# what OpenAPI has and structural schemas have not, or what has another meaning there
_LEFT_OUT: Final = ("readOnly", "writeOnly", "examples", "description", "enum", "format", "type")
# what comments call fields, and values of enums
_FIELD: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_VALUE: Final = re.compile(r"\b[A-Z_]{2,}\b")
_FORMATS: Final = frozenset({"int32", "int64", "date-time", "uuid", "ipv4"})


@cache
def _components() -> tuple[Api, Components]:
    api = read_api()
    return api, Components(api)


def source_of(field: Field) -> FieldDescriptor | None:
    """Return the field of a message that it stands for. Raises KeyError where there is no such field."""
    if not field.source:
        return None
    read_api()
    message, _, name = field.source.rpartition(".")
    found: FieldDescriptor = _pool_message(message).fields_by_name[name]
    return found


def _pool_message(name: str) -> Any:
    return descriptor_pool.Default().FindMessageTypeByName(name)


def comment_of(full_name: str) -> str:
    """Return the comment that the protos have for a message or field, with fields called as objects call them."""
    text = _components()[0].comments.get(full_name, "")
    return _FIELD.sub(lambda found: camel_name(found[0]), text)


def camel_value(value: str) -> str:
    """Return a value of an enum as objects have it: IN_USE is InUse."""
    return "".join(word.capitalize() for word in value.split("_"))


def is_immutable(field: Field) -> bool:
    """Tell whether it stays as it is once the resource is there."""
    source = source_of(field)
    if field.immutable is not None or source is None:
        return bool(field.immutable)
    return Behavior.IMMUTABLE in source.GetOptions().Extensions[field_behavior_pb2.field_behavior]


def is_required(field: Field) -> bool:
    """Tell whether objects must have it."""
    source = source_of(field)
    if field.required is not None or source is None:
        return bool(field.required)
    return must_be_given(source)


def object_schema(fields: Sequence[Field], *, rules: Sequence[Rule] = ()) -> Json:
    """Return the schema of an object of these fields."""
    schema: Json = {
        "type": "object",
        "properties": {field.name: field_schema(field) for field in fields},
    }
    required = [field.name for field in fields if is_required(field)]
    if required:
        schema["required"] = required
    if rules:
        schema["x-kubernetes-validations"] = [rule.schema() for rule in rules]
    return schema


def field_schema(field: Field) -> Json:
    """Return the schema of one field."""
    source = source_of(field)
    own = dict(field.schema)
    schema: Json = {"description": _description(field, source)}
    said = {} if source is None else _of_source(source)
    # limits of a text are none of an object, and those of int32 none of int64
    if own.get("type", said.get("type")) != said.get("type"):
        said = {}
    elif own.get("format", said.get("format")) != said.get("format"):
        said = {key: value for key, value in said.items() if key not in ("minimum", "maximum")}
    schema |= said
    items = {**schema.pop("items", {}), **own.pop("items", {})}
    schema |= own
    if field.fields:
        inner = object_schema(field.fields)
        if schema.get("type") == "array":
            items = {**items, **inner}
        else:
            schema |= inner
    if items:
        schema["items"] = items
    if field.rules:
        schema["x-kubernetes-validations"] = [rule.schema() for rule in field.rules]
    return schema


def _description(field: Field, source: FieldDescriptor | None) -> str:
    if field.description or source is None:
        return field.description
    text = comment_of(field.source)
    enum = source.enum_type
    return text if enum is None else _VALUE.sub(lambda found: _shown(enum, found[0]), text)


def _shown(enum: EnumDescriptor, word: str) -> str:
    return camel_value(word) if word in enum.values_by_name else word


def _of_source(source: FieldDescriptor) -> Json:
    """Return what the public contract says of the field in a request, in the words of structural schemas."""
    if source.enum_type is not None:
        limits = _components()[1].field(source, Use.INPUT)
        values = limits.get("enum") or [value.name for value in source.enum_type.values]
        known = [v for v in values if v is not None and not v.endswith("_UNSPECIFIED")]
        return {"type": "string", "enum": [camel_value(value) for value in known]}
    if source.message_type is not None and source.is_repeated:
        return {"type": "array"}
    said = _components()[1].field(source, Use.INPUT)
    schema = {key: value for key, value in said.items() if key not in _LEFT_OUT}
    if "items" in schema:
        schema["items"] = {"type": schema["items"]["type"]}
    types = said["type"]
    schema["type"] = types if isinstance(types, str) else next(t for t in types if t != "null")
    if said.get("format") in _FORMATS:
        schema["format"] = said["format"]
    return schema


@cache
def message_fields(message: str) -> tuple[str, ...]:
    """Return the full names of the fields of a message."""
    read_api()
    found = _pool_message(message)
    return tuple(f"{message}.{field.name}" for field in found.fields)
