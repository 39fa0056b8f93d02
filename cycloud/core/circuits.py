"""What keeps a service that is broken or busy from harming the rest: a rate limit and a circuit breaker."""

import threading
import time
from collections.abc import Callable

__all__ = [
    "FAILURES_TO_OPEN",
    "FIRST_OPEN_SECONDS",
    "LONGEST_OPEN_SECONDS",
    "CircuitBreaker",
    "Clock",
    "TokenBucket",
]

Clock = Callable[[], float]  # monotonic, seconds

FAILURES_TO_OPEN = 5
FIRST_OPEN_SECONDS = 5.0
LONGEST_OPEN_SECONDS = 60.0


class TokenBucket:
    """``rate`` calls per second on average, ``burst`` at once."""

    def __init__(self, rate: float, burst: int, clock: Clock = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._tokens = float(burst)
        self._filled_at = clock()
        self._lock = threading.Lock()

    def take(self) -> float:
        """Take one token and return 0, or take none and return the seconds until there is one."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._rate)
            self._filled_at = now
            if self._tokens >= 1.0:
                self._tokens -= 1.0
                return 0.0
            return (1.0 - self._tokens) / self._rate


class CircuitBreaker:
    """Opens after 5 failures in a row, for 5 s doubling up to 60 s; then lets one call through.

    closed -> open (5 failures) -> half-open (time over: one call) -> closed (it was answered)
                                                                   -> open, twice as long (it failed)
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._open_seconds = 0.0
        self._open_until = 0.0
        self._probe_since: float | None = None
        self._lock = threading.Lock()

    def admit(self) -> float:
        """Return 0 where a call may be made, else the seconds until it is worth asking again."""
        with self._lock:
            if self._open_seconds == 0.0:
                return 0.0
            now = self._clock()
            if now < self._open_until:
                return self._open_until - now
            # a probe that never reported (its thread died) must not keep the circuit shut for ever
            if self._probe_since is not None and now - self._probe_since < LONGEST_OPEN_SECONDS:
                return FIRST_OPEN_SECONDS
            self._probe_since = now
            return 0.0

    def pause(self) -> float:
        """Return for how many seconds no call will be let through, without asking for one."""
        with self._lock:
            return max(0.0, self._open_until - self._clock()) if self._open_seconds else 0.0

    def answered(self) -> None:
        """Note that the service answered, be it with an error of the 4xx kind."""
        with self._lock:
            self._failures = 0
            self._open_seconds = 0.0
            self._probe_since = None

    def failed(self) -> None:
        """Note a call without an answer or with a 5xx one."""
        with self._lock:
            self._failures += 1
            half_open = self._probe_since is not None
            if not half_open and (self._open_seconds or self._failures < FAILURES_TO_OPEN):
                return  # a call that began before the circuit opened must not lengthen it
            self._open_seconds = min(
                LONGEST_OPEN_SECONDS, self._open_seconds * 2 or FIRST_OPEN_SECONDS
            )
            self._open_until = self._clock() + self._open_seconds
            self._probe_since = None

    def abandoned(self) -> None:
        """Note that an admitted call was not made after all, so that another may probe."""
        with self._lock:
            self._probe_since = None
