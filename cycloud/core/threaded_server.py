"""A uvicorn server in a thread of its own, on a socket that is already bound."""

import socket
import threading
from contextlib import suppress
from typing import Any

import uvicorn

__all__ = ["ThreadedServer"]

START_SECONDS = 30.0
STOP_SECONDS = 8.0


class ThreadedServer:
    """Serves an ASGI application. ``options`` are uvicorn's; ``name`` is for people and the thread."""

    def __init__(
        self, application: Any, listening: socket.socket, *, name: str, **options: Any
    ) -> None:
        self._name = name
        self._socket = listening
        self.port = int(listening.getsockname()[1])
        self._ready = threading.Event()
        config = uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            # tells that it serves: called once per second from the first round of its loop on
            callback_notify=self._notify,
            timeout_notify=1,
            **options,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Return when requests are answered. Raises RuntimeError if that does not come about."""
        self._thread.start()
        if not self._ready.wait(START_SECONDS) or not self._server.started:
            raise RuntimeError(
                f"The {self._name} did not start; see the lines above for the cause."
            )

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
