"""List filters (AIP-160) over a resource's JSON, for watches: the same answer as the list's query gives."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from cycloud.core.aip.filter_syntax import All, Not, Some, Tree, parse_tree
from cycloud.core.aip.filter_terms import Comparison, Field, Kind, Operand, Relation

__all__ = ["Match", "compile_match"]

Match: TypeAlias = Callable[[Mapping[str, Any]], bool]
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def compile_match(text: str, fields: Mapping[str, Field]) -> Match:
    """Return a function that tells whether the JSON of a resource matches the filter.

    Raises InvalidArgument for a filter that the list would refuse; the function itself never raises for JSON
    as the API shows it.
    """
    return _match(parse_tree(text, fields))


def _match(tree: Tree) -> Match:
    match tree:
        case Not(term):
            inner = _match(term)
            return lambda body: not inner(body)
        case All(terms):
            every = [_match(term) for term in terms]
            return lambda body: all(holds(body) for holds in every)
        case Some(terms):
            some = [_match(term) for term in terms]
            return lambda body: any(holds(body) for holds in some)
    return _comparison(tree)


def _comparison(asked: Comparison) -> Match:
    read, holds = _reader(asked), _test(asked.relation, asked.value)

    def match(body: Mapping[str, Any]) -> bool:
        value = read(body)
        return value is not None and holds(value)

    return match


def _reader(asked: Comparison) -> Callable[[Mapping[str, Any]], Any]:
    """Return what reads the value out of a resource's JSON, None where it is absent."""
    path, kind = asked.path, asked.field.kind
    if kind is Kind.MAP:
        return lambda body: _at(_at(body, path), (asked.key,))
    if kind is Kind.CONDITIONS:
        return lambda body: _part(_at(body, path), asked.key, asked.part)
    if kind is Kind.NAME:
        return lambda body: _id(_at(body, path), asked.parent)
    if kind is Kind.TIME:
        return lambda body: _time(_at(body, path))
    if kind is Kind.UUID:
        return lambda body: _uuid(_at(body, path))
    return lambda body: _at(body, path)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _part(conditions: Any, type_: str, part: str) -> Any:
    if not isinstance(conditions, list):
        return None
    return next((item.get(part) for item in conditions if item.get("type") == type_), None)


def _id(name: Any, parent: str) -> str | None:
    """Return the id in a full name, where the name has that parent."""
    if not isinstance(name, str):
        return None
    before, _, resource_id = name.rpartition("/")
    return resource_id if not parent or before == parent else None


def _time(text: Any) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _uuid(text: Any) -> UUID | None:
    return UUID(text) if isinstance(text, str) else None


def _test(relation: Relation, wanted: Operand) -> Callable[[Any], bool]:
    text = str(wanted)
    tests: dict[Relation, Callable[[Any], bool]] = {
        Relation.EQUAL: lambda value: bool(value == wanted),
        Relation.LESS: lambda value: bool(value < wanted),
        Relation.AT_MOST: lambda value: bool(value <= wanted),
        Relation.MORE: lambda value: bool(value > wanted),
        Relation.AT_LEAST: lambda value: bool(value >= wanted),
        Relation.STARTS: lambda value: str(value).startswith(text),
        Relation.ENDS: lambda value: str(value).endswith(text),
        Relation.CONTAINS: lambda value: text in str(value),
        Relation.HAS: lambda value: (
            text.translate(_ASCII_LOWER) in str(value).translate(_ASCII_LOWER)
        ),
        Relation.PRESENT: lambda value: True,
    }
    return tests[relation]
