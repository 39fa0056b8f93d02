"""What keeps one broken or busy cluster from harming the rest: a rate limit and circuit breakers.

The rate limit is one per cluster. Circuits are one per cluster and service, so that answers of a
healthy Cinder do not hide a dead Nova, and a dead Nova does not stop calls to Cinder.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cycloud.openstack.faults import FaultKind, ProviderFault

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


@dataclass
class ClusterLimits:
    """The limits of one cluster; shared by all clients of it in this process."""

    calls_per_second: float = 50.0
    burst: int = 100
    clock: Clock = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    longest_wait_seconds: float = 2.0
    _bucket: TokenBucket = field(init=False)
    _breakers: dict[str, CircuitBreaker] = field(init=False, default_factory=dict)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._bucket = TokenBucket(self.calls_per_second, self.burst, self.clock)

    def breaker(self, service: str) -> CircuitBreaker:
        """Return the circuit of ``service``."""
        with self._lock:
            return self._breakers.setdefault(service, CircuitBreaker(self.clock))

    def enter(self, service: str) -> None:
        """Wait for the rate limit, then pass the circuit.

        :raises ProviderFault: RATE_LIMITED or UNREACHABLE, with ``retry_after``; nothing was sent.
        """
        waited = 0.0
        while (wait := self._bucket.take()) > 0.0:
            if waited + wait > self.longest_wait_seconds:
                raise ProviderFault(
                    FaultKind.RATE_LIMITED,
                    "own limit of calls per second reached",
                    service=service,
                    retry_after=wait,
                )
            self.sleep(wait)
            waited += wait
        remaining = self.breaker(service).admit()
        if remaining > 0.0:
            raise ProviderFault(
                FaultKind.UNREACHABLE, "circuit open", service=service, retry_after=remaining
            )


_limits: dict[str, ClusterLimits] = {}
_registry_lock = threading.Lock()


def limits_of(key: str, calls_per_second: float = 50.0) -> ClusterLimits:
    """Return the limits of the cluster ``key``, made at the first call; two seconds' worth may come at once."""
    with _registry_lock:
        known = _limits.get(key)
        if known is None:
            burst = max(1, round(2 * calls_per_second))
            known = _limits[key] = ClusterLimits(calls_per_second, burst)
        return known


def set_limits(key: str, limits: ClusterLimits) -> None:
    """Give the cluster ``key`` other limits (settings, tests). Clients made before keep theirs."""
    with _registry_lock:
        _limits[key] = limits


def forget_limits() -> None:
    """Close all circuits and refill all buckets (tests)."""
    with _registry_lock:
        _limits.clear()
