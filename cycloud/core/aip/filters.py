"""List filters (AIP-160): a small parser, and the fields that each list allows.

Supported: ``AND``, ``OR`` (which binds more tightly than AND, as AIP-160 says), ``NOT`` and ``-``, brackets,
``= != < <= > >= :``, quoted texts, ``*`` at the ends of a text, and map keys (``labels.env = prod``,
``labels:env`` for presence). Terms side by side mean AND.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from django.db.models import F, Func, Q, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.lookups import Exact, IsNull

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["Field", "Kind", "order_columns", "parse_filter"]

MAX_LENGTH = 2000
MAX_TERMS = 50
MAX_DEPTH = 20
_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<op><=|>=|!=|=|<|>|:)"
    r"|(?P<bracket>[()])|(?P<minus>-(?=[A-Za-z(]))|(?P<word>[^\s()<>=!:\"']+(?:[^\s()<>=!\"']*)))"
)
_FIELD = re.compile(r"[a-z_]+(?:\.\S+)?")


class Kind(Enum):
    """How a field is compared."""

    TEXT = "text"
    ENUM = "enum"
    TIME = "time"
    BOOLEAN = "boolean"
    NUMBER = "number"
    MAP = "map"


@dataclass(frozen=True)
class Field:
    """A field that a filter may name, and the column (or path of columns) behind it."""

    column: str
    kind: Kind = Kind.TEXT


class _MapValue(Func):
    """The text under one key of a JSON object column."""

    output_field = TextField()

    def __init__(self, column: str, key: str) -> None:
        super().__init__(F(column), Value(key))

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        source, key = self.get_source_expressions()
        sql, params = compiler.compile(source)
        return f"JSON_EXTRACT({sql}, %s)", [*params, f'$."{key.value}"']

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        source, key = self.get_source_expressions()
        sql, params = compiler.compile(source)
        return f"(({sql}) ->> %s)", [*params, key.value]


def parse_filter(text: str, fields: Mapping[str, Field]) -> Q:
    """Return the condition that the filter means. Raises InvalidArgument saying what is wrong and where."""
    if not text.strip():
        return Q()
    if len(text) > MAX_LENGTH:
        raise _wrong(f"is longer than {MAX_LENGTH} characters.")
    return _Parser(text, fields).parse()


def order_columns(
    text: str, fields: Mapping[str, str], default: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the columns of an ``order_by`` such as ``create_time desc, name`` with the default after it.

    ``fields`` maps what users may order by to columns that are never null. Raises InvalidArgument.
    """
    columns: list[str] = []
    for part in text.split(",") if text.strip() else []:
        match = re.fullmatch(r"\s*([a-z_]+)(?:\s+(asc|desc))?\s*", part)
        if match is None or match[1] not in fields:
            raise InvalidArgument.field(
                "order_by",
                f"{part.strip()[:80]!r} is not an order. Use {', '.join(sorted(fields))}, each with 'asc' or "
                "'desc' after it if you want.",
                "INVALID_ORDER",
            )
        columns.append(("-" if match[2] == "desc" else "") + fields[match[1]])
    named = {column.removeprefix("-") for column in columns}
    if len(named) < len(columns):
        raise InvalidArgument.field("order_by", "names a field twice.", "INVALID_ORDER")
    return (*columns, *(column for column in default if column.removeprefix("-") not in named))


def _wrong(description: str) -> InvalidArgument:
    return InvalidArgument.field("filter", description, "INVALID_FILTER")


class _Parser:
    """Recursive descent over the tokens of one filter."""

    def __init__(self, text: str, fields: Mapping[str, Field]) -> None:
        self._tokens = _tokens(text)
        self._fields = fields
        self._at = 0
        self._terms = 0
        self._depth = 0

    def parse(self) -> Q:
        condition = self._expression()
        if self._kind() is not None:
            raise _wrong(f"has an unexpected {self._tokens[self._at][1][:40]!r}.")
        return condition

    def _kind(self) -> str | None:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else None

    def _accept(self, kind: str, text: str | None = None) -> str | None:
        if self._kind() == kind and text in (None, self._tokens[self._at][1]):
            self._at += 1
            return self._tokens[self._at - 1][1]
        return None

    def _expression(self) -> Q:
        condition = self._factor()
        while True:
            if (
                self._accept("keyword", "AND")
                or self._kind() in ("word", "text", "minus")
                or self._next_opens()
            ):
                condition &= self._factor()
            else:
                return condition

    def _next_opens(self) -> bool:
        if self._at >= len(self._tokens):
            return False
        return self._tokens[self._at] in (("bracket", "("), ("keyword", "NOT"))

    def _factor(self) -> Q:
        condition = self._term()
        while self._accept("keyword", "OR"):
            condition |= self._term()
        return condition

    def _term(self) -> Q:
        self._terms += 1
        if self._terms > MAX_TERMS:
            raise _wrong(f"has more than {MAX_TERMS} terms.")
        if self._accept("keyword", "NOT") or self._accept("minus"):
            return ~self._simple()
        return self._simple()

    def _simple(self) -> Q:
        if not self._accept("bracket", "("):
            return self._restriction()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _wrong(f"has more than {MAX_DEPTH} brackets inside each other.")
        condition = self._expression()
        if not self._accept("bracket", ")"):
            raise _wrong("lacks a closing bracket.")
        self._depth -= 1
        return condition

    def _restriction(self) -> Q:
        name = self._accept("word")
        if name is None or not _FIELD.fullmatch(name):
            raise _wrong("lacks the name of a field, as in 'state = RUNNING'.")
        head, _, key = name.partition(".")
        field = self._fields.get(head)
        if field is None or (bool(key) and field.kind is not Kind.MAP):
            known = ", ".join(sorted(self._fields))
            raise _wrong(f"names {name[:80]!r}, which this list cannot filter by. Fields: {known}.")
        operator = self._accept("op")
        if operator is None:
            raise _wrong(f"lacks a comparison after {name[:80]!r}, as in 'state = RUNNING'.")
        quoted = self._accept("text")
        value = quoted if quoted is not None else self._accept("word")
        if value is None:
            raise _wrong(f"lacks a value after '{name[:80]} {operator}'.")
        if field.kind is Kind.MAP:
            return _map_condition(name, field, key, operator, value)
        return _CONDITIONS[field.kind](name, field.column, operator, value)


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise _wrong(f"cannot be read from {text[at : at + 40]!r} on.")
        kind, word = match.lastgroup, match[match.lastgroup]
        # after a comparison a word may hold colons (times); before one the colon is the comparison
        after_operator = bool(found) and found[-1][0] == "op"
        if kind == "word" and ":" in word and not after_operator:
            word = word.partition(":")[0]
            at = match.start(kind) + len(word)
        else:
            at = match.end()
        if kind == "text":
            word = re.sub(r"\\(.)", r"\1", word[1:-1])
        elif kind == "minus" and after_operator:
            raise _wrong("has a '-' where a value is expected; put the value in quotes.")
        elif kind == "word" and word in ("AND", "OR", "NOT") and not after_operator:
            kind = "keyword"
        found.append((kind, word))
    return found


def _only(name: str, operator: str, allowed: str) -> None:
    if operator not in allowed.split():
        raise _wrong(f"compares {name!r} with {operator!r}; it can be compared with {allowed}.")


def _text_condition(name: str, column: str, operator: str, value: str) -> Q:
    _only(name, operator, "= != :")
    if operator == ":":
        return Q(**{f"{column}__icontains": value.strip("*")})
    first, last = value.startswith("*"), value.endswith("*")
    lookups = {(True, True): "contains", (True, False): "endswith", (False, True): "startswith"}
    lookup = lookups.get((first, last), "exact")
    condition = Q(**{f"{column}__{lookup}": value.strip("*") if first or last else value})
    return ~condition if operator == "!=" else condition


def _enum_condition(name: str, column: str, operator: str, value: str) -> Q:
    _only(name, operator, "= != :")
    condition = Q(**{column: value})
    return ~condition if operator == "!=" else condition


def _ordered_condition(name: str, column: str, operator: str, value: Any) -> Q:
    _only(name, operator, "= != < <= > >=")
    lookups = {"<": "__lt", "<=": "__lte", ">": "__gt", ">=": "__gte"}
    # a comparison with nothing is false, so that NOT of it is true
    condition = Q(**{f"{column}__isnull": False}) & Q(**{column + lookups.get(operator, ""): value})
    return ~condition if operator == "!=" else condition


def _time_condition(name: str, column: str, operator: str, value: str) -> Q:
    if (operator, value) == (":", "*"):
        return Q(**{f"{column}__isnull": False})
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise _wrong(
            f"compares {name!r} with {value[:40]!r}: write times like 2026-01-31T08:00:00Z."
        )
    return _ordered_condition(name, column, operator, time)


def _number_condition(name: str, column: str, operator: str, value: str) -> Q:
    if not re.fullmatch(r"-?[0-9]{1,18}", value):
        raise _wrong(f"compares {name!r} with {value[:40]!r}, which is no whole number.")
    return _ordered_condition(name, column, operator, int(value))


def _boolean_condition(name: str, column: str, operator: str, value: str) -> Q:
    _only(name, operator, "= !=")
    if value not in ("true", "false"):
        raise _wrong(f"compares {name!r} with {value[:40]!r}: it is true or false.")
    return Q(**{column: (value == "true") == (operator == "=")})


_CONDITIONS: dict[Kind, Callable[[str, str, str, str], Q]] = {
    Kind.TEXT: _text_condition,
    Kind.ENUM: _enum_condition,
    Kind.TIME: _time_condition,
    Kind.BOOLEAN: _boolean_condition,
    Kind.NUMBER: _number_condition,
}


def _map_condition(name: str, field: Field, key: str, operator: str, value: str) -> Q:
    """``!=`` also holds where the key is absent, as in Kubernetes' selectors."""
    _only(name, operator, "= != :")
    if not key:
        if operator != ":":
            raise _wrong(f"lacks the key: write '{name}.<key> = <value>', or '{name}:<key>'.")
        key, value = value, "*"
    if '"' in key or "\\" in key:
        raise _wrong(f"names the key {key[:80]!r}, which no label can have.")
    stored: Combinable = _MapValue(field.column, key)
    present = Q(IsNull(stored, False))
    if operator == ":" and value == "*":
        return present
    equal = present & Q(Exact(stored, value))
    return ~equal if operator == "!=" else equal
