"""A way to the API server that a test cuts: TCP only, so that the server's certificate is still the server's."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.e2e.kubernetes.harness.server import ApiServer
from tests.e2e.kubernetes.harness.waiting import until

__all__ = ["Cutter", "cuttable"]


class Cutter:
    """Passes bytes on between its own port and the server's."""

    def __init__(self, server: ApiServer) -> None:
        self._target = (server.host, server.ports.api)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.refusing = False
        # how many connections were cut
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._listening.getsockname()[1]}"

    def cut(self) -> int:
        """End all connections in the middle of whatever they do; return how many."""
        with self._lock:
            ends, self._open = self._open, set()
        for end in ends:
            _shut(end)
        self.cuts += len(ends) // 2
        return len(ends) // 2

    def until_cut(self, seconds: float) -> None:
        """Wait for one more cut."""
        before = self.cuts
        until(lambda: self.cuts > before, "one more cut", seconds)

    def close(self) -> None:
        self.refusing = True
        _shut(self._listening)
        self._listening.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                try:
                    far = None if self.refusing else socket.create_connection(self._target)
                except OSError:
                    # the server itself is away
                    far = None
                if far is None:
                    near.close()
                    continue
                with self._lock:
                    self._open |= {near, far}
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            _shut(end)
        with self._lock:
            self._open -= {source, sink}


def _shut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


@contextmanager
def cuttable(server: ApiServer) -> Iterator[Cutter]:
    """Have such a way for the length of a block."""
    cutter = Cutter(server)
    try:
        yield cutter
    finally:
        cutter.close()
