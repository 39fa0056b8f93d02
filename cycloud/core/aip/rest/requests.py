"""Reading what is common to requests: query parameters, ids, etags."""

import re
from collections.abc import Set

from rest_framework.request import Request

from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.methods import write_options
from cycloud.core.aip.rest.parser import check_text
from cycloud.core.aip.writes import WriteOptions

__all__ = ["check_query", "flag", "options_of", "query_integer", "query_text"]

_INT32 = 2**31


def check_query(request: Request, known: Set[str]) -> None:
    """Refuse a query parameter that the method does not have, is given twice, or is no valid text."""
    for name, values in request.query_params.lists():
        if name not in known:
            raise InvalidArgument.field(
                name[:80].replace("\0", "\\0"),
                f"there is no such query parameter here. Those are: {', '.join(sorted(known)) or 'none'}.",
                "UNKNOWN_PARAMETER",
            )
        if len(values) > 1:
            raise InvalidArgument.field(name, "is given more than once.")
        check_text(str(values[0]), name)


def query_text(request: Request, name: str) -> str:
    return str(request.query_params.get(name, ""))


def flag(request: Request, name: str) -> bool:
    """Read a boolean query parameter; absent is false."""
    text = str(request.query_params.get(name, "false"))
    if text not in ("true", "false"):
        raise InvalidArgument.field(name, f"must be true or false, not {text[:40]!r}.")
    return text == "true"


def query_integer(request: Request, name: str) -> int:
    """Read a whole number of 32 bits, as the protos have them; absent is 0."""
    text = str(request.query_params.get(name, "0"))
    if not re.fullmatch(r"-?[0-9]{1,40}", text):
        raise InvalidArgument.field(name, f"{text[:40]!r} is not a whole number.", "WRONG_TYPE")
    number = int(text)
    if not -_INT32 <= number < _INT32:
        raise InvalidArgument.field(name, "is out of range.", "OUT_OF_RANGE")
    return number


def options_of(request: Request, body_etag: object = None) -> WriteOptions:
    """Read validate_only, request_id and the etag: of the If-Match header, the query or the body."""
    return write_options(
        request_id=query_text(request, "request_id"),
        validate_only=flag(request, "validate_only"),
        etag=_etag(request, body_etag),
    )


def _etag(request: Request, body_etag: object) -> str:
    if body_etag is not None and not isinstance(body_etag, str):
        raise InvalidArgument.field("etag", "must be a text.", "WRONG_TYPE")
    given = {
        _bare(text)
        for text in (request.headers.get("If-Match"), query_text(request, "etag"), body_etag)
        if text and text != "*"
    }
    if len(given) > 1:
        raise InvalidArgument.field(
            "etag", "differs between the If-Match header, the query and the body. Send one."
        )
    return given.pop() if given else ""


def _bare(text: str) -> str:
    """Return the resource's own etag; the ETag header has a digest of the answer behind it."""
    return text.strip().removeprefix("W/").strip('"').partition(".")[0]
