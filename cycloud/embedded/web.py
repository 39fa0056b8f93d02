"""The web server, in a thread of its own."""

import socket
import threading
from contextlib import suppress
from typing import Any

import uvicorn

__all__ = ["WebServer"]

START_SECONDS = 30.0
STOP_SECONDS = 8.0
# how long an open page's connection may hold up a stop
DRAIN_SECONDS = 2


class WebServer:
    """Serves an ASGI application on a socket that is already bound."""

    def __init__(self, application: Any, listening: socket.socket) -> None:
        self._socket = listening
        self._ready = threading.Event()
        config = uvicorn.Config(
            application,
            lifespan="on",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
            ws_per_message_deflate=False,
            # tells that it serves: called once per second from the first round of its loop on
            callback_notify=self._notify,
            timeout_notify=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Return when requests are answered. Raises RuntimeError if that does not come about."""
        self._thread.start()
        if not self._ready.wait(START_SECONDS) or not self._server.started:
            raise RuntimeError("The web server did not start; see the lines above for the cause.")

    def stop(self) -> None:
        """End open connections and the server. Harmless to repeat."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)
        self._socket.close()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            # how uvicorn ends when the application refuses to start; start() tells of it
            with suppress(SystemExit):
                self._server.run(sockets=[self._socket])
        finally:
            # start() must not wait for a server that has ended already
            self._ready.set()

    async def _notify(self) -> None:
        self._ready.set()
