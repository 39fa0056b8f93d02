"""One request as a service sees it, its answer, and the table of routes."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from cycloud.simulator.cloud import Cloud, Version
from cycloud.simulator.faults import Fault
from cycloud.simulator.models.identity import Token
from cycloud.simulator.site import Site

Json = dict[str, Any]
Item = TypeVar("Item")
PAGE = 1000
"""The most objects in one page, as nova's and cinder's max_limit."""


@dataclass(frozen=True)
class Answer:
    """What goes back. A str is sent as HTML, bytes as they are, the rest as JSON."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Refused(Exception):
    """A service refuses the call; carries the answer in the service's own shape."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body)
        self.answer = answer


@dataclass
class Call:
    """A request to one service of one cloud, after authentication."""

    site: Site
    cloud: Cloud
    service: str
    method: str
    path: str
    query: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    body: bytes
    base: str
    token: Token | None = None
    version: Version = (0, 0)
    effects: Sequence[Fault] = ()
    params: dict[str, str] = field(default_factory=dict)
    request_id: str = field(default_factory=lambda: f"req-{uuid.uuid4()}")

    @property
    def user(self) -> Token:
        """The token that the call came with; only for calls that need one."""
        assert self.token is not None
        return self.token

    @property
    def project_id(self) -> str:
        """The project of the token."""
        return self.user.user.project.id

    @property
    def is_admin(self) -> bool:
        """Whether the caller is an administrator."""
        return self.user.user.is_admin

    def arg(self, name: str, default: str = "") -> str:
        """The last value of a query parameter."""
        return next((v for k, v in reversed(self.query) if k == name), default)

    def args(self, name: str) -> list[str]:
        """All values of a query parameter."""
        return [v for k, v in self.query if k == name]

    def flag(self, name: str) -> bool:
        """Whether a query parameter says yes."""
        return self.arg(name).lower() in ("1", "true", "yes", "on", "t", "y")

    def data(self) -> Json:
        """The JSON object in the body; ValueError if there is none."""
        value = json.loads(self.body or b"{}")
        if not isinstance(value, dict):
            raise ValueError("the body is no JSON object")
        return value

    def patch(self) -> list[Json]:
        """The JSON patch in the body; ValueError if there is none."""
        value = json.loads(self.body or b"[]")
        if not isinstance(value, list) or not all(
            isinstance(c, dict) and {"op", "path"} <= c.keys() for c in value
        ):
            raise ValueError("the body is no JSON patch")
        return value

    def effect(self, kind: str) -> Fault | None:
        """The fault of a kind that hit this call."""
        return next((f for f in self.effects if f.kind == kind), None)

    def sees(self, project_id: str) -> bool:
        """Whether the caller may see an object of a project."""
        return self.is_admin or project_id == self.project_id

    def lists(self, project_id: str) -> bool:
        """Whether a listing shows an object of a project (all_tenants is for admins)."""
        return project_id == self.project_id or (self.is_admin and self.flag("all_tenants"))


Handler = Callable[[Call], Answer]


class Routes:
    """Which function answers which method and path of a service."""

    def __init__(self) -> None:
        self._routes: list[tuple[str, re.Pattern[str], Handler]] = []

    def __call__(self, method: str, template: str) -> Callable[[Handler], Handler]:
        """Decorator: "/servers/{id}" fills `call.params["id"]`."""
        pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template) + r"(?:\.json)?/?$")

        def add(handler: Handler) -> Handler:
            self._routes.append((method, pattern, handler))
            # "/volumes/detail" goes before "/volumes/{id}".
            self._routes.sort(key=lambda route: route[1].groups)
            return handler

        return add

    def find(self, method: str, path: str) -> tuple[Handler, dict[str, str]] | None:
        """The function for a request and what the path holds."""
        for wanted, pattern, handler in self._routes:
            if wanted == method and (match := pattern.match(path)):
                return handler, match.groupdict()
        return None


def stamp(seconds: float | None, *, micro: bool = False, zulu: bool = True) -> str | None:
    """A time as the services write it: nova and neutron with Z, cinder with microseconds."""
    if seconds is None:
        return None
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return text + ".000000" if micro else text + ("Z" if zulu else "")


def next_page(
    call: Call, items: Sequence[Item], ident: Callable[[Item], str], url: str, missing: Refused
) -> tuple[Sequence[Item], list[Json]]:
    """The page that limit and marker ask for, with a link to the next one if it is full."""
    marker = call.arg("marker")
    if marker:
        places = [n for n, item in enumerate(items) if ident(item) == marker]
        if not places:
            raise missing
        items = items[places[0] + 1 :]
    limit = page_limit(call)
    page = items[:limit]
    if not page or len(page) < limit:
        return page, []
    rest = [(k, v) for k, v in call.query if k != "marker"]
    href = f"{url}?{urlencode([*rest, ('marker', ident(page[-1]))])}"
    return page, [{"rel": "next", "href": href}]


def page_limit(call: Call) -> int:
    """The most objects that a page may have (400 for what is no number)."""
    text = call.arg("limit")
    if not text:
        return PAGE
    if not text.isdigit():
        if call.service == "compute":
            why = f"Value: {text}. {text!r} does not match '^[0-9]*$'"
            raise api_error(400, f"Invalid input for query parameters limit. {why}")
        negative = text.startswith("-") and text[1:].isdigit()
        raise api_error(400, f"limit param must be {'positive' if negative else 'an integer'}")
    return min(int(text), PAGE)


FAULT_NAMES = {
    400: "badRequest",
    401: "unauthorized",
    403: "forbidden",
    404: "itemNotFound",
    409: "conflictingRequest",
    413: "overLimit",
    415: "badMediaType",
    429: "overLimit",
    501: "notImplemented",
    503: "serviceUnavailable",
}


def api_error(status: int, message: str) -> Refused:
    """An error of nova or cinder: {"itemNotFound": {"code": 404, "message": ...}}."""
    detail: Json = {"code": status, "message": message}
    headers = {}
    if status == 413:
        detail["retryAfter"] = "0"
        headers["Retry-After"] = "0"
    return Refused(Answer(status, {FAULT_NAMES.get(status, "computeFault"): detail}, headers))


def html_error(status: int, title: str, text: str) -> Refused:
    """An error page as WebOb writes it; glance answers all errors so."""
    page = (
        f"<html>\n <head>\n  <title>{status} {title}</title>\n </head>\n <body>\n"
        f"  <h1>{status} {title}</h1>\n  {text}<br /><br />\n\n\n\n </body>\n</html>"
    )
    return Refused(Answer(status, page))


def invalid(key: str, value: object, why: str) -> Refused:
    """400 as the JSON schemas of nova and cinder refuse a value."""
    return api_error(400, f"Invalid input for field/attribute {key}. Value: {value}. {why}")


def check_keys(key: str, value: Json, known: Container[str]) -> None:
    """400 for an attribute that the schema does not know."""
    for name in value:
        if name not in known:
            text = f"Additional properties are not allowed ({name!r} was unexpected)"
            raise invalid(key, value, text)


def check_strings(values: object, what: str) -> dict[str, str]:
    """Metadata as nova and cinder take it: strings of at most 255 characters (400)."""
    if not isinstance(values, dict):
        raise invalid(what, values, f"{values!r} is not of type 'object'")
    for key, value in values.items():
        if not isinstance(value, str):
            raise invalid(key, value, f"{value!r} is not of type 'string'")
        if not 1 <= len(key) <= 255 or len(value) > 255:
            raise invalid(key, value, f"{value!r} is too long")
    return dict(values)
