"""How a resource's Ready condition is coloured, on pages and in the admin. Pure.

| Ready                                         | tone |
|-----------------------------------------------|------|
| True, reason Stopped                          | idle |
| True                                          | ok   |
| False, settled (a person must change something) | bad  |
| Unknown, or a failure that is tried again     | warn |
| missing, old, or False and on the way         | busy |
"""

from enum import StrEnum

from cycloud.core.conditions import Condition, Status

__all__ = ["FAILURES", "Tone", "tone_of"]

# reasons of a pass that failed and is tried again by itself
FAILURES = frozenset(
    {
        "DataNotFound",
        "InsufficientCapacity",
        "InvalidConfiguration",
        "MoveBlocked",
        "NetworkInterfaceAttachmentFailed",
        "ProviderError",
        "ProviderUnreachable",
        "QuotaExceeded",
    }
)


class Tone(StrEnum):
    """Names of the colours in the style sheets."""

    OK = "ok"
    BUSY = "busy"
    WARN = "warn"
    BAD = "bad"
    IDLE = "idle"


def tone_of(ready: Condition | None, generation: int) -> Tone:
    """Return the tone of a resource with that Ready condition and that generation of its spec."""
    if ready is None or ready.observed_generation < generation:
        return Tone.BUSY
    if ready.status is Status.TRUE:
        return Tone.IDLE if ready.reason == "Stopped" else Tone.OK
    if ready.terminal:
        return Tone.BAD
    if ready.status is Status.UNKNOWN or ready.reason in FAILURES:
        return Tone.WARN
    return Tone.BUSY
