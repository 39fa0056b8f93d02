"""The simulator as a server in a thread of this process."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from types import TracebackType
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from cycloud.simulator.app import ABORT, create_app
from cycloud.simulator.site import Site

START_SECONDS = 30.0
THREAD = "cycloud-simulator"


def _worth_logging(record: logging.LogRecord) -> bool:
    """Drop what uvicorn says of our own start and stop; another uvicorn here keeps its voice."""
    return record.threadName != THREAD or record.levelno >= logging.WARNING


class SimulatorError(RuntimeError):
    """The simulator cannot serve; the text says why and what to do."""


class _Protocol(HttpToolsProtocol):
    """Lets the application close the connection without an answer, and logs no access."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.access_log = False

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {ABORT: {"abort": self.transport.abort}}


class _Server(uvicorn.Server):
    """Says when it is ready, or that it has failed."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


class SimulatorServer:
    """Serves a site on one port; `port` 0 takes a free one. Also a context manager."""

    def __init__(self, site: Site, host: str = "127.0.0.1", port: int = 0) -> None:
        self.site = site
        self.host = host
        self.port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The root of all clouds."""
        return f"http://{self.host}:{self.port}"

    def auth_url(self, cloud: str) -> str:
        """Keystone of a cloud."""
        return f"{self.url}/{cloud}/identity/v3"

    def start(self) -> SimulatorServer:
        """Serve from now on; SimulatorError if the port is taken."""
        logging.getLogger("uvicorn.error").addFilter(_worth_logging)
        listener = _listen(self.host, self.port)
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(
            create_app(self.site),
            http=_Protocol,
            ws="none",
            lifespan="on",
            # The process may run another uvicorn: leave its logging alone.
            log_config=None,
            log_level=None,
            server_header=False,
            # A client that reuses a connection must not meet its end by our timeout.
            timeout_keep_alive=3600,
            timeout_graceful_shutdown=1,
        )
        self._server = _Server(config)
        self._thread = threading.Thread(
            target=self._run, args=(listener,), name=THREAD, daemon=True
        )
        self._thread.start()
        if not self._server.ready.wait(START_SECONDS):
            raise SimulatorError(f"the simulator on {self.url} did not start")
        return self

    def _run(self, listener: socket.socket) -> None:
        assert self._server is not None
        with listener:
            asyncio.run(self._server.serve(sockets=[listener]))

    def stop(self) -> None:
        """Stop serving and save the site, if it has a file. Safe to call twice."""
        if self._server is None or self._thread is None:
            return
        self._server.should_exit = True
        self._thread.join(START_SECONDS)
        self._server = self._thread = None

    def __enter__(self) -> SimulatorServer:
        """Start."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop."""
        self.stop()


def _listen(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # accepted sockets inherit it; asyncio sets it only where the protocol number was given, and without it
    # every answer waits 40 ms for a delayed acknowledgement
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            text = f"port {port} on {host} is in use: stop what listens there or choose another"
            raise SimulatorError(text) from error
        raise SimulatorError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    listener.listen(128)
    return listener
