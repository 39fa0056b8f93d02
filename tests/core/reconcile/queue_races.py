"""Passes and users that ask for each other's rows at once. Run by test_queue_races.py, once per kind of database."""

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from threading import Barrier

import pytest
from django.db import connection, transaction

from cycloud.core.reconcile import engine
from cycloud.core.reconcile.engine import drain
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.models import DueRow
from cycloud.core.reconcile.outcomes import Done, Outcome
from cycloud.core.reconcile.queue import DEFAULT_QUEUE, enqueue, in_order

pytestmark = pytest.mark.django_db(transaction=True)
KEYS = ("a", "b", "c")
ROUNDS = 60


class EachWakesTheOthers:
    """A server, a volume and a port: what one of them publishes wakes the other two."""

    name = "probe"

    def __init__(self) -> None:
        self.passes = 0

    def reconcile(self, work: Work) -> Outcome:
        self.passes += 1
        with work.publishing():
            for key in KEYS:
                if key != work.key and self.passes < ROUNDS * len(KEYS):
                    enqueue("probe", key)
        return Done()


def test_passes_that_wake_each_other_never_deadlock(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    probe = EachWakesTheOthers()
    monkeypatch.setattr(engine, "controller", lambda name: probe)
    for key in KEYS:
        enqueue("probe", key)
    barrier = Barrier(len(KEYS) + 1)

    def work() -> None:
        barrier.wait(timeout=60)
        try:
            while drain(DEFAULT_QUEUE):
                pass
        finally:
            connection.close()

    def user() -> None:
        barrier.wait(timeout=60)
        try:
            for order in list(permutations(KEYS)) * 5:
                with transaction.atomic(), in_order():
                    for key in order:
                        enqueue("probe", key)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(KEYS) + 1) as pool:
        for result in [pool.submit(work) for _ in KEYS] + [pool.submit(user)]:
            result.result()
    while drain(DEFAULT_QUEUE):
        pass
    assert "deadlock" not in caplog.text
    assert probe.passes >= ROUNDS
    assert not DueRow.objects.exists()
