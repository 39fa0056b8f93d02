"""Typed reading of a request's JSON object; every complaint names the field by its path."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar, cast

from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.masks import MapChange, MapPatch, Mask
from cycloud.core.aip.quantities import parse_gib

__all__ = ["Body"]

T = TypeVar("T")


class _Required:
    pass


REQUIRED: Final = _Required()
_INTEGER_LIMIT = 2**31 - 1


class Body:
    """A JSON object as an app reads it: ``body.text("subnet")``, then ``body.finish()``.

    A reader without a default makes the field required. JSON null counts as absent. For an update,
    ``has(field)`` tells whether the field is to be changed (by the update mask, else by its presence);
    a masked field that is absent from the JSON is read as its default (AIP-134).
    ``finish`` refuses fields that nobody read.
    """

    def __init__(
        self, data: Mapping[str, Any], *, path: str = "", mask: Mask | None = None
    ) -> None:
        self._data = data if mask is None else {k: v for k, v in data.items() if k in mask}
        self._path = path
        self._mask = mask
        self._read: set[str] = set()

    def __contains__(self, field: str) -> bool:
        return self.has(field)

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    @property
    def json(self) -> dict[str, Any]:
        """The object as it came, for the digest that tells repeated requests apart."""
        return dict(self._data)

    def has(self, field: str) -> bool:
        self._read.add(field)
        return field in self._data if self._mask is None else field in self._mask

    def where(self, field: str) -> str:
        """Return the full path of a field, as errors name it."""
        return f"{self._path}.{field}" if self._path else field

    def text(self, field: str, default: str | T | _Required = REQUIRED) -> str | T:
        found, value = self._lookup(field, default)
        if not found or isinstance(value, str):
            return cast("str | T", value)
        raise self._wrong(field, "a text", value)

    def integer(self, field: str, default: int | T | _Required = REQUIRED) -> int | T:
        found, value = self._lookup(field, default)
        if not found:
            return cast("int | T", value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(field, "a whole number", value)
        if abs(value) > _INTEGER_LIMIT:
            raise InvalidArgument.field(self.where(field), "is out of range.", "OUT_OF_RANGE")
        return cast("int | T", value)

    def boolean(self, field: str, default: bool | T | _Required = REQUIRED) -> bool | T:
        found, value = self._lookup(field, default)
        if not found or isinstance(value, bool):
            return cast("bool | T", value)
        raise self._wrong(field, "true or false", value)

    def gib(self, field: str, default: int | T | _Required = REQUIRED) -> int | T:
        """Read a size such as "100Gi" and return it in GiB."""
        found, value = self._lookup(field, default)
        if not found:
            return cast("int | T", value)
        return parse_gib(value, self.where(field))

    def texts(self, field: str, default: tuple[str, ...] | _Required = ()) -> tuple[str, ...]:
        found, value = self._lookup(field, default)
        if not found:
            return cast("tuple[str, ...]", value)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(field, "a list of texts", value)
        return tuple(value)

    def text_map(self, field: str) -> dict[str, str]:
        """Read an object whose values are texts, such as ``labels``; empty where absent."""
        _, value = self._lookup(field, {})
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise self._wrong(field, "an object whose values are texts", value)
        return value

    def map_change(self, field: str) -> MapChange:
        """Read a map for an update: a new one, or a change of those of its keys that the mask names.

        A key that the mask names and the JSON does not have is to be removed.
        """
        keys = self._mask.keys.get(field) if self._mask is not None else None
        if keys is None:
            return self.text_map(field)
        _, value = self._lookup(field, {})
        if not isinstance(value, dict):
            raise self._wrong(field, "an object whose values are texts", value)
        named = {key: value[key] for key in sorted(keys) if value.get(key) is not None}
        if not all(isinstance(text, str) for text in named.values()):
            raise self._wrong(field, "an object whose values are texts", value)
        return MapPatch(named, tuple(sorted(keys - set(named))))

    def inner(self, field: str) -> "Body | None":
        """Read an inner object; None where absent."""
        found, value = self._lookup(field, None)
        if not found:
            return None
        if not isinstance(value, dict):
            raise self._wrong(field, "an object", value)
        return Body(value, path=self.where(field))

    def objects(self, field: str) -> "tuple[Body, ...]":
        """Read a list of objects; empty where absent. The caller finishes each of them."""
        _, value = self._lookup(field, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._wrong(field, "a list of objects", value)
        return tuple(
            Body(item, path=f"{self.where(field)}[{index}]") for index, item in enumerate(value)
        )

    def metadata_changes(self) -> dict[str, Any]:
        """Read those of display_name, labels and annotations that an update is to change."""
        changes: dict[str, Any] = {}
        if self.has("display_name"):
            changes["display_name"] = self.text("display_name", "")
        for field in ("labels", "annotations"):
            if self.has(field):
                changes[field] = self.map_change(field)
        return changes

    def finish(self) -> None:
        """Refuse the first field that was not read."""
        unknown = sorted(set(self._data) - self._read)
        if unknown:
            known = ", ".join(sorted(self._read)) or "none"
            raise InvalidArgument.field(
                self.where(unknown[0][:80]),
                f"there is no such field here, or it cannot be set. Fields: {known}.",
                "UNKNOWN_FIELD",
            )

    def _lookup(self, field: str, default: Any) -> tuple[bool, Any]:
        """Return whether the field is there, and its value or the default."""
        self._read.add(field)
        value = self._data.get(field)
        if value is not None:
            return True, value
        if default is REQUIRED:
            raise InvalidArgument.field(
                self.where(field), "is missing; it is required.", "REQUIRED"
            )
        return False, default

    def _wrong(self, field: str, wanted: str, value: object) -> InvalidArgument:
        return InvalidArgument.field(
            self.where(field), f"must be {wanted}, not {str(value)[:40]!r}.", "WRONG_TYPE"
        )
