"""What keeps one broken or busy cluster from harming the rest: a rate limit and circuit breakers.

The rate limit is one per cluster. Circuits are one per cluster and service, so that answers of a
healthy Cinder do not hide a dead Nova, and a dead Nova does not stop calls to Cinder.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cycloud.core.circuits import CircuitBreaker, Clock, TokenBucket
from cycloud.openstack.faults import FaultKind, ProviderFault


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
