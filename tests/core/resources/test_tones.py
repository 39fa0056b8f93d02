import pytest

from cycloud.core.conditions import READY, Condition, Status
from cycloud.core.resources.tones import Tone, tone_of


@pytest.mark.parametrize(
    ("status", "reason", "terminal", "observed", "tone"),
    [
        (Status.TRUE, "Updated", False, 3, Tone.OK),
        (Status.TRUE, "Stopped", False, 3, Tone.IDLE),
        (Status.FALSE, "Creating", False, 3, Tone.BUSY),
        (Status.FALSE, "ProviderUnreachable", False, 3, Tone.WARN),
        (Status.FALSE, "QuotaExceeded", True, 3, Tone.BAD),
        (Status.UNKNOWN, "ProviderUnreachable", False, 3, Tone.WARN),
        (Status.UNKNOWN, "NotSeen", False, 3, Tone.WARN),
        # what was observed of an earlier generation says nothing about this one
        (Status.TRUE, "Updated", False, 2, Tone.BUSY),
        (Status.FALSE, "QuotaExceeded", True, 2, Tone.BUSY),
    ],
)
def test_the_tone_follows_ready(
    status: Status, reason: str, terminal: bool, observed: int, tone: Tone
) -> None:
    condition = Condition(READY, status, reason, "", observed, terminal=terminal)

    assert tone_of(condition, 3) is tone


def test_what_was_never_observed_is_on_the_way() -> None:
    assert tone_of(None, 1) is Tone.BUSY
