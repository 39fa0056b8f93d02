"""Finds the reasons that the code gives, by reading its syntax trees."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from cycloud.core.aip.errors import Code, CycloudError

__all__ = ["ROOT", "Use", "condition_reasons", "error_reasons", "field_reasons"]

ROOT = Path(__file__).parents[2]
_PARTS = ("cycloud", "catalog", "networking", "compute")
_LEFT_OUT = ("simulator", "migrations", "v1")
# where the reason stands among the positional arguments
_CONDITIONS = {"Condition": 2, "not_ready": 0, "ready": 0, "_ready": 2, "ServerFault": 0}
_FIELDS = {"field": 2, "FieldViolation": 2, "_Problem": 1}


@dataclass(frozen=True)
class Use:
    """One place that gives a reason; ``keys`` are the keys of the metadata that go with it."""

    reason: str
    place: str
    code: Code | None = None
    keys: frozenset[str] = field(default=frozenset())


@cache
def _trees() -> list[tuple[str, ast.Module]]:
    paths = sorted(path for part in _PARTS for path in (ROOT / part).rglob("*.py"))
    names = [(str(path.relative_to(ROOT)), path) for path in paths]
    return [
        (name, ast.parse(path.read_text()))
        for name, path in names
        if not set(Path(name).parts) & set(_LEFT_OUT)
    ]


def _classes(base: type[CycloudError] = CycloudError) -> dict[str, type[CycloudError]]:
    found = {base.__name__: base}
    for child in base.__subclasses__():
        found |= _classes(child)
    return found


@cache
def _calls() -> list[tuple[str, ast.Call, str, ast.AST]]:
    """Return file, call, the last part of what is called, and the function around it."""
    found: list[tuple[str, ast.Call, str, ast.AST]] = []
    for name, tree in _trees():
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        # inner functions last, so that they win
        around = {call: f for f in functions for call in ast.walk(f) if isinstance(call, ast.Call)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func).rpartition(".")[2]
                found.append((name, node, called, around.get(node, tree)))
    return found


def _argument(call: ast.Call, index: int) -> ast.expr | None:
    if len(call.args) > index:
        return call.args[index]
    return next((k.value for k in call.keywords if k.arg == "reason"), None)


def _texts(value: ast.expr, around: ast.AST) -> Iterator[str]:
    """Yield the texts that an expression can be: of a literal, a choice, an assigned name, a function."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=orelse):
            yield from _texts(body, around)
            yield from _texts(orelse, around)
        case ast.Call(func=ast.Name(id=function)):
            for found in _functions(function):
                for node in ast.walk(found):
                    if isinstance(node, ast.Return) and node.value is not None:
                        yield from _texts(node.value, found)
        case ast.Name(id=wanted):
            for node in ast.walk(around):
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == wanted:
                    yield from _texts(node.value, around)


@cache
def _functions(name: str) -> list[ast.FunctionDef]:
    nodes = [node for _, tree in _trees() for node in ast.walk(tree)]
    return [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == name]


def error_reasons() -> Iterator[Use]:
    """Every reason that an error is raised, or an operation ended, with."""
    classes = _classes()
    for name, call, called, around in _calls():
        place = f"{name}:{call.lineno}"
        if called == "_error" and name.endswith("aip/operations.py"):
            for reason in _texts(call.args[1], around):
                yield Use(reason, place)
        if called in classes:
            kind = classes[called]
            given = next((k.value for k in call.keywords if k.arg == "reason"), None)
            reasons = [kind.reason] if given is None else list(_texts(given, around))
            for reason in reasons:
                yield Use(reason, place, kind.code, _keys(call))
    for kind in classes.values():
        if "reason" in vars(kind):
            yield Use(kind.reason, kind.__name__, kind.code, frozenset({"resource"}))


def _keys(call: ast.Call) -> frozenset[str]:
    """Return the keys of a literal metadata argument, with ``resource`` where something gives it."""
    given = {k.arg: k.value for k in call.keywords}
    metadata = given.get("metadata")
    keys = set()
    if isinstance(metadata, ast.Dict):
        keys = {k.value for k in metadata.keys if isinstance(k, ast.Constant)}
    if keys or "resource" in given:
        keys.add("resource")
    return frozenset(str(key) for key in keys)


def field_reasons() -> Iterator[Use]:
    """Every reason of a field violation."""
    for name, call, called, around in _calls():
        if called not in _FIELDS or (
            called == "field" and not ast.unparse(call.func).endswith("InvalidArgument.field")
        ):
            continue
        given = _argument(call, _FIELDS[called])
        for reason in ["INVALID"] if given is None else _texts(given, around):
            yield Use(reason, f"{name}:{call.lineno}")


def condition_reasons() -> Iterator[Use]:
    """Every reason of a condition."""
    for name, call, called, around in _calls():
        given = _argument(call, _CONDITIONS[called]) if called in _CONDITIONS else None
        if given is not None:
            for reason in _texts(given, around):
                yield Use(reason, f"{name}:{call.lineno}")
