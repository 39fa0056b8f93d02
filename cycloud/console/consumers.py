"""Live updates of open pages over a WebSocket, from the change feed.

The page says once what it shows and which version of it; it is told only *that* something changed, and fetches it
again with its own rights.

Client to server: ``{"type": "subscribe", "resources": [{"kind": "Instance", "uid": "..."}], "resource_version": "7"}``.
No uid: all of that kind in the project. Without a version: from now on. A second one takes the place of the first.

Server to client, each with a ``resource_version`` from which a later connection goes on: ``subscribed``, ``changed``
(kind, uid, change), ``bookmark``; and ``error`` (reason, message), after which the page subscribes anew.
"""

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from cycloud.core.aip.errors import CycloudError, InvalidArgument, NotFound, Unauthenticated
from cycloud.core.changes.events import EventType, WatchEvent
from cycloud.core.changes.feed import parse_version
from cycloud.core.changes.hub import Subscription, WatchRequest, hub
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.authentication import actor_for_user
from cycloud.core.iam.models import User

__all__ = ["KINDS", "NOT_A_MEMBER", "SIGNED_OUT", "ProjectConsumer"]

# close codes that tell the page not to try again
SIGNED_OUT = 4401
NOT_A_MEMBER = 4404
# RFC 6455: come back later
_TRY_AGAIN = 1013
# what pages show
KINDS = frozenset({"Instance", "Volume", "NetworkInterface", "Subnet", "Vpc"})


@dataclass(frozen=True)
class _Wanted:
    """What a page shows: single resources, and whole kinds (uid None)."""

    resources: frozenset[tuple[str, UUID | None]]
    version: int | None

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(kind for kind, _ in self.resources)

    def has(self, event: WatchEvent) -> bool:
        return (event.kind, None) in self.resources or (event.kind, event.uid) in self.resources


class ProjectConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """One open page of one project.

    Rights are read afresh at each subscription, and from then on every CYCLOUD_WATCH_RECHECK_SECONDS: who lost the
    membership, signed out or was disabled is cut off. A uid of another project's resource is one of nothing.
    """

    MAX_RESOURCES: ClassVar[int] = 64
    MAX_MESSAGE_BYTES: ClassVar[int] = 8192

    async def connect(self) -> None:
        self._reading: asyncio.Task[None] | None = None
        self._project_id: str = self.scope["url_route"]["kwargs"]["project_id"]
        # accepted first: a refused handshake gives the page no close code to tell why
        await self.accept()
        try:
            await database_sync_to_async(self._project_key)()
        except CycloudError as error:
            await self._refuse(error)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Begin to tell of what the page shows, or answer with the reason why not."""
        try:
            wanted = _parse(text_data, self.MAX_MESSAGE_BYTES, self.MAX_RESOURCES)
            subscription = await database_sync_to_async(self._subscribe)(wanted)
        except CycloudError as error:
            await self._refuse(error)
            return
        await self._stop_reading()
        await self._send("subscribed", subscription.version)
        self._reading = asyncio.create_task(self._read(subscription, wanted))

    async def disconnect(self, code: int) -> None:
        await self._stop_reading()

    async def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading

    async def _read(self, subscription: Subscription, wanted: _Wanted) -> None:
        try:
            async with contextlib.aclosing(subscription.__aiter__()) as events:
                async for event in events:
                    if event.type is EventType.BOOKMARK:
                        await self._send("bookmark", event.version)
                    elif wanted.has(event):
                        uid, change = str(event.uid), event.type.value
                        await self._send(
                            "changed", event.version, kind=event.kind, uid=uid, change=change
                        )
        except CycloudError as error:
            await self._refuse(error, ended=True)

    def _subscribe(self, wanted: _Wanted) -> Subscription:
        project = self._project_key()
        return hub().subscribe(
            WatchRequest(
                kinds=wanted.kinds,
                projects=frozenset({project}),
                check=self._check,
                after=wanted.version,
            )
        )

    def _check(self) -> None:
        self._project_key()

    def _project_key(self) -> int:
        """Return the project's key, by the rights as they are now. Raises Unauthenticated, NotFound."""
        actor = _actor_of_session(self.scope)
        return project_for(actor, self._project_id, "iam.projects.get").pk

    async def _refuse(self, error: CycloudError, *, ended: bool = False) -> None:
        """Tell why; close the connection where the page has lost its rights, or the stream is over."""
        match error:
            case Unauthenticated():
                await self.close(code=SIGNED_OUT)
            case NotFound():
                await self.close(code=NOT_A_MEMBER)
            case _:
                await self._send("error", None, reason=error.reason, message=error.message)
                if ended:
                    await self.close(code=_TRY_AGAIN)

    async def _send(self, what: str, version: int | None, **fields: str) -> None:
        message: dict[str, Any] = {"type": what, **fields}
        if version is not None:
            message["resource_version"] = str(version)
        await self.send(text_data=json.dumps(message))


def _parse(text: str | None, max_bytes: int, max_resources: int) -> _Wanted:
    wanted = 'Send {"type": "subscribe", "resources": [{"kind": "Instance", "uid": "..."}]} (uid may be left out).'
    if text is None or len(text) > max_bytes:
        raise InvalidArgument(f"That is not a subscription. {wanted}")
    try:
        message = json.loads(text)
        if message["type"] != "subscribe":
            raise InvalidArgument(f"That is not a subscription. {wanted}")
        resources = frozenset(_resource(item) for item in message["resources"])
        version = message.get("resource_version")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidArgument(f"That is not a subscription. {wanted}") from error
    if not 0 < len(resources) <= max_resources:
        raise InvalidArgument(
            f"One page may subscribe to 1 to {max_resources} things.",
            reason="TOO_MANY_SUBSCRIPTIONS",
        )
    unknown = sorted(kind for kind, _ in resources if kind not in KINDS)
    if unknown:
        raise InvalidArgument.field("kind", f"use one of {', '.join(sorted(KINDS))}.")
    return _Wanted(resources, None if version is None else parse_version(str(version)))


def _resource(item: Any) -> tuple[str, UUID | None]:
    uid = item.get("uid")
    return str(item["kind"]), UUID(str(uid)) if uid is not None else None


def _actor_of_session(scope: Any) -> Actor:
    """Return the actor as the database knows it now. Raises Unauthenticated if the session has ended."""
    known = scope.get("user")
    session = scope.get("session")
    user = User.objects.filter(pk=known.pk).first() if isinstance(known, User) else None
    if user is None or (session is not None and not session.exists(session.session_key)):
        raise Unauthenticated("Sign in again.", reason="CREDENTIALS_MISSING")
    return actor_for_user(user)
