"""The web server, in a thread of its own."""

import socket
from typing import Any

from cycloud.core.threaded_server import ThreadedServer

__all__ = ["WebServer"]

# how long an open page's connection may hold up a stop
DRAIN_SECONDS = 2


class WebServer(ThreadedServer):
    """Serves the portal."""

    def __init__(self, application: Any, listening: socket.socket) -> None:
        super().__init__(
            application,
            listening,
            name="web server",
            lifespan="on",
            timeout_graceful_shutdown=DRAIN_SECONDS,
            ws_per_message_deflate=False,
        )
