"""A page's end of a WebSocket. (The one of ``channels.testing`` cannot be imported without daphne.)"""

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator

__all__ = ["Page"]


class Page:
    """Speaks the ASGI WebSocket protocol with an application."""

    def __init__(self, application: Any, path: str, user: Any) -> None:
        self.scope: dict[str, Any] = {
            "type": "websocket",
            "path": path,
            "query_string": b"",
            "headers": [],
            "subprotocols": [],
            "user": user,
        }
        self._wire = ApplicationCommunicator(application, self.scope)

    async def connect(self) -> None:
        await self._wire.send_input({"type": "websocket.connect"})
        assert (await self.output())["type"] == "websocket.accept"

    async def send(self, message: Any) -> None:
        await self.send_text(json.dumps(message))

    async def send_text(self, text: str) -> None:
        await self._wire.send_input({"type": "websocket.receive", "text": text})

    async def send_bytes(self, data: bytes) -> None:
        await self._wire.send_input({"type": "websocket.receive", "bytes": data})

    async def output(self) -> dict[str, Any]:
        """Return the next event of the application, whatever it is."""
        event: dict[str, Any] = await self._wire.receive_output(timeout=5)
        return event

    async def receive(self) -> Any:
        """Return the next message."""
        event = await self.output()
        assert event["type"] == "websocket.send", event
        return json.loads(event["text"])

    async def is_silent(self) -> bool:
        return bool(await self._wire.receive_nothing(timeout=0.2))

    async def disconnect(self) -> None:
        await self._wire.send_input({"type": "websocket.disconnect", "code": 1000})
        await self._wire.wait(timeout=5)
