"""JSON Schemas (2020-12, as OpenAPI 3.1 has them) of the protos' messages.

A message can look different in an answer, in a create and in an update (AIP-203): REQUIRED fields are required in a
create only, INPUT_ONLY ones are in no answer, and OUTPUT_ONLY ones may be sent back and are ignored. So a resource has
up to three components: ``Instance``, ``InstanceInput`` and ``InstanceUpdate``. No field of an answer is required,
since read masks (AIP-157) can leave out any.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final

from google.api import field_behavior_pb2, field_info_pb2
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from cycloud.core.aip.openapi.protos import Api

__all__ = ["ANY", "Components", "Json", "Use", "is_required"]

Json = dict[str, Any]
Behavior: Final = field_behavior_pb2.FieldBehavior
_TYPE_PREFIX: Final = "type.googleapis.com/"


class Use(Enum):
    """Where a message is; the value is what its component's name ends with."""

    ANSWER = ""
    INPUT = "Input"
    UPDATE = "Update"


SIZE: Final[Json] = {"pattern": "^[1-9][0-9]{0,8}(Mi|Gi|Ti)$", "examples": ["100Gi"]}
# what the protos cannot say of a field in a request
_LIMITS: Final[Mapping[str, Json]] = {
    "cycloud.compute.v1.Instance.desired_state": {"enum": ["RUNNING", "STOPPED"]},
    "cycloud.compute.v1.InstanceVolume.size": SIZE,
    "cycloud.compute.v1.Volume.size": SIZE,
    "cycloud.compute.v1.GrowVolumeRequest.size": SIZE,
}
ANY: Final[Json] = {
    "type": "object",
    "description": "A message of the type that `@type` names, for example "
    "`type.googleapis.com/cycloud.compute.v1.Instance`, with its fields beside it.",
    "properties": {"@type": {"type": "string"}},
    "required": ["@type"],
    "additionalProperties": True,
}
# how JSON has the messages that are no objects in it
_WELL_KNOWN: Final[Mapping[str, Json]] = {
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Duration": {
        "type": "string",
        "pattern": r"^[0-9]{1,12}(\.[0-9]{1,9})?s$",
        "examples": ["30s"],
    },
    "google.protobuf.FieldMask": {"type": "string"},
    "google.protobuf.Any": {"$ref": "#/components/schemas/Any"},
}
# what a client may send back, to be ignored; the etag of a create is so too, as there is nothing to compare it with
_NOT_SET: Final = (Behavior.OUTPUT_ONLY, Behavior.IDENTIFIER)
_INT32: Final[Json] = {
    "type": "integer",
    "format": "int32",
    "minimum": -(2**31),
    "maximum": 2**31 - 1,
}
_SCALARS: Final[Mapping[int, Json]] = {
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_INT32: _INT32,
    # as protobuf's JSON has it: more than what a JSON number can hold
    FieldDescriptor.TYPE_INT64: {"type": "string", "format": "int64"},
}
# protobuf cannot tell an empty text or list from one that is not there
_SOME: Final[Mapping[str, Json]] = {"string": {"minLength": 1}, "array": {"minItems": 1}}
_FORMATS: Final[Mapping[int, str]] = {
    field_info_pb2.FieldInfo.UUID4: "uuid",
    field_info_pb2.FieldInfo.IPV4: "ipv4",
    field_info_pb2.FieldInfo.IPV6: "ipv6",
}


class Components:
    """Collects the schemas of messages under ``components/schemas`` as they are asked for."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.schemas: dict[str, Json] = {"Any": ANY}

    def add(self, name: str, make: Callable[[], Json]) -> Json:
        """Return a reference to the schema of that name, which is made at the first time."""
        if name not in self.schemas:
            # a message may hold itself
            self.schemas[name] = {}
            self.schemas[name] = make()
        return {"$ref": f"#/components/schemas/{name}"}

    def message(self, message: Descriptor, use: Use, *, without: str = "") -> Json:
        """Return the schema of a message; ``without`` is a field that is in the path."""
        known = _WELL_KNOWN.get(message.full_name)
        if known is not None:
            return dict(known)
        if use is Use.ANSWER and message.full_name == "google.longrunning.Operation":
            return self.add("Operation", self._operation)
        name = _name_of(message) + (use.value if _differs(message) else "")
        return self.add(name, lambda: self._object(message, use, without))

    def field(self, field: FieldDescriptor, use: Use) -> Json:
        """Return the schema of one field, with what its comment says."""
        # an update is of the resource's own fields; what is in them is given whole
        inner = Use.INPUT if use is Use.UPDATE else use
        behaviors = _behaviors(field)
        if Behavior.OUTPUT_ONLY in behaviors:
            inner = Use.ANSWER
        schema = self._values(field, inner)
        if use is Use.INPUT and is_required(field):
            schema |= _SOME.get(schema.get("type", ""), {})
        if use is not Use.ANSWER:
            schema |= _LIMITS.get(field.full_name, {})
            if "enum" in schema:
                schema = {"type": "string", **schema}
                schema.pop("$ref", None)
        if _may_be_null(field, use):
            schema = _nullable(schema)
        comment = self._api.comment(field)
        if comment:
            schema["description"] = comment
        if not behaviors.isdisjoint(_NOT_SET) or (use is Use.INPUT and field.name == "etag"):
            schema["readOnly"] = True
        if Behavior.INPUT_ONLY in behaviors:
            schema["writeOnly"] = True
        return schema

    def with_type(self, message: Descriptor) -> Json:
        """Return the schema of a message inside an Any."""
        name = _name_of(message)

        def make() -> Json:
            schema = self._object(message, Use.ANSWER, "")
            tag = {"type": "string", "const": f"{_TYPE_PREFIX}{message.full_name}"}
            schema["properties"] = {"@type": tag, **schema["properties"]}
            return {**schema, "required": ["@type"]}

        return self.add(f"{name}Any" if _in_package(message, "cycloud") else name, make)

    def _object(self, message: Descriptor, use: Use, without: str) -> Json:
        fields = [field for field in message.fields if field.name != without]
        if use is Use.ANSWER:
            fields = [field for field in fields if Behavior.INPUT_ONLY not in _behaviors(field)]
        schema: Json = {
            "type": "object",
            "properties": {field.name: self.field(field, use) for field in fields},
        }
        comment = self._api.comment(message)
        if comment:
            schema["description"] = comment
        if use is Use.INPUT:
            required = [f.name for f in fields if is_required(f)]
            if required:
                schema["required"] = required
        if use is not Use.ANSWER:
            schema["additionalProperties"] = False
        return schema

    def _values(self, field: FieldDescriptor, use: Use) -> Json:
        """Return the schema of what is in a field: one value, a list, or a map of texts."""
        entry = field.message_type
        if entry is not None and entry.GetOptions().map_entry:
            return {
                "type": "object",
                "additionalProperties": self._value(entry.fields_by_name["value"], use),
            }
        if field.is_repeated:
            return {"type": "array", "items": self._value(field, use)}
        return self._value(field, use)

    def _value(self, field: FieldDescriptor, use: Use) -> Json:
        if field.message_type is not None:
            return self.message(field.message_type, use)
        if field.enum_type is not None:
            enum = field.enum_type
            return self.add(_name_of(enum), lambda: self._enum(enum))
        schema = dict(_SCALARS[field.type])
        info = field.GetOptions().Extensions[field_info_pb2.field_info].format
        if info in _FORMATS:
            schema["format"] = _FORMATS[info]
        return schema

    def _enum(self, enum: EnumDescriptor) -> Json:
        names = [value.name for value in enum.values if not value.name.endswith("_UNSPECIFIED")]
        texts = {name: self._api.comments.get(f"{enum.full_name}.{name}", "") for name in names}
        lines = [f"- `{name}`: {text}" for name, text in texts.items()]
        return {
            "type": "string",
            "enum": names,
            "description": "\n".join([self._api.comment(enum), "", *lines]),
        }

    def _operation(self) -> Json:
        def comment(field: str) -> str:
            return self._api.comments.get(f"google.longrunning.Operation.{field}", "")

        return {
            "type": "object",
            "description": self._api.comments.get("google.longrunning.Operation", ""),
            "properties": {
                "name": {"type": "string", "description": comment("name"), "readOnly": True},
                "metadata": {
                    "$ref": "#/components/schemas/OperationMetadataAny",
                    "description": comment("metadata"),
                },
                "done": {"type": "boolean", "description": comment("done")},
                "error": {
                    "$ref": "#/components/schemas/Status",
                    "description": comment("error"),
                },
                "response": {
                    "$ref": "#/components/schemas/Any",
                    "description": comment("response"),
                },
            },
        }


def _name_of(descriptor: Any) -> str:
    """Return the name without its package, inner ones with the outer one's before: InstanceState."""
    package = f"{descriptor.file.package}."
    return str(descriptor.full_name).removeprefix(package).replace(".", "")


def _in_package(message: Descriptor, package: str) -> bool:
    return str(message.full_name).startswith(f"{package}.")


def is_required(field: FieldDescriptor) -> bool:
    """Tell whether a request must have the field."""
    return Behavior.REQUIRED in _behaviors(field)


def _behaviors(field: FieldDescriptor) -> frozenset[int]:
    return frozenset(field.GetOptions().Extensions[field_behavior_pb2.field_behavior])


def _differs(message: Descriptor) -> bool:
    """Tell whether a message looks different in requests and answers: where its fields have a behaviour.

    The requests and responses of methods are only one of both.
    """
    return not message.name.endswith(("Request", "Response"))


def _may_be_null(field: FieldDescriptor, use: Use) -> bool:
    """Tell whether JSON null may stand for a field that is not set.

    In requests it always may (a required field that is null counts as missing), in answers only where protobuf
    tells an unset field from an empty one.
    """
    if use is Use.ANSWER:
        return bool(field.has_presence) and not str(field.full_name).startswith("google.")
    return not is_required(field)


def _nullable(schema: Json) -> Json:
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return {**schema, "type": [schema["type"], "null"]}
