"""The Ready condition of a row inside a query, where the row's own ``ready`` cannot be asked."""

from typing import Any

from django.db.models import BigIntegerField, F, Func, Q, TextField, Value
from django.db.models.functions import Cast
from django.db.models.lookups import Exact, GreaterThanOrEqual, In

from cycloud.core.conditions import READY, Status

__all__ = ["ReadyText", "failed_for_good", "holds"]


class ReadyText(Func):
    """One field of a row's Ready condition as a text; null where the row or the condition has none.

    As ``find_condition`` does, it takes the first condition of that type, wherever in the list it is.
    Booleans are ``true`` and ``false`` in PostgreSQL, ``1`` and ``0`` in SQLite.
    """

    output_field = TextField()

    def __init__(self, field: str, column: str = "conditions") -> None:
        super().__init__(F(column), Value(READY), Value(field))

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        column, type_, field = self.get_source_expressions()
        sql, params = compiler.compile(column)
        found = "CAST(JSON_EXTRACT(value, %s) AS TEXT)"
        where = "JSON_EXTRACT(value, '$.type') = %s ORDER BY key LIMIT 1"
        return (
            f"(SELECT {found} FROM JSON_EACH({sql}) WHERE {where})",  # noqa: S608 (values are parameters)
            [f"$.{field.value}", *params, type_.value],
        )

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        column, type_, field = self.get_source_expressions()
        sql, params = compiler.compile(column)
        return (
            f"(JSONB_PATH_QUERY_FIRST({sql}, %s::jsonpath) ->> %s)",
            [*params, f'$[*] ? (@.type == "{type_.value}")', field.value],
        )


def holds(status: Status) -> Q:
    """Return the condition "Ready has that status, for the present generation"."""
    return Q(Exact(ReadyText("status"), Value(status.value))) & _current()


def failed_for_good() -> Q:
    """Return the condition "Ready is terminal for the present generation": a person must change something."""
    return Q(In(ReadyText("terminal"), ["true", "1"])) & _current()


def _current() -> Q:
    observed = Cast(ReadyText("observed_generation"), BigIntegerField())
    return Q(GreaterThanOrEqual(observed, F("generation")))
