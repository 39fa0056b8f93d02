"""How a pass ended. Values, never exceptions."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Done:
    """What is wanted is there. ``recheck``: when to look again by itself (for example a purge time)."""

    recheck: datetime | None = None


@dataclass(frozen=True)
class Wait:
    """Something is under way; look again after ``seconds`` (a short poll) or when woken."""

    seconds: float
    reason: str = ""


@dataclass(frozen=True)
class Transient:
    """It failed in a way that may pass: back-off with jitter, or after ``retry_after`` seconds."""

    reason: str
    retry_after: float | None = None


@dataclass(frozen=True)
class Terminal:
    """A person must change something: no retry until the spec, the catalog or an observation changes."""

    reason: str


Outcome = Done | Wait | Transient | Terminal
