"""A client of server-sent events, beside the application in one event loop."""

import asyncio
import json
from collections import deque
from typing import Any
from urllib.parse import quote

from asgiref.testing import ApplicationCommunicator
from django.core.asgi import get_asgi_application

__all__ = ["EventStream"]


class EventStream:
    """``GET`` of a path below ``/v1/``; what comes back is an answer or a stream of events."""

    def __init__(self, path: str, secret: str = "", headers: dict[str, str] | None = None) -> None:
        path, _, query = path.partition("?")
        sent = {"host": "testserver", **(headers or {})}
        if secret:
            sent["authorization"] = f"Bearer {secret}"
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "path": f"/v1/{path}",
            "query_string": quote(query, safe="=&").encode(),
            "headers": [(k.lower().encode(), v.encode()) for k, v in sent.items()],
            "client": ("127.0.0.1", 1),
        }
        self._wire = ApplicationCommunicator(get_asgi_application(), scope)
        self.status = 0
        self.headers: dict[str, str] = {}
        self.comments = 0
        self._text = ""
        self._events: deque[dict[str, str]] = deque()

    async def open(self) -> "EventStream":
        await self._wire.send_input({"type": "http.request", "body": b"", "more_body": False})
        start = await self._wire.receive_output(timeout=10)
        self.status = start["status"]
        self.headers = {k.decode().lower(): v.decode() for k, v in start["headers"]}
        return self

    async def json(self) -> Any:
        """Return the body of an answer that is no stream."""
        body = b""
        while True:
            part = await self._wire.receive_output(timeout=10)
            body += part.get("body", b"")
            if not part.get("more_body"):
                return json.loads(body)

    async def event(self) -> dict[str, Any]:
        """Return the next event: its fields, with ``data`` read as JSON."""
        while not self._events:
            part = await self._wire.receive_output(timeout=10)
            self._text += part.get("body", b"").decode()
            *whole, self._text = self._text.split("\n\n")
            for block in whole:
                fields = dict(line.split(": ", 1) for line in block.split("\n") if line[0] != ":")
                self.comments += not fields
                if fields:
                    self._events.append(fields)
            if not self._events and not part.get("more_body"):
                raise EOFError
        fields = self._events.popleft()
        return {**fields, "data": json.loads(fields["data"])}

    async def told(self) -> tuple[str, str, str]:
        """Return type, id and version of the next event's resource."""
        event = await self.event()
        data = event["data"]
        resource = data["resource"] or {"name": ""}
        return data["type"], resource["name"].rpartition("/")[2], data["resource_version"]

    async def ended(self) -> bool:
        """Tell whether the stream is over."""
        try:
            await self.event()
        except EOFError:
            return True
        return False

    def take_no_more(self) -> None:
        """Be a client that reads nothing: what the application sends is held up, as by full buffers."""
        self._wire.output_queue._maxsize = 1

    async def dropped(self) -> None:
        """Wait until the application has given the request up."""
        await asyncio.wait_for(asyncio.shield(self._wire.future), 10)

    async def close(self) -> None:
        """Go away, as a browser whose page is closed."""
        await self._wire.send_input({"type": "http.disconnect"})
        await asyncio.wait_for(self._wire.wait(), 10)
