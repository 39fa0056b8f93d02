"""How many calls were made: a plain counter in the process, which metrics read."""

import threading
from collections import Counter
from typing import NamedTuple

from cycloud.core.metrics.instruments import count_provider_call


class CallKey(NamedTuple):
    """``status`` is the HTTP status, or the fault's kind where there was no answer."""

    cluster: str
    service: str
    verb: str
    status: str


_counts: Counter[CallKey] = Counter()
_lock = threading.Lock()


def count_call(key: CallKey) -> None:
    """Add one call."""
    count_provider_call(key.cluster, key.service, key.status)
    with _lock:
        _counts[key] += 1


def snapshot() -> dict[CallKey, int]:
    """Return the calls of this process so far, as a copy."""
    with _lock:
        return dict(_counts)


def reset_counters() -> None:
    """Start again from nothing (tests)."""
    with _lock:
        _counts.clear()
