"""One holder at a time, by each one's own clock."""

import copy
from typing import cast

import pytest

from cycloud.kubernetes.client import KubernetesClient
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.watcher.lease import Lease, LeaseLost, our_identity
from tests.kubernetes.watcher.lease_api import LeaseApi


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def api() -> LeaseApi:
    return LeaseApi()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def lease(api: LeaseApi, clock: Clock, identity: str) -> Lease:
    source = cast(KubernetesClient, api)
    return Lease(source, "system", "watcher", identity, duration_seconds=15, clock=clock)


def test_the_first_one_makes_it_and_the_second_stands_by(api: LeaseApi, clock: Clock) -> None:
    first, second = lease(api, clock, "a"), lease(api, clock, "b")
    assert first.try_acquire()
    assert not second.try_acquire()
    assert first.is_held
    assert not second.is_held
    assert second.holder == "a"
    assert api.spec["holderIdentity"] == "a"
    assert api.spec["leaseTransitions"] == 0
    assert api.spec["acquireTime"] == api.spec["renewTime"]


def test_one_that_is_given_back_is_taken_at_once(api: LeaseApi, clock: Clock) -> None:
    first, second = lease(api, clock, "a"), lease(api, clock, "b")
    first.try_acquire()
    first.release()
    assert not first.is_held
    assert second.try_acquire()
    assert api.spec["leaseTransitions"] == 1


def test_one_that_is_renewed_is_not_taken_over(api: LeaseApi, clock: Clock) -> None:
    first, second = lease(api, clock, "a"), lease(api, clock, "b")
    first.try_acquire()
    for _ in range(10):
        clock.time += 10.0
        first.renew()
        assert not second.try_acquire()


def test_one_that_is_not_renewed_is_taken_over_after_its_duration(
    api: LeaseApi, clock: Clock
) -> None:
    first, second = lease(api, clock, "a"), lease(api, clock, "b")
    first.try_acquire()
    assert not second.try_acquire()
    held = []
    for later, taken in ((14.9, False), (0.1, True)):
        clock.time += later
        held.append(first.is_held)
        assert second.try_acquire() is taken
    assert held == [True, False]
    with pytest.raises(LeaseLost, match="somebody else"):
        first.renew()


def test_a_wrong_time_of_another_machine_does_not_matter(api: LeaseApi, clock: Clock) -> None:
    first, second = lease(api, clock, "a"), lease(api, clock, "b")
    first.try_acquire()
    api.spec["renewTime"] = "1999-01-01T00:00:00.000000Z"
    assert not second.try_acquire()


def test_of_two_who_take_it_at_once_one_gets_it(api: LeaseApi, clock: Clock) -> None:
    first, second = lease(api, clock, "a"), lease(api, clock, "b")
    # the first one looks, and the second one is faster
    assert second.try_acquire()
    real_get = api.get
    api.get = lambda *_: None  # type: ignore[method-assign]
    assert not first.try_acquire()
    api.get = real_get  # type: ignore[method-assign]
    assert second.is_held


def test_a_lost_race_for_an_expired_one_is_no_error(api: LeaseApi, clock: Clock) -> None:
    first, second = lease(api, clock, "a"), lease(api, clock, "b")
    first.try_acquire()
    second.try_acquire()
    clock.time += 15.0
    stale = copy.deepcopy(api.stored)
    api.touch()
    api.get = lambda *_: stale  # type: ignore[method-assign]
    assert not second.try_acquire()


@pytest.mark.parametrize("what", ["gone", "changed"])
def test_a_holder_hears_that_the_storage_was_wiped_or_restored(
    api: LeaseApi, clock: Clock, what: str
) -> None:
    first = lease(api, clock, "a")
    first.try_acquire()
    if what == "gone":
        api.stored = None
    else:
        api.touch()
    with pytest.raises(LeaseLost):
        first.renew()
    assert not first.is_held
    assert first.try_acquire()


def test_a_server_that_is_down_loses_the_lease_only_with_time(api: LeaseApi, clock: Clock) -> None:
    first = lease(api, clock, "a")
    first.try_acquire()
    clock.time += 5.0
    api.faults = [KubernetesFault(FaultKind.UNREACHABLE, "down")]
    with pytest.raises(KubernetesFault):
        first.renew()
    assert first.is_held
    first.renew()
    clock.time += 14.0
    assert first.is_held


def test_to_give_back_is_no_more_than_an_attempt(api: LeaseApi, clock: Clock) -> None:
    first = lease(api, clock, "a")
    first.release()
    first.try_acquire()
    api.faults = [KubernetesFault(FaultKind.UNREACHABLE, "down")]
    first.release()
    assert not first.is_held


def test_a_missing_namespace_is_told(api: LeaseApi, clock: Clock) -> None:
    first = lease(api, clock, "a")
    real_create = api.create

    def refuse(path: str, body: Json) -> Json:
        raise KubernetesFault(FaultKind.NOT_FOUND, 'namespaces "system" not found', status=404)

    api.create = refuse  # type: ignore[method-assign]
    with pytest.raises(KubernetesFault, match="system"):
        first.try_acquire()
    api.create = real_create  # type: ignore[method-assign]
    assert first.try_acquire()


def test_two_of_one_process_have_two_names() -> None:
    assert our_identity() != our_identity()
