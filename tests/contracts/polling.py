"""Waiting for what a cloud does by itself."""

import time
from collections.abc import Callable
from itertools import chain, repeat
from typing import TypeVar

T = TypeVar("T")

POLL_SECONDS = (0.02, 0.05, 0.1, 0.25)  # then the last one


def until(what: str, look: Callable[[], T], wanted: Callable[[T], bool], seconds: float = 90) -> T:
    """Look until ``wanted``; AssertionError with the last look where time is up."""
    end = time.monotonic() + seconds
    pauses = chain(POLL_SECONDS, repeat(POLL_SECONDS[-1]))
    while not wanted(last := look()):
        assert time.monotonic() < end, f"{what}: not within {seconds:.0f} s; last seen: {last}"
        time.sleep(next(pauses))
    return last
