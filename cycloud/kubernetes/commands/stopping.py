"""Running until a signal asks to stop."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

__all__ = ["run_until_stopped", "stop_signals"]

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_LOOK_SECONDS: Final = 1.0


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """Within the block SIGTERM and SIGINT set the event, and do nothing else."""
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, ask) for number in _SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_until_stopped(stop: threading.Event, running: Callable[[], bool]) -> bool:
    """Wait for ``stop`` and return True; False as soon as what is to run doesn't any more."""
    while not stop.wait(_LOOK_SECONDS):
        if not running():
            return False
    return True
