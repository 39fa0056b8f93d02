"""Pages (AIP-158) by key, not by number: no row is shown twice or left out while others come and go."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.core import signing
from django.db.models import Model, Q, QuerySet

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["DEFAULT_PAGE_SIZE", "MAX_PAGE_SIZE", "Page", "page_of", "page_size_of"]

R = TypeVar("R", bound=Model)
DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 1000
_SALT = "cycloud.page"


@dataclass(frozen=True)
class Page(Generic[R]):
    """``next_page_token`` is empty on the last page."""

    items: list[R]
    next_page_token: str


def page_size_of(text: str) -> int:
    """Return a page size: 50 for nothing or 0, at most 1000. Raises InvalidArgument."""
    try:
        size = int(text) if text else 0
    except ValueError:
        size = -1
    if size < 0:
        raise InvalidArgument.field(
            "page_size", f"{text[:40]!r} is not a number of 0 or more.", "INVALID_PAGE_SIZE"
        )
    return min(size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def page_of(
    rows: QuerySet[R], *, order: Sequence[str], scope: Sequence[str], size: int, token: str
) -> Page[R]:
    """Return the page of ``rows`` after ``token``.

    ``order`` names columns that are never null and together unique, "-" for descending; none of them may tell
    about other projects (so no primary key). ``scope`` is what the token is bound to: parent, filter and the like.
    Raises InvalidArgument for a token that is not ours or belongs to another list.
    """
    digest = hashlib.sha256(json.dumps([*scope, *order]).encode()).hexdigest()[:16]
    if token:
        rows = rows.filter(_after(order, _read_token(token, digest)))
    found = list(rows.order_by(*order)[: size + 1])
    items = found[:size]
    more = len(found) > size
    return Page(items, _write_token(items[-1], order, digest) if more else "")


def _write_token(last: Model, order: Sequence[str], digest: str) -> str:
    values = [_to_text(getattr(last, column.removeprefix("-"))) for column in order]
    return signing.dumps([digest, *values], salt=_SALT)


def _read_token(token: str, digest: str) -> list[Any]:
    try:
        found, *values = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError):
        found, values = "", []
    if found != digest:
        raise InvalidArgument.field(
            "page_token",
            "is not from this list with this filter and order. Start again without a page_token.",
            "INVALID_PAGE_TOKEN",
        )
    return [_from_text(value) for value in values]


def _after(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows behind the key: (a > x) or (a = x and b > y) or ..."""
    behind = Q(pk__in=[])
    equal = Q()
    for column, value in zip(order, values, strict=True):
        name = column.removeprefix("-")
        comparison = "lt" if column.startswith("-") else "gt"
        behind |= equal & Q(**{f"{name}__{comparison}": value})
        equal &= Q(**{name: value})
    return behind


def _to_text(value: Any) -> list[Any]:
    if isinstance(value, datetime):
        return ["t", value.isoformat()]
    if isinstance(value, UUID):
        return ["u", value.hex]
    return ["v", value]


def _from_text(pair: list[Any]) -> Any:
    kind, value = pair
    if kind == "t":
        return datetime.fromisoformat(value)
    return UUID(value) if kind == "u" else value
