"""How long to wait after a failure."""

import random
from collections.abc import Callable

__all__ = ["Backoff", "jittered"]

FIRST_SECONDS = 0.2
LONGEST_SECONDS = 30.0


def jittered(seconds: float, draw: Callable[[], float] = random.random) -> float:
    """Return between 80 % and 120 % of it, so that many who wait the same do not come at the same moment."""
    return seconds * (0.8 + 0.4 * draw())


class Backoff:
    """Doubles with each failure, up to 30 s, with jitter. Not thread-safe: each thread has its own."""

    def __init__(self, draw: Callable[[], float] = random.random) -> None:
        self._draw = draw
        self._seconds = 0.0

    def failed(self, retry_after: float | None = None) -> float:
        """Return how long to wait after one more failure; at least what the server asks for, within the longest."""
        self._seconds = min(LONGEST_SECONDS, self._seconds * 2 or FIRST_SECONDS)
        # more than half of it always, so that a server that is down is left alone for a while
        wait = self._seconds * (0.5 + 0.5 * self._draw())
        return max(wait, min(LONGEST_SECONDS, retry_after or 0.0))

    def succeeded(self) -> None:
        """Begin anew with the next failure."""
        self._seconds = 0.0
