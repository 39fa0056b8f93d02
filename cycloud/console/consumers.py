"""Live updates of open pages over a WebSocket.

The page subscribes to what it shows; it is told only *that* something changed, and fetches it again with its
own rights. Client to server: ``{"type": "subscribe", "kind": "Instance", "uid": "..."}`` (no uid: all of that kind in
the project). Server to client: ``subscribed``, ``changed`` (kind, uid) and ``error`` (reason, message).
"""

import json
import time
from typing import Any, ClassVar
from uuid import UUID

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from cycloud.console.live import group_for
from cycloud.core.aip.errors import CycloudError, InvalidArgument, NotFound, Unauthenticated
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.authentication import actor_for_user
from cycloud.core.iam.models import User

__all__ = ["ProjectConsumer"]

# close codes that tell the page not to try again
SIGNED_OUT = 4401
NOT_A_MEMBER = 4404


class ProjectConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """One open page of one project.

    Rights are read afresh from the database at every subscription, and again while hints are sent, at most
    ``RECHECK_SECONDS`` after the last time: who lost the membership or was disabled is cut off.
    """

    MAX_SUBSCRIPTIONS: ClassVar[int] = 64
    MAX_MESSAGE_BYTES: ClassVar[int] = 1024
    RECHECK_SECONDS: ClassVar[float] = 15.0

    async def connect(self) -> None:
        self.subscribed: set[str] = set()
        self.project_id: str = self.scope["url_route"]["kwargs"]["project_id"]
        # accepted first: a refused handshake gives the page no close code to tell why
        await self.accept()
        await self._still_allowed()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Subscribe to one thing, or answer with the reason why not."""
        try:
            kind, uid = _parse_subscription(text_data, self.MAX_MESSAGE_BYTES)
            if not await self._still_allowed():
                return
            actor = await self._actor()
            group = await database_sync_to_async(group_for)(actor, self.project_id, kind, uid)
            if len(self.subscribed | {group}) > self.MAX_SUBSCRIPTIONS:
                raise InvalidArgument(
                    f"One page may subscribe to {self.MAX_SUBSCRIPTIONS} things at most.",
                    reason="TOO_MANY_SUBSCRIPTIONS",
                )
        except CycloudError as error:
            await self._send({"type": "error", "reason": error.reason, "message": error.message})
            return
        self.subscribed.add(group)
        await self.channel_layer.group_add(group, self.channel_name)
        await self._send({"type": "subscribed", "kind": kind, "uid": str(uid) if uid else None})

    async def resource_changed(self, event: dict[str, Any]) -> None:
        """Forward one hint."""
        is_fresh = time.monotonic() - self.checked < self.RECHECK_SECONDS
        if is_fresh or await self._still_allowed():
            await self._send({"type": "changed", "kind": event["kind"], "uid": event["uid"]})

    async def disconnect(self, code: int) -> None:
        for group in self.subscribed:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def _actor(self) -> Actor:
        actor: Actor = await database_sync_to_async(_actor_of_session)(self.scope)
        return actor

    async def _still_allowed(self) -> bool:
        """Return whether this is still a member's session; close the connection if not."""
        try:
            actor = await self._actor()
            await database_sync_to_async(project_for)(actor, self.project_id, Role.VIEWER)
        except Unauthenticated:
            await self.close(code=SIGNED_OUT)
            return False
        except NotFound:
            await self.close(code=NOT_A_MEMBER)
            return False
        self.checked = time.monotonic()
        return True

    async def _send(self, message: dict[str, Any]) -> None:
        await self.send(text_data=json.dumps(message))


def _parse_subscription(text: str | None, limit: int) -> tuple[str, UUID | None]:
    wanted = (
        'Send {"type": "subscribe", "kind": "Instance", "uid": "..."} (the uid may be left out).'
    )
    if text is None or len(text) > limit:
        raise InvalidArgument(f"That is not a subscription. {wanted}")
    try:
        message = json.loads(text)
        if message["type"] != "subscribe":
            raise InvalidArgument(f"That is not a subscription. {wanted}")
        uid = message.get("uid")
        return str(message["kind"]), UUID(str(uid)) if uid is not None else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidArgument(f"That is not a subscription. {wanted}") from error


def _actor_of_session(scope: Any) -> Actor:
    """Return the actor as the database knows it now. Raises Unauthenticated if the session has ended."""
    known = scope.get("user")
    session = scope.get("session")
    user = User.objects.filter(pk=known.pk).first() if isinstance(known, User) else None
    if user is None or (session is not None and not session.exists(session.session_key)):
        raise Unauthenticated("Sign in again.", reason="CREDENTIALS_MISSING")
    return actor_for_user(user)
