"""The ASGI application of the webhooks' listener: ``/admission``, ``/convert``, ``/healthz``, and nothing else.

A listener of its own, since an AdmissionReview names a namespace, and whoever may send one can find out what a project
has. Answers are those of the Kubernetes API's conventions: a review is answered 200 with what was found; anything else
is an error of the call, which the API server treats by the failurePolicy.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, HTTPScope
from django.db import close_old_connections

from cycloud.core.aip.unforeseen import error_of
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.webhooks.reviews import MalformedReview

__all__ = ["CERTIFICATE", "Application", "Route"]

# key of the scope's state: whether the client showed a certificate that was verified
CERTIFICATE: Final = "client_certificate"
_BODY_SECONDS: Final = 10.0
# what the API server sends with the request as "?timeout=5s", if it does
_DEFAULT_SECONDS: Final = 30.0
_TIMEOUT = re.compile(r"([1-9][0-9]{0,3})s")
_TEXT: Final = "text/plain; charset=utf-8"


@dataclass
class Route:
    """One webhook. ``handle`` runs in one of ``threads``; where more wait than ``most_waiting``, calls are turned away.

    ``needs_certificate``: only whom the client CA vouches for is answered.
    """

    handle: Callable[[object], Json]
    most_bytes: int
    threads: int
    most_waiting: int = 64
    needs_certificate: bool = False
    pool: ThreadPoolExecutor = field(init=False)
    waiting: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.pool = ThreadPoolExecutor(self.threads, thread_name_prefix="webhook")


@dataclass(frozen=True)
class _Answer:
    status: int
    body: bytes
    type: str = _TEXT


class _Refused(Exception):
    """Ends a call with this answer."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.answer = _Answer(status, f"{text}\n".encode())


class Application:
    """Serves the routes by their paths."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        self._routes = routes

    async def __call__(
        self, scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        try:
            answer = await self._answer(scope, receive)
        except _Refused as refused:
            answer = refused.answer
        headers = [
            (b"content-type", answer.type.encode()),
            (b"content-length", str(len(answer.body)).encode()),
        ]
        if answer.status != 200:
            # what was not read of the request must not be taken for the next one
            headers.append((b"connection", b"close"))
        await send(
            {
                "type": "http.response.start",
                "status": answer.status,
                "headers": headers,
                "trailers": False,
            }
        )
        await send({"type": "http.response.body", "body": answer.body, "more_body": False})

    def close(self) -> None:
        """End the threads; what waits for one is given up."""
        for route in self._routes.values():
            route.pool.shutdown(wait=True, cancel_futures=True)

    async def _answer(self, scope: HTTPScope, receive: ASGIReceiveCallable) -> _Answer:
        if scope["path"] == "/healthz":
            return _Answer(200, b"ok\n")
        route = self._routes.get(scope["path"])
        if route is None:
            raise _Refused(404, "There is nothing here.")
        if scope["method"] != "POST":
            raise _Refused(405, "Only POST is answered here.")
        state: Any = scope.get("state") or {}
        if route.needs_certificate and not state.get(CERTIFICATE):
            raise _Refused(
                403, "Only the API server, with its client certificate, is answered here."
            )
        latest = time.monotonic() + _seconds(scope)
        body = await _body(scope, receive, route.most_bytes)
        if route.waiting >= route.most_waiting:
            raise _Refused(503, "There are too many reviews at once.")
        route.waiting += 1
        try:
            job = asyncio.wrap_future(route.pool.submit(_work, route, body, latest))
            # what it raised is taken from it below
            await asyncio.wait([job])
        finally:
            route.waiting -= 1
        exception = job.exception()
        if exception is None:
            return _Answer(200, job.result(), "application/json")
        if isinstance(exception, _Refused):
            raise exception
        error = error_of(exception)
        raise _Refused(error.http_status, error.message)


def _work(route: Route, body: bytes, latest: float) -> bytes:
    """Answer one review, in a thread of the pool."""
    if time.monotonic() > latest:
        raise _Refused(503, "This waited for so long that nobody waits for the answer.")
    try:
        review = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise _Refused(400, "The body is not JSON.") from None
    close_old_connections()
    try:
        return json.dumps(route.handle(review)).encode()
    except MalformedReview as error:
        raise _Refused(400, str(error)) from None
    finally:
        close_old_connections()


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number in JSON")


async def _body(scope: HTTPScope, receive: ASGIReceiveCallable, most_bytes: int) -> bytes:
    """Return the whole body. Raises _Refused if it is too large, too slow, or never comes to its end."""
    too_large = _Refused(413, f"A review may have {most_bytes} bytes.")
    announced = dict(scope["headers"]).get(b"content-length", b"")
    # the server has made sure that it is a number
    if announced and int(announced) > most_bytes:
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise _Refused(400, "The request ended early.")
                parts.append(message["body"])
                size += len(message["body"])
                if size > most_bytes:
                    raise too_large
                if not message["more_body"]:
                    return b"".join(parts)
    except TimeoutError:
        raise _Refused(408, "The request did not come to its end in time.") from None


def _seconds(scope: HTTPScope) -> float:
    """Return how long the API server waits for the answer."""
    query = parse_qs(scope["query_string"].decode("latin-1"))
    match = _TIMEOUT.fullmatch(query.get("timeout", [""])[0])
    return float(match[1]) if match else _DEFAULT_SECONDS
