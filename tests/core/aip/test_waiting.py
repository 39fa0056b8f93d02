"""Waiting for operations: one reader for all waiters, and a bound on waiting threads."""

import asyncio
import uuid
from collections.abc import Iterable
from threading import BoundedSemaphore
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import OperationalError

from cycloud.core.aip import waiting
from cycloud.core.aip.models import Operation
from cycloud.core.aip.waiting import _Waiters, ends_within_blocking
from cycloud.core.clock import now
from tests.factories.iam import ProjectFactory


@pytest.fixture(autouse=True)
def fast(settings: LazySettings) -> None:
    settings.CYCLOUD_WAIT_POLL_SECONDS = 0.001


async def test_all_waiters_share_one_look() -> None:
    uids = [uuid.uuid4() for _ in range(50)]
    looks: list[set[UUID]] = []

    def look(wanted: Iterable[UUID]) -> set[UUID]:
        looks.append(set(wanted))
        return set(wanted) if len(looks) > 2 else set()

    waiters = _Waiters(look)
    ended = list(await asyncio.gather(*(waiters.wait(uid, 30.0) for uid in uids)))
    assert all(ended)
    assert looks == [set(uids)] * 3


async def test_each_waiter_ends_by_its_own_operation_or_time() -> None:
    first, second = uuid.uuid4(), uuid.uuid4()
    waiters = _Waiters(lambda wanted: {first} & set(wanted))
    first_ended, also_ended, second_ended = await asyncio.gather(
        waiters.wait(first, 30.0), waiters.wait(first, 30.0), waiters.wait(second, 0.05)
    )
    assert (first_ended, also_ended, second_ended) == (True, True, False)


async def test_a_new_waiter_is_served_after_all_others_left() -> None:
    waiters = _Waiters(set)
    assert await waiters.wait(uuid.uuid4(), 30.0)
    assert await waiters.wait(uuid.uuid4(), 30.0)


async def test_a_database_that_fails_for_a_while_ends_no_wait() -> None:
    uid = uuid.uuid4()
    looks = 0

    def look(wanted: Iterable[UUID]) -> set[UUID]:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise OperationalError("locked")
        return set(wanted)

    assert await _Waiters(look).wait(uid, 30.0)
    assert looks == 2


async def test_a_waiter_that_leaves_is_forgotten() -> None:
    waiters = _Waiters(lambda wanted: set())
    task = asyncio.create_task(waiters.wait(uuid.uuid4(), 30.0))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not waiters._futures


async def test_one_waiter_too_many_is_answered_at_once(settings: LazySettings) -> None:
    settings.CYCLOUD_WAITS = 2
    waiters = _Waiters(lambda wanted: set())
    others = [asyncio.create_task(waiters.wait(uuid.uuid4(), 30.0)) for _ in range(2)]
    await asyncio.sleep(0)
    assert not await waiters.wait(uuid.uuid4(), 3600.0)
    for task in others:
        task.cancel()


@pytest.mark.django_db
class TestBlocking:
    def operation(self, *, done: bool) -> Operation:
        return Operation.objects.create(
            project=ProjectFactory.create(),
            verb="create",
            target_kind="VPC",
            target_uid=uuid.uuid4(),
            target_name="projects/p/vpcs/v",
            generation=1,
            done=done,
            create_time=now(),
        )

    def test_it_tells_whether_it_has_ended(self) -> None:
        assert ends_within_blocking(self.operation(done=True).uid, 30.0)
        assert not ends_within_blocking(self.operation(done=False).uid, 0.01)

    def test_it_sees_an_end_while_it_waits(self, monkeypatch: pytest.MonkeyPatch) -> None:
        running = self.operation(done=False)
        looks: list[int] = []

        def ended(uids: Iterable[UUID]) -> set[UUID]:
            looks.append(1)
            return set(uids) if len(looks) == 3 else set()

        monkeypatch.setattr(waiting, "_ended", ended)
        assert ends_within_blocking(running.uid, 30.0)

    def test_one_thread_too_many_is_answered_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        full = BoundedSemaphore(1)
        full.acquire()
        monkeypatch.setattr(waiting, "_THREADS", full)
        assert not ends_within_blocking(self.operation(done=False).uid, 3600.0)
        assert ends_within_blocking(self.operation(done=True).uid, 3600.0)
