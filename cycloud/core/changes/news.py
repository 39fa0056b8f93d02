"""The word within one process that something was committed to the feed. May get lost: readers poll as well."""

import threading
from weakref import WeakSet

__all__ = ["listen", "tell"]

_lock = threading.Lock()
_listeners: WeakSet[threading.Event] = WeakSet()


def listen(event: threading.Event) -> None:
    """Have ``event`` set at each commit, for as long as somebody holds it."""
    with _lock:
        _listeners.add(event)


def tell() -> None:
    """Set all events."""
    with _lock:
        events = list(_listeners)
    for event in events:
        event.set()
