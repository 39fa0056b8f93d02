"""How long to wait after failures."""

import pytest

from cycloud.kubernetes.watcher.backoff import LONGEST_SECONDS, Backoff, jittered


def test_waits_double_up_to_the_longest() -> None:
    backoff = Backoff(draw=lambda: 1.0)
    waits = [backoff.failed() for _ in range(10)]
    assert waits[:4] == [0.2, 0.4, 0.8, 1.6]
    assert waits[-1] == LONGEST_SECONDS


def test_luck_takes_at_most_half_of_a_wait() -> None:
    assert Backoff(draw=lambda: 0.0).failed() == 0.1


def test_a_success_begins_anew() -> None:
    backoff = Backoff(draw=lambda: 1.0)
    backoff.failed()
    backoff.failed()
    backoff.succeeded()
    assert backoff.failed() == 0.2


def test_what_the_server_asks_for_is_waited_within_reason() -> None:
    assert Backoff().failed(retry_after=5.0) == 5.0
    assert Backoff().failed(retry_after=86400.0) == LONGEST_SECONDS


def test_jitter_is_a_fifth_to_each_side() -> None:
    assert jittered(10.0, lambda: 0.0) == pytest.approx(8.0)
    assert jittered(10.0, lambda: 1.0) == pytest.approx(12.0)
