from dataclasses import dataclass

import pytest

from cycloud.core.circuits import CircuitBreaker, TokenBucket
from cycloud.openstack.faults import FaultKind, ProviderFault
from cycloud.openstack.limits import ClusterLimits


@dataclass
class Clock:
    time: float = 100.0

    def __call__(self) -> float:
        return self.time


def opened(clock: Clock) -> CircuitBreaker:
    breaker = CircuitBreaker(clock)
    for _ in range(5):
        breaker.failed()
    return breaker


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = Clock()
    bucket = TokenBucket(rate=2.0, burst=3, clock=clock)

    assert [bucket.take() for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    clock.time += 0.5
    assert bucket.take() == 0.0
    assert bucket.take() == 0.5


def test_a_bucket_never_holds_more_than_its_burst() -> None:
    clock = Clock()
    bucket = TokenBucket(rate=2.0, burst=1, clock=clock)
    clock.time += 1000

    assert [bucket.take(), bucket.take()] == [0.0, 0.5]


def test_four_failures_and_an_answer_do_not_open_a_circuit() -> None:
    breaker = CircuitBreaker(Clock())
    for _ in range(3):
        for _ in range(4):
            breaker.failed()
        breaker.answered()

    assert breaker.admit() == 0.0


def test_five_failures_in_a_row_open_a_circuit_for_five_seconds() -> None:
    clock = Clock()
    breaker = opened(clock)

    assert breaker.admit() == 5.0
    clock.time += 4.9
    assert breaker.admit() == pytest.approx(0.1)
    clock.time += 0.1
    assert breaker.admit() == 0.0


def test_a_half_open_circuit_lets_one_call_through() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.time += 5

    assert breaker.admit() == 0.0
    assert breaker.admit() > 0.0
    breaker.answered()
    assert [breaker.admit(), breaker.admit()] == [0.0, 0.0]


def test_an_open_circuit_stays_open_longer_each_time_up_to_a_minute() -> None:
    clock = Clock()
    breaker = opened(clock)
    seconds = [breaker.admit()]
    for _ in range(5):
        clock.time += seconds[-1]
        assert breaker.admit() == 0.0
        breaker.failed()
        seconds.append(breaker.admit())

    assert seconds == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]


def test_a_call_that_began_before_the_opening_does_not_lengthen_it() -> None:
    clock = Clock()
    breaker = opened(clock)

    breaker.failed()

    assert breaker.admit() == 5.0


def test_a_probe_that_was_not_made_leaves_the_place_to_another() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.time += 5
    assert breaker.admit() == 0.0

    breaker.abandoned()

    assert breaker.admit() == 0.0


def test_a_probe_that_never_reports_does_not_shut_the_circuit_for_ever() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.time += 5
    assert breaker.admit() == 0.0
    clock.time += 61

    assert breaker.admit() == 0.0


def test_calls_wait_for_the_rate_limit_for_a_while_and_are_then_sent_back() -> None:
    clock = Clock()
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.time += seconds

    limits = ClusterLimits(
        calls_per_second=1.0, burst=1, clock=clock, sleep=sleep, longest_wait_seconds=1.5
    )
    limits.enter("nova")
    limits.enter("nova")
    assert slept == [1.0]

    limits.longest_wait_seconds = 0.5
    with pytest.raises(ProviderFault) as caught:
        limits.enter("nova")
    assert (caught.value.kind, caught.value.retry_after) == (FaultKind.RATE_LIMITED, 1.0)


def test_an_open_circuit_of_one_service_does_not_stop_another() -> None:
    limits = ClusterLimits(clock=Clock())
    for _ in range(5):
        limits.breaker("nova").failed()

    with pytest.raises(ProviderFault) as caught:
        limits.enter("nova")
    limits.enter("cinder")

    assert caught.value.kind is FaultKind.UNREACHABLE
    assert caught.value.retry_after == 5.0
    assert caught.value.text == "circuit open"
