"""A watch: events as the API server sends them, one JSON object a line."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import urllib3

from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.translation import fault_from_status

__all__ = ["BOOKMARK", "WatchEvent", "WatchStream"]

BOOKMARK = "BOOKMARK"
# an object is at most 1.5 MiB in etcd; what is longer is no event
_LONGEST_LINE = 16 * 1024 * 1024


@dataclass(frozen=True)
class WatchEvent:
    """``type``: ADDED, MODIFIED, DELETED or BOOKMARK. A bookmark's object has nothing but a resourceVersion."""

    type: str
    object: Json

    @property
    def resource_version(self) -> str:
        """The version from which a watch goes on after this event."""
        return str(self.object["metadata"]["resourceVersion"])


class WatchStream(Iterator[WatchEvent]):
    """The events of one watch; it ends when the server ends it.

    Iterating raises KubernetesFault: GONE where the versions from here on are no longer kept (list again), UNREACHABLE
    where the connection was cut. The library's own ``Watch`` is not used: it tries again by itself, past our limits,
    and nobody can end it while it waits for the next event.
    """

    def __init__(self, response: urllib3.BaseHTTPResponse) -> None:
        self._response = response
        self._lock = threading.Lock()
        self._stopped = False
        self._events = self._read()

    def __next__(self) -> WatchEvent:
        return next(self._events)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stop(self) -> None:
        """End the iteration at once; from any thread, any number of times."""
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
            try:
                self._response.shutdown()
            except (OSError, RuntimeError, ValueError):
                # it has just ended by itself
                return

    def close(self) -> None:
        """Give the connection up; by the thread that iterates."""
        with self._lock:
            self._stopped = True
        self._response.close()

    def _read(self) -> Iterator[WatchEvent]:
        try:
            for line in self._lines():
                yield _event(line)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            # ValueError: the library's word for reading what was closed meanwhile
            if self._stopped:
                return
            raise KubernetesFault(
                FaultKind.UNREACHABLE, f"the watch was cut ({type(error).__name__})"
            ) from None
        finally:
            self._response.close()

    def _lines(self) -> Iterator[bytes]:
        begun = b""
        for chunk in self._response.stream(65536, decode_content=True):
            *lines, begun = (begun + chunk).split(b"\n")
            yield from (line for line in lines if line)
            if len(begun) > _LONGEST_LINE:
                raise KubernetesFault(FaultKind.UNREACHABLE, "the watch sends what is no event")


def _event(line: bytes) -> WatchEvent:
    try:
        document = json.loads(line)
        found, type_ = document["object"], str(document["type"])
    except (ValueError, KeyError, TypeError):
        raise KubernetesFault(FaultKind.UNREACHABLE, "the watch sends what is no event") from None
    if type_ == "ERROR":
        raise fault_from_status(found)
    return WatchEvent(type_, found)
