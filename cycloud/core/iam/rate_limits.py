"""How often a principal may call, over both faces, and how often an address may fail to say who it is.

A token bucket for each, in Django's cache: shared by all processes where the cache is Redis, else one per
process. The bucket is kept as the time at which it would be full again, in microseconds (the generic cell rate
algorithm), so that one atomic increment takes a token and parallel calls cannot take the same one.
"""

import hashlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.utils.module_loading import import_string

from cycloud.core.aip.errors import ResourceExhausted

__all__ = ["Rate", "limit_failures", "limit_principal", "take", "wait_for"]

logger = logging.getLogger(__name__)
_MICROSECONDS: Final = 1_000_000
_LEAST_LIFE: Final = 3600


@dataclass(frozen=True)
class Rate:
    """So many calls per second on average, and ``burst`` at once. Not above 0: no limit."""

    per_second: float
    burst: int

    @property
    def is_limited(self) -> bool:
        return self.per_second > 0

    @property
    def interval(self) -> int:
        """Microseconds in which one token comes back."""
        return max(1, int(_MICROSECONDS / self.per_second))

    @property
    def life(self) -> int:
        """Seconds after which a bucket that nobody touched is forgotten; it is full again long before."""
        return max(_LEAST_LIFE, 2 * self.burst * self.interval // _MICROSECONDS)


def limit_principal(principal: str) -> None:
    """Count a call of a principal. Raises ResourceExhausted (RATE_LIMITED) with the seconds to wait."""
    rate = Rate(settings.CYCLOUD_RATE_PER_SECOND, settings.CYCLOUD_RATE_BURST)
    wait = take(f"principal:{principal}", rate)
    if wait:
        raise ResourceExhausted(
            f"{principal} calls too often: {rate.per_second:g} times a second on average are allowed, and "
            f"{rate.burst} at once. Repeat the request after {wait:.3g} s, and call less often.",
            reason="RATE_LIMITED",
            metadata={"principal": principal, "per_second": f"{rate.per_second:g}"},
            retry_after=wait,
        )


def limit_failures(address: str) -> None:
    """Count a call from an address that did not authenticate. Raises ResourceExhausted (RATE_LIMITED).

    Good credentials from the same address go on working: it may be a proxy's, with many people behind it.
    """
    rate = Rate(settings.CYCLOUD_RATE_FAILURES_PER_SECOND, settings.CYCLOUD_RATE_FAILURES_BURST)
    wait = take(f"failures:{address}", rate)
    if wait:
        raise ResourceExhausted(
            "Too many requests without good credentials come from your address. Correct the token, and repeat "
            f"the request after {wait:.3g} s.",
            reason="RATE_LIMITED",
            retry_after=wait,
        )


def take(name: str, rate: Rate) -> float:
    """Take a token from a bucket; return 0, or the seconds until there is one (then none is taken).

    Without its cache the limit is off: a call must not fail for the sake of counting it.
    """
    return _ask(_take, name, rate)


def wait_for(name: str, rate: Rate) -> float:
    """Return the seconds until a bucket has a token, 0 if it has one now; none is taken."""
    return _ask(_wait, name, rate)


def _ask(question: Callable[[str, Rate, int], float], name: str, rate: Rate) -> float:
    if not rate.is_limited:
        return 0.0
    # names hold what callers send; a key must be short and plain
    key = f"cycloud.rate.{hashlib.sha256(name.encode()).hexdigest()[:40]}"
    try:
        return question(key, rate, int(time.time() * _MICROSECONDS))
    except _cache_errors() as error:
        logger.warning("calls are not limited: the cache does not answer: %s", error)
        return 0.0


def _cache_errors() -> tuple[type[Exception], ...]:
    """What the cache raises when it is away; the embedded portal's is in this process, and has no such thing."""
    return tuple(import_string(name) for name in settings.CYCLOUD_CACHE_ERRORS)


def _wait(key: str, rate: Rate, now: int) -> float:
    full_at = int(cache.get(key) or 0)
    return max(0, full_at - now - rate.interval * (rate.burst - 1)) / _MICROSECONDS


def _take(key: str, rate: Rate, now: int) -> float:
    interval = rate.interval
    try:
        full_at = cache.incr(key, interval)
    except ValueError:
        # there is none: full. Of two who find it so at once one is not counted, which harms nobody
        cache.add(key, now + interval, rate.life)
        return 0.0
    if full_at - interval < now:
        cache.set(key, now + interval, rate.life)
        return 0.0
    too_much = full_at - now - interval * rate.burst
    if too_much <= 0:
        return 0.0
    cache.decr(key, interval)
    return too_much / _MICROSECONDS
