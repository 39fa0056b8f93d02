"""Reading a JSON body: strict, bounded in size and depth, valid text only."""

import json
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from rest_framework.parsers import BaseParser

from cycloud.core.aip.errors import InvalidArgument

__all__ = ["BodyTooLarge", "StrictJSONParser", "check_text"]

MAX_DEPTH = 32


class BodyTooLarge(InvalidArgument):
    """413 on the REST face."""

    reason = "BODY_TOO_LARGE"
    http = 413


class StrictJSONParser(BaseParser):
    """``application/json`` in UTF-8, without NaN, double keys, NUL or lone surrogates."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value. Raises InvalidArgument saying what is wrong and where."""
        limit = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 2_621_440)
        raw: bytes = stream.read(limit + 1)
        if len(raw) > limit:
            raise BodyTooLarge(f"The body is larger than {limit} bytes. Send less at once.")
        if not raw.strip():
            return {}
        try:
            text = raw.decode("utf-8")
            value = json.loads(
                text, object_pairs_hook=_without_doubles, parse_constant=_no_constant
            )
        except UnicodeDecodeError as error:
            raise InvalidArgument(
                f"The body is not UTF-8: byte {error.start} is wrong.", reason="INVALID_JSON"
            ) from error
        except RecursionError as error:
            raise _too_deep() from error
        except ValueError as error:
            raise InvalidArgument(
                f"The body is not JSON: {error}.", reason="INVALID_JSON"
            ) from error
        _check(value, "", 0)
        return value


def check_text(text: str, field: str) -> str:
    """Return the text if it can be stored. Raises InvalidArgument naming ``field``."""
    if "\0" in text:
        raise InvalidArgument.field(field, "must not hold the character NUL.", "INVALID_TEXT")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgument.field(field, "is not valid Unicode text.", "INVALID_TEXT") from None
    return text


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        double = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {double[:80]!r} is there twice")
    return found


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")


def _too_deep() -> InvalidArgument:
    return InvalidArgument(
        f"The body is nested more than {MAX_DEPTH} levels deep.", reason="INVALID_JSON"
    )


def _check(value: Any, field: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _too_deep()
    if isinstance(value, str):
        check_text(value, field or "body")
    elif isinstance(value, dict):
        for key, inner in value.items():
            path = f"{field}.{key[:80]}" if field else key[:80]
            check_text(key, path.replace("\0", "\\0").encode(errors="replace").decode())
            _check(inner, path, depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _check(inner, f"{field}[{index}]", depth + 1)
