"""Hints "this resource changed" to open pages, over Channels, after commit.

A hint holds no data: its reader fetches the resource again, with its own rights. It may get lost.
"""

import asyncio
import logging
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

__all__ = ["group_for_project", "group_for_resource", "hint_changed", "use_loop"]

logger = logging.getLogger(__name__)
_loop: asyncio.AbstractEventLoop | None = None


def use_loop(loop: asyncio.AbstractEventLoop | None) -> None:
    """Name the event loop that owns an in-memory channel layer (the web server's)."""
    global _loop
    _loop = loop


def group_for_resource(uid: UUID) -> str:
    return f"resource.{uid.hex}"


def group_for_project(project_id: int, kind: str) -> str:
    return f"project.{project_id}.{kind}"


def hint_changed(*, kind: str, uid: UUID, project_id: int) -> None:
    """Tell the pages that show this resource, once the present transaction is committed."""
    message = {"type": "resource.changed", "kind": kind, "uid": str(uid)}
    groups = (group_for_resource(uid), group_for_project(project_id, kind))
    transaction.on_commit(lambda: _send(groups, message), robust=True)


def _send(groups: tuple[str, ...], message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is None:
        return

    async def send() -> None:
        for group in groups:
            await layer.group_send(group, message)

    if _loop is not None and _loop.is_running():
        asyncio.run_coroutine_threadsafe(send(), _loop)
        return
    try:
        async_to_sync(send)()
    except (OSError, RuntimeError) as error:
        # only a hint: the page shows the change when it is loaded again
        logger.debug("no hint sent: %s", error)
