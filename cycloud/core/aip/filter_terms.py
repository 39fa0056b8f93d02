"""The terms of a list filter (AIP-160): which fields there are, and what each may be compared with."""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import TypeAlias
from uuid import UUID

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["Comparison", "Field", "Kind", "Operand", "Relation", "check_term", "wrong"]

Operand: TypeAlias = str | int | bool | datetime | UUID
CONDITION_PARTS = ("status", "reason", "message")
_TEXTS = "= != :"
_ORDERED = "= != < <= > >="
_CONDITION_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9]{0,62}")


class Kind(Enum):
    """How a field is compared."""

    TEXT = "text"
    ENUM = "enum"
    # a resource's id; in JSON it is the end of a full name
    NAME = "name"
    UUID = "uuid"
    ADDRESS = "address"
    TIME = "time"
    BOOLEAN = "boolean"
    NUMBER = "number"
    MAP = "map"
    CONDITIONS = "conditions"


@dataclass(frozen=True)
class Field:
    """A field that a filter may name, and the column (or path of columns) behind it.

    ``path`` is where the value is in the resource's JSON, dotted, where that is not the field's own name.
    Of a NAME: ``collection`` is the collection of full names, ``project`` the column of the project's id, empty for
    names outside projects.
    """

    column: str
    kind: Kind = Kind.TEXT
    path: str = ""
    collection: str = ""
    project: str = ""


class Relation(Enum):
    """What a comparison asks of a value that is there."""

    EQUAL = "="
    # letters A to Z count as a to z
    HAS = ":"
    CONTAINS = "*x*"
    STARTS = "x*"
    ENDS = "*x"
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    PRESENT = ":*"


@dataclass(frozen=True)
class Comparison:
    """One checked term. False where the value is absent.

    ``name``: the field's name in the filter. ``key``: of a map, or the type of a condition; ``part``: what of the
    condition. ``parent``: of a full name, what is before the id.
    """

    field: Field
    name: str
    relation: Relation
    value: Operand = ""
    key: str = ""
    part: str = ""
    parent: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        """Where the value is in the resource's JSON."""
        return tuple((self.field.path or self.name).split("."))


def wrong(description: str) -> InvalidArgument:
    return InvalidArgument.field("filter", description, "INVALID_FILTER")


def check_term(
    field: Field, name: str, key: str, operator: str, value: str
) -> tuple[Comparison, bool]:
    """Return what a term asks, and whether it asks for the opposite (``!=``).

    ``key`` is what follows the field's name after a dot. Raises InvalidArgument.
    """
    shown = f"{name}.{key}" if key else name
    if key and field.kind not in (Kind.MAP, Kind.CONDITIONS):
        raise wrong(f"names {shown[:80]!r}, but {name!r} has no fields inside.")
    comparison = _CHECKS[field.kind](_Term(field, name, shown, key, operator, value))
    return comparison, operator == "!="


@dataclass(frozen=True)
class _Term:
    """A term as it was written. ``shown`` is the field as errors name it."""

    field: Field
    name: str
    shown: str
    key: str
    operator: str
    value: str

    def only(self, allowed: str) -> None:
        if self.operator not in allowed.split():
            raise wrong(
                f"compares {self.shown[:80]!r} with {self.operator!r}; it can be compared with {allowed}."
            )

    def not_a(self, what: str) -> InvalidArgument:
        return wrong(f"compares {self.shown[:80]!r} with {self.value[:40]!r}, which is {what}.")

    def asks(self, relation: Relation, value: Operand = "") -> Comparison:
        return Comparison(self.field, self.name, relation, value)

    def asks_presence(self) -> bool:
        return (self.operator, self.value) == (":", "*")

    def ordered(self, value: Operand) -> Comparison:
        self.only(_ORDERED)
        relation = Relation.EQUAL if self.operator == "!=" else Relation(self.operator)
        return self.asks(relation, value)


def _wildcards(text: str) -> tuple[Relation, str]:
    """Read ``*`` at the ends of a text."""
    first, last = text.startswith("*"), text.endswith("*")
    relations = {
        (True, True): Relation.CONTAINS,
        (True, False): Relation.ENDS,
        (False, True): Relation.STARTS,
        (False, False): Relation.EQUAL,
    }
    bare = text.strip("*") if first or last else text
    return (relations[first, last], bare) if bare or not text else (Relation.PRESENT, "")


def _text(term: _Term) -> Comparison:
    term.only(_TEXTS)
    if term.asks_presence():
        return term.asks(Relation.PRESENT)
    if term.operator == ":":
        return term.asks(Relation.HAS, term.value.strip("*"))
    return term.asks(*_wildcards(term.value))


def _enum(term: _Term) -> Comparison:
    term.only(_TEXTS)
    return (
        term.asks(Relation.PRESENT)
        if term.asks_presence()
        else term.asks(Relation.EQUAL, term.value)
    )


def _name(term: _Term) -> Comparison:
    """An id, or a full name; ``*`` at the ends of the id."""
    parent, _, resource_id = term.value.rpartition("/")
    if not parent:
        return _text(term)
    field = term.field
    if not field.collection:
        raise term.not_a("no id; write only what follows the last '/' of the name")
    parents = rf"projects/[^/*]+/{field.collection}" if field.project else field.collection
    if not re.fullmatch(parents, parent):
        form = f"projects/PROJECT/{field.collection}" if field.project else field.collection
        raise term.not_a(f"neither an id nor a name like {form}/ID")
    term.only("= !=")
    relation, bare = _wildcards(resource_id)
    return Comparison(field, term.name, relation, bare, parent=parent)


def _uuid(term: _Term) -> Comparison:
    term.only("= !=")
    try:
        return term.asks(Relation.EQUAL, UUID(term.value))
    except ValueError:
        raise term.not_a("no UUID") from None


def _address(term: _Term) -> Comparison:
    term.only("= !=")
    try:
        return term.asks(Relation.EQUAL, str(ipaddress.IPv4Address(term.value)))
    except ValueError:
        raise term.not_a("no IPv4 address") from None


def _time(term: _Term) -> Comparison:
    if term.asks_presence():
        return term.asks(Relation.PRESENT)
    time = None
    try:
        time = datetime.fromisoformat(term.value)
        # the years 1 and 9999 may leave the calendar in UTC
        time = time.astimezone(UTC) if time.tzinfo is not None else None
    except (ValueError, OverflowError):
        time = None
    if time is None:
        raise term.not_a("no time; write times like 2026-01-31T08:00:00Z")
    return term.ordered(time)


def _number(term: _Term) -> Comparison:
    if not re.fullmatch(r"-?[0-9]{1,18}", term.value):
        raise term.not_a("no whole number")
    return term.ordered(int(term.value))


def _boolean(term: _Term) -> Comparison:
    term.only("= !=")
    if term.value not in ("true", "false"):
        raise term.not_a("neither true nor false")
    return term.asks(Relation.EQUAL, term.value == "true")


def _map(term: _Term) -> Comparison:
    """``!=`` also holds where the key is absent, as in Kubernetes' selectors."""
    term.only(_TEXTS)
    key, value, present = term.key, term.value, term.asks_presence()
    if not key:
        if term.operator != ":" or value == "*":
            raise wrong(
                f"lacks the key: write '{term.name}.KEY = VALUE', or '{term.name}:KEY' for presence."
            )
        key, present = value, True
    if not key or '"' in key or "\\" in key:
        raise wrong(f"names the key {key[:80]!r}, which no {term.name} can have.")
    relation, bare = (Relation.PRESENT, "") if present else _wildcards(value)
    return Comparison(term.field, term.name, relation, bare, key=key)


def _conditions(term: _Term) -> Comparison:
    """``conditions.Ready = True`` is short for its status; ``conditions:Ready`` asks whether there is one."""
    term.only(_TEXTS)
    type_, _, part = term.key.partition(".")
    present = term.asks_presence()
    if not term.key and term.operator == ":":
        type_, present = term.value, True
    part = part or "status"
    if not _CONDITION_TYPE.fullmatch(type_) or part not in CONDITION_PARTS:
        raise wrong(
            f"cannot compare {term.shown[:80]!r}: write '{term.name}.TYPE.PART = VALUE' with a part of "
            f"{', '.join(CONDITION_PARTS)}, or '{term.name}:TYPE' for presence."
        )
    if present:
        relation, value = Relation.PRESENT, ""
    elif term.operator == ":":
        relation, value = Relation.HAS, term.value.strip("*")
    else:
        relation, value = _wildcards(term.value)
    return Comparison(term.field, term.name, relation, value, key=type_, part=part)


_CHECKS: dict[Kind, Callable[[_Term], Comparison]] = {
    Kind.TEXT: _text,
    Kind.ENUM: _enum,
    Kind.NAME: _name,
    Kind.UUID: _uuid,
    Kind.ADDRESS: _address,
    Kind.TIME: _time,
    Kind.NUMBER: _number,
    Kind.BOOLEAN: _boolean,
    Kind.MAP: _map,
    Kind.CONDITIONS: _conditions,
}
