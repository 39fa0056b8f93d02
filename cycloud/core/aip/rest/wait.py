"""``POST operations/{id}:wait``: the call of REST that may take long.

While it waits it holds no thread of a pool and no connection to the database; Django keeps the request's own
thread, idle, until the answer.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connections
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request
from rest_framework.response import Response

from cycloud.core.aip.api.operations import Operations
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Json
from cycloud.core.aip.models import Operation
from cycloud.core.aip.rest.requests import check_query
from cycloud.core.aip.rest.views import MemberView
from cycloud.core.aip.waiting import ends_within

__all__ = ["wait_view"]


@dataclass(frozen=True)
class _Awaited:
    """What the async part waits for, and how it reads the operation then."""

    uid: UUID
    seconds: float
    read: Callable[[], Json]


class _Answer(Response):
    """The operation as it is now, which may still go on."""

    awaited: _Awaited | None = None


class _FirstLook(MemberView[Operation]):
    """Everything but the waiting: who asks, what they may, what they ask for."""

    collection: Operations = None  # type: ignore[assignment]

    def post(
        self, request: Request, resource_id: str, verb: str | None = None, **path: str
    ) -> Response:
        check_query(request, set())
        collection, call = self.collection, self.call()
        operation, seconds = collection.to_wait_for(
            call, resource_id, Body(self.json_body(request))
        )
        answer = _Answer(collection.to_json(operation, self.actor))
        if not operation.done and seconds > 0:
            answer.awaited = _Awaited(
                operation.uid,
                seconds,
                lambda: collection.to_json(collection.find(call, resource_id), call.actor),
            )
        return answer


def _close_connections() -> None:
    """Let the database go while the request waits; the next query opens it again."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def wait_view(
    operations: Operations,
) -> Callable[..., Coroutine[Any, Any, HttpResponseBase]]:
    """Return the async view. The answer is the operation, done or not, after its timeout at the latest."""
    first_look = sync_to_async(_FirstLook.as_view(collection=operations))

    @csrf_exempt
    async def view(request: HttpRequest, **path: str) -> HttpResponseBase:
        response: HttpResponseBase = await first_look(request, **path)
        if isinstance(response, _Answer) and response.awaited is not None:
            awaited = response.awaited
            await sync_to_async(_close_connections)()
            if await ends_within(awaited.uid, awaited.seconds):
                response.data = await sync_to_async(awaited.read)()
        return response

    return view
