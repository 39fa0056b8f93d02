"""Pages (AIP-158) by key, not by number: no row is shown twice or left out while others come and go."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.core import signing
from django.core.exceptions import FieldDoesNotExist
from django.db.models import F, Model, OrderBy, Q, QuerySet

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["DEFAULT_PAGE_SIZE", "MAX_PAGE_SIZE", "Page", "page_of", "page_of_items", "page_size_of"]

R = TypeVar("R", bound=Model)
T = TypeVar("T")
DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 1000
_SALT = "cycloud.page"


@dataclass(frozen=True)
class Page(Generic[R]):
    """``next_page_token`` is empty on the last page."""

    items: list[R]
    next_page_token: str


def page_size_of(size: int) -> int:
    """Return a page size: 50 for 0, at most 1000. Raises InvalidArgument for a negative one."""
    if size < 0:
        raise InvalidArgument.field(
            "page_size", f"{size} is not a number of 0 or more.", "INVALID_PAGE_SIZE"
        )
    return min(size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def page_of(
    rows: QuerySet[R], *, order: Sequence[str], scope: Sequence[str], size: int, token: str
) -> Page[R]:
    """Return the page of ``rows`` after ``token``.

    ``order`` names columns that are unique together, "-" for descending; none of them may tell about other projects
    (so no primary key). Where a column may be null, null is behind every value, and before them in descending
    order, on every database. ``scope`` is what the token is bound to: parent, filter and the like.
    Raises InvalidArgument for a token that is not ours or belongs to another list.
    """
    digest = hashlib.sha256(json.dumps([*scope, *order]).encode()).hexdigest()[:16]
    keys = [_key(rows, column) for column in order]
    if token:
        rows = rows.filter(_after(keys, _read_token(token, digest)))
    found = list(rows.order_by(*(key.order for key in keys))[: size + 1])
    items = found[:size]
    more = len(found) > size
    return Page(items, _write_token(items[-1], keys, digest) if more else "")


def page_of_items(
    items: Mapping[str, T], *, descending: bool, scope: Sequence[str], size: int, token: str
) -> tuple[list[T], str]:
    """Return the page of a small list that is no table, ordered by the items' names, and the next page's token.

    The token remembers the last name that was shown, so items may come and go. Raises InvalidArgument as
    :func:`page_of` does.
    """
    digest = hashlib.sha256(json.dumps([*scope, descending]).encode()).hexdigest()[:16]
    names = sorted(items, reverse=descending)
    if token:
        [last] = _read_token(token, digest)
        names = [name for name in names if (name < last if descending else name > last)]
    shown = names[:size]
    more = len(names) > size
    next_token = signing.dumps([digest, _to_text(shown[-1])], salt=_SALT) if more else ""
    return [items[name] for name in shown], next_token


@dataclass(frozen=True)
class _Key:
    """One column of an order."""

    column: str
    descending: bool
    nullable: bool

    @property
    def order(self) -> str | OrderBy:
        if self.nullable and self.descending:
            return F(self.column).desc(nulls_first=True)
        if self.nullable:
            return F(self.column).asc(nulls_last=True)
        return f"-{self.column}" if self.descending else self.column

    def same(self, value: Any) -> Q:
        """Rows with that value, or with none where it is None."""
        return Q(**{f"{self.column}__isnull": True}) if value is None else Q(**{self.column: value})

    def behind(self, value: Any) -> Q:
        """Rows that come after those with that value."""
        if value is None:
            present = Q(**{f"{self.column}__isnull": False})
            return present if self.descending else Q(pk__in=[])
        if self.descending:
            return Q(**{f"{self.column}__lt": value})
        greater = Q(**{f"{self.column}__gt": value})
        return greater | self.same(None) if self.nullable else greater


def _key(rows: QuerySet[R], order: str) -> _Key:
    column = order.removeprefix("-")
    try:
        nullable = bool(getattr(rows.model._meta.get_field(column), "null", False))
    except FieldDoesNotExist:
        # an annotation: those that lists are ordered by are never null
        nullable = False
    return _Key(column, order.startswith("-"), nullable)


def _write_token(last: Model, keys: Sequence[_Key], digest: str) -> str:
    values = [_to_text(getattr(last, key.column)) for key in keys]
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


def _after(keys: Sequence[_Key], values: Sequence[Any]) -> Q:
    """Rows behind the key: (a > x) or (a = x and b > y) or ..."""
    behind, equal = Q(pk__in=[]), Q()
    for key, value in zip(keys, values, strict=True):
        behind |= equal & key.behind(value)
        equal &= key.same(value)
    first, value = keys[0], values[0]
    if value is None or first.nullable:
        return behind
    # implied by the rest; an index on the first column can be entered by it
    return Q(**{f"{first.column}__{'lte' if first.descending else 'gte'}": value}) & behind


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
