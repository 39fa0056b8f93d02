"""Looking until something is so."""

import time
from collections.abc import Callable

__all__ = ["until"]

SECONDS = 20.0
LOOK_SECONDS = 0.02


def until(holds: Callable[[], bool], what: str, seconds: float = SECONDS) -> float:
    """Look until ``holds``; return how many seconds that took. Raises AssertionError where it does not come about."""
    begin = time.monotonic()
    while not holds():
        passed = time.monotonic() - begin
        assert passed < seconds, f"{what}: not within {seconds:.0f} s"
        time.sleep(LOOK_SECONDS)
    return time.monotonic() - begin
