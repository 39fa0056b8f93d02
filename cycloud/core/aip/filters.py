"""List filters (AIP-160) as conditions of a query, and ``order_by``. The language is in ``filter_syntax``.

Every condition is true or false, never NULL: what is absent compares as false. Texts are compared the same way on
every database: case counts, except for ``:``, where the letters A to Z count as a to z.
"""

import re
from collections.abc import Mapping
from functools import reduce
from typing import Any

from django.db.models import F, Func, Q, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Left, Right, StrIndex
from django.db.models.lookups import Exact, GreaterThan, IsNull

from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.filter_syntax import All, Not, Some, Tree, parse_tree
from cycloud.core.aip.filter_terms import Comparison, Field, Kind, Relation

__all__ = ["Field", "Kind", "order_columns", "parse_filter", "resource_filters"]

_LOOKUPS = {
    Relation.EQUAL: "",
    Relation.LESS: "__lt",
    Relation.AT_MOST: "__lte",
    Relation.MORE: "__gt",
    Relation.AT_LEAST: "__gte",
}
# the place is for the compiled column; all values are parameters
_SQLITE_PART = (
    "(SELECT JSON_EXTRACT(item.value, %s) FROM JSON_EACH({}) AS item "
    "WHERE JSON_EXTRACT(item.value, '$.type') = %s LIMIT 1)"
)
_POSTGRESQL_PART = (
    "(SELECT item.value ->> %s FROM JSONB_ARRAY_ELEMENTS({}) AS item (value) "
    "WHERE item.value ->> 'type' = %s LIMIT 1)"
)


def resource_filters(collection: str) -> dict[str, Field]:
    """Return the fields that every list of a project's resources can be filtered by (AIP-148)."""
    return {
        "name": Field(
            "resource_id", Kind.NAME, collection=collection, project="project__resource_id"
        ),
        "uid": Field("uid", Kind.UUID),
        "display_name": Field("display_name"),
        "labels": Field("labels", Kind.MAP),
        "annotations": Field("annotations", Kind.MAP),
        "conditions": Field("conditions", Kind.CONDITIONS),
        "generation": Field("generation", Kind.NUMBER),
        "observed_generation": Field("observed_generation", Kind.NUMBER),
        "create_time": Field("create_time", Kind.TIME),
        "update_time": Field("update_time", Kind.TIME),
        "delete_time": Field("delete_time", Kind.TIME),
        "purge_time": Field("purge_time", Kind.TIME),
    }


def parse_filter(text: str, fields: Mapping[str, Field]) -> Q:
    """Return the condition that the filter means. Raises InvalidArgument saying what is wrong and where."""
    return _condition(parse_tree(text, fields))


def order_columns(
    text: str, fields: Mapping[str, str], default: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the columns of an ``order_by`` such as ``create_time desc, name`` with the default after it.

    ``fields`` maps what users may order by to columns. Raises InvalidArgument.
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


def _condition(tree: Tree) -> Q:
    match tree:
        case Not(term):
            return ~_condition(term)
        case All(terms):
            return reduce(Q.__and__, map(_condition, terms), Q())
        case Some(terms):
            return reduce(Q.__or__, map(_condition, terms))
    return _comparison(tree)


def _comparison(asked: Comparison) -> Q:
    condition = _text_condition(asked) if _is_text(asked.field.kind) else _typed_condition(asked)
    if asked.parent and asked.field.project:
        # projects/P/COLLECTION, as the term was checked
        condition &= _equal(F(asked.field.project), asked.parent.split("/")[1])
    return condition


def _is_text(kind: Kind) -> bool:
    return kind in (Kind.TEXT, Kind.ENUM, Kind.NAME, Kind.MAP, Kind.CONDITIONS)


def _typed_condition(asked: Comparison) -> Q:
    column = asked.field.column
    present = Q(**{f"{column}__isnull": False})
    if asked.relation is Relation.PRESENT:
        return present
    return present & Q(**{column + _LOOKUPS[asked.relation]: asked.value})


def _text_condition(asked: Comparison) -> Q:
    stored, text = _stored(asked), str(asked.value)
    present = Q(IsNull(stored, False))
    match asked.relation:
        case Relation.EQUAL:
            return _equal(stored, text)
        case Relation.STARTS:
            return present & Q(Exact(Left(stored, len(text)), Value(text)))
        case Relation.ENDS:
            return present & Q(Exact(Right(stored, len(text)), Value(text)))
        case Relation.CONTAINS:
            return present & Q(GreaterThan(StrIndex(stored, Value(text)), 0))
        case Relation.HAS:
            found = StrIndex(_AsciiLower(stored), _AsciiLower(Value(text)))
            return present & Q(GreaterThan(found, 0))
    return present


def _equal(stored: Combinable, text: str) -> Q:
    return Q(IsNull(stored, False)) & Q(Exact(stored, Value(text)))


def _stored(asked: Comparison) -> Combinable:
    column = asked.field.column
    if asked.field.kind is Kind.MAP:
        return _MapValue(column, asked.key)
    if asked.field.kind is Kind.CONDITIONS:
        return _ConditionPart(column, asked.key, asked.part)
    return F(column)


class _AsciiLower(Func):
    """The text with A to Z as a to z, and no other letter changed."""

    function = "LOWER"
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        # in the collation "C" only ASCII has cases, as in SQLite
        return self.as_sql(compiler, connection, template='LOWER((%(expressions)s) COLLATE "C")')


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


class _ConditionPart(Func):
    """The status, reason or message of the condition of one type, in a JSON column with a list of them."""

    output_field = TextField()

    def __init__(self, column: str, type_: str, part: str) -> None:
        super().__init__(F(column), Value(type_), Value(part))

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        source, type_, part = self.get_source_expressions()
        sql, params = compiler.compile(source)
        return _SQLITE_PART.format(sql), [f"$.{part.value}", *params, type_.value]

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        source, type_, part = self.get_source_expressions()
        sql, params = compiler.compile(source)
        return _POSTGRESQL_PART.format(sql), [part.value, *params, type_.value]
