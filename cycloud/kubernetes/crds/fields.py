"""One field of an object: what it stands for in the public contract, and what Kubernetes is to check of it.

What a field means, its type, its values and whether it is required or immutable are said once, in the protos; a field
of an object only names the field of a message (:func:`proto`), and adds limits and rules. What is in no proto says all
of that itself (:func:`own`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cycloud.core.aip.openapi.schemas import SIZE
from cycloud.kubernetes.kinds import Json

__all__ = [
    "CATALOG_ID",
    "DISPLAY_NAME",
    "LINE",
    "PROVIDER_TEXT",
    "QUANTITY",
    "RESOURCE_ID",
    "Field",
    "Rule",
    "camel_name",
    "own",
    "proto",
]

# the same rules as cycloud.core.aip.names and catalog.domain.fields have; a test compares them
RESOURCE_ID: Final[Json] = {"pattern": "^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", "maxLength": 63}
CATALOG_ID: Final[Json] = {
    "pattern": r"^[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$",
    "maxLength": 63,
}
PROVIDER_TEXT: Final[Json] = {"pattern": "^[!-~]{1,255}$", "minLength": 1, "maxLength": 255}
# the longest that the pattern allows, so that rules about it have a bounded cost
QUANTITY: Final[Json] = {"pattern": SIZE["pattern"], "maxLength": 11}
DISPLAY_NAME: Final[Json] = {"maxLength": 255, "default": ""}
LINE: Final[Json] = {"maxLength": 255, "default": ""}


@dataclass(frozen=True)
class Rule:
    """A rule in CEL about ``self``, and what a person reads who breaks it. ``field``: the one that is at fault."""

    rule: str
    message: str
    field: str = ""
    # another message in CEL, where it is to name values
    expression: str = ""

    def schema(self) -> Json:
        schema: Json = {"rule": self.rule, "message": self.message}
        if self.field:
            schema["fieldPath"] = self.field
        if self.expression:
            schema["messageExpression"] = self.expression
        return schema


@dataclass(frozen=True)
class Field:
    """A field of an object.

    ``source``: the full name of the field of a message that it stands for. ``schema``: what is said over the source, or
    all where there is none. ``description`` replaces the source's comment. ``required`` and ``immutable`` None: as the
    source says; what is immutable can be changed until the resource is there (``status.uid``). ``fields``: of an
    object, or of the objects in a list.
    """

    name: str
    source: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    required: bool | None = None
    immutable: bool | None = None
    fields: Sequence["Field"] = ()
    rules: Sequence[Rule] = ()


def proto(
    message: str,
    field: str,
    schema: Mapping[str, Any] | None = None,
    *,
    name: str = "",
    description: str = "",
    required: bool | None = None,
    immutable: bool | None = None,
    fields: Sequence[Field] = (),
    rules: Sequence[Rule] = (),
) -> Field:
    """Return the field that stands for ``field`` of the message; its name in camelCase unless one is given."""
    return Field(
        name=name or camel_name(field),
        source=f"{message}.{field}",
        schema=schema or {},
        description=description,
        required=required,
        immutable=immutable,
        fields=fields,
        rules=rules,
    )


def own(
    name: str,
    schema: Mapping[str, Any],
    description: str,
    *,
    required: bool = False,
    fields: Sequence[Field] = (),
    rules: Sequence[Rule] = (),
) -> Field:
    """Return a field that no message has."""
    return Field(
        name=name,
        schema=schema,
        description=description,
        required=required,
        immutable=False,
        fields=fields,
        rules=rules,
    )


def camel_name(name: str) -> str:
    """Return a field's name as objects have it: ``ip_address`` is ipAddress."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
