"""REST: watching a collection as server-sent events (``GET .../instances:watch``).

Each event's ``data`` is the JSON of the gRPC stream's message, its ``id`` the resource_version: a browser's EventSource
that reconnects sends it as Last-Event-ID and goes on there. What ends a watch comes as a last event ``error`` with the
body that a refused request has. A comment is sent where there is nothing to tell, so that a dead connection is found.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from asgiref.sync import SyncToAsync
from django.db import connection
from django.http import HttpRequest, StreamingHttpResponse
from rest_framework.request import Request

from cycloud.core.aip.collection import Call, Collection
from cycloud.core.aip.errors import CycloudError, InvalidArgument, Unauthenticated
from cycloud.core.aip.language import language_of
from cycloud.core.aip.rest.errors import error_body
from cycloud.core.aip.rest.requests import check_query, flag, query_text
from cycloud.core.aip.rest.views import RestView
from cycloud.core.aip.watch import WatchOptions, watch_resources
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.changes.events import EventType, WatchEvent
from cycloud.core.changes.hub import Subscription
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.authentication import actor_for_request
from cycloud.core.iam.models import User

__all__ = ["WatchView"]

_KEEP_ALIVE = b": nothing new\n\n"
# how long a reader that was cut may take to read why, before its connection is dropped
_LAST_WORDS_SECONDS = 5.0


class WatchView(RestView):
    """Checks everything before the stream begins: a refusal is an ordinary answer."""

    http_method_names = ["get"]
    collection: Collection[Any] = None  # type: ignore[assignment]

    def get(self, request: Request, **path: str) -> StreamingHttpResponse:
        check_query(request, {"filter", "resource_version", "allow_bookmarks"})
        options = WatchOptions(
            resource_version=_version(request),
            filter=query_text(request, "filter"),
            allow_bookmarks=flag(request, "allow_bookmarks"),
        )
        subscription = watch_resources(
            self.collection,
            Call(self.actor, str(self.kwargs.get("project_id", "")), WriteOptions()),
            options,
            actor_now=_actor_now(request._request),
            identity=_identity(request._request, self.actor),
        )
        language = language_of(request.headers.get("Accept-Language", ""))
        response = StreamingHttpResponse(
            _stream(subscription, options.allow_bookmarks, language),
            content_type="text/event-stream",
        )
        # nginx would collect the events otherwise
        response["X-Accel-Buffering"] = "no"
        if not connection.in_atomic_block:
            # a watch may last for days, and its own connection would wait with it
            connection.close()
        return response


def _version(request: Request) -> str:
    """Read where to go on: Last-Event-ID is of a reconnect, so it is newer than what the URL says."""
    given = query_text(request, "resource_version")
    last = request.headers.get("Last-Event-ID", "")
    if len(last) > 40:
        raise InvalidArgument.field("Last-Event-ID", "is no resource_version.")
    return last or given


def _actor_now(request: HttpRequest) -> Callable[[], Actor]:
    """Return what reads the caller's rights afresh: the request keeps its user as it was."""
    user = getattr(request, "user", None)
    if "HTTP_AUTHORIZATION" in request.META or not isinstance(user, User):
        return lambda: actor_for_request(request)
    key, store, session_key = user.pk, type(request.session), request.session.session_key or ""

    def actor() -> Actor:
        if not store(session_key).exists(session_key):
            raise Unauthenticated("Sign in again.", reason="CREDENTIALS_MISSING")
        fresh = HttpRequest()
        fresh.META = request.META
        fresh.user = User.objects.filter(pk=key).first()  # type: ignore[assignment]
        return actor_for_request(fresh)

    return actor


def _identity(request: HttpRequest, actor: Actor) -> tuple[str, str]:
    secret = request.META.get("HTTP_AUTHORIZATION") or request.session.session_key or ""
    return actor.principal, hashlib.sha256(secret.encode()).hexdigest()


async def _stream(
    subscription: Subscription, bookmarks: bool, language: str
) -> AsyncIterator[bytes]:
    """Yield the events as text/event-stream. Closing the generator ends the watch."""
    _give_thread_back()
    dropping = _Dropping()
    subscription.on_end = dropping.begin
    try:
        # the headers leave with the first bytes
        yield _KEEP_ALIVE
        async for event in subscription:
            yield _frame(event, bookmarks)
    except CycloudError as error:
        yield f"event: error\ndata: {json.dumps(error_body(error, language))}\n\n".encode()
    finally:
        dropping.stop()
        subscription.close()


def _give_thread_back() -> None:
    """End the thread in which this request's synchronous part ran: asgiref keeps it until the request is over.

    What is left of the request needs none; a thousand watches would hold a thousand threads, with a connection each.
    """
    context = SyncToAsync.thread_sensitive_context.get(None)
    executor = SyncToAsync.context_to_thread_executor.pop(context, None) if context else None
    if executor is not None:
        executor.shutdown(wait=False)


class _Dropping:
    """Ends the present request if its reader does not take the last words: it may take nothing any more."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False

    def begin(self) -> None:
        """Called in another thread, when the hub has ended the watch."""
        self._loop.call_soon_threadsafe(self._arm)

    def stop(self) -> None:
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def _arm(self) -> None:
        if self._task is not None and not self._stopped:
            self._timer = self._loop.call_later(_LAST_WORDS_SECONDS, self._task.cancel)


def _frame(event: WatchEvent, bookmarks: bool) -> bytes:
    if event.type is EventType.BOOKMARK and not bookmarks:
        return _KEEP_ALIVE
    version = "" if event.version is None else f"id: {event.version}\n"
    return f"{version}data: {event.text}\n\n".encode()
