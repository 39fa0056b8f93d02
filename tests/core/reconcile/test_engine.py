"""Due rows, leases, lanes and fairness: what the engine promises to every controller."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import override_settings

from cycloud.core.clock import now
from cycloud.core.iam.models import Project
from cycloud.core.reconcile import engine, queue
from cycloud.core.reconcile.engine import drain, run_one, sweep, wake_parked
from cycloud.core.reconcile.leases import LeaseLost, Work, backoff, claim_next
from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.core.reconcile.outcomes import Done, Outcome, Terminal, Transient, Wait
from cycloud.core.reconcile.queue import enqueue
from tests.core.reconcile.conftest import Probe
from tests.support.engine import Clock

Q = queue.DEFAULT_QUEUE


def claim() -> Work:
    work = claim_next(Q)
    assert work is not None
    return work


def publish_something() -> None:
    Project.objects.create(resource_id="published")


def test_what_a_pass_asks_for_is_stored_with_what_it_publishes(probe: Probe) -> None:
    def act(work: Work) -> Outcome:
        with work.publishing():
            for key in ("z", "k", "a", "a"):
                enqueue("probe", key, lane=Lane.EVENT)
        return Done()

    probe.act = lambda work: act(work) if work.key == "k" and len(probe.keys) == 1 else Done()
    enqueue("probe", "k")
    drain(Q)
    assert sorted(probe.keys) == ["a", "k", "k", "z"]


def test_what_a_pass_without_a_lease_asks_for_is_not_stored(probe: Probe, clock: Clock) -> None:
    enqueue("probe", "k")
    work = claim()
    clock.advance(121)
    with pytest.raises(LeaseLost), work.publishing():
        enqueue("probe", "other")
    assert not DueRow.objects.filter(key="other").exists()


def test_repeats_coalesce_into_one_row(probe: Probe) -> None:
    for _ in range(3):
        enqueue("probe", "k")
    assert drain(Q) == 1
    assert probe.keys == ["k"]
    assert not DueRow.objects.exists()


def test_a_request_during_a_pass_makes_another_pass_follow(probe: Probe) -> None:
    def act(work: Work) -> Outcome:
        if len(probe.keys) == 1:
            enqueue("probe", "k")
        return Done()

    probe.act = act
    enqueue("probe", "k")
    assert drain(Q) == 2


def test_a_row_that_is_not_due_waits(probe: Probe, clock: Clock) -> None:
    enqueue("probe", "k", due=now() + timedelta(seconds=60))
    assert drain(Q) == 0
    clock.advance(60)
    assert drain(Q) == 1


def test_asking_again_makes_a_waiting_row_due_sooner_never_later(
    probe: Probe, clock: Clock
) -> None:
    enqueue("probe", "k")
    enqueue("probe", "k", due=now() + timedelta(hours=1))
    assert drain(Q) == 1


@pytest.mark.parametrize(
    ("outcome", "seconds"),
    [
        (Done(), None),
        (Wait(7.0), 7.0),
        (Transient("x", retry_after=3.0), 3.0),
    ],
)
def test_the_outcome_says_when_the_row_is_due_again(
    probe: Probe, clock: Clock, outcome: Outcome, seconds: float | None
) -> None:
    probe.act = lambda work: outcome
    enqueue("probe", "k")
    drain(Q)
    row = DueRow.objects.filter(key="k").first()
    if seconds is None:
        assert row is None
        return
    assert row is not None
    assert row.due == clock.time + timedelta(seconds=seconds)
    assert row.lease_token is None


def test_done_with_a_recheck_keeps_the_row_in_the_slow_lane(probe: Probe, clock: Clock) -> None:
    later = clock.time + timedelta(days=7)
    probe.act = lambda work: Done(recheck=later)
    enqueue("probe", "k")
    drain(Q)
    row = DueRow.objects.get()
    assert (row.due, row.lane) == (later, Lane.RESYNC)


def test_terminal_parks_until_somebody_asks_or_the_catalog_changes(
    probe: Probe, clock: Clock
) -> None:
    probe.act = lambda work: Terminal("a person must act")
    enqueue("probe", "k")
    drain(Q)
    clock.advance(10**6)
    assert drain(Q) == 0
    assert wake_parked() == 1
    assert drain(Q) == 1
    enqueue("probe", "k")
    assert drain(Q) == 1


def test_failures_back_off_up_to_a_cap_and_a_user_resets_them(probe: Probe, clock: Clock) -> None:
    probe.act = lambda work: Transient("no answer")
    enqueue("probe", "k")
    gaps = []
    for _ in range(10):
        drain(Q)
        row = DueRow.objects.get()
        assert row.due is not None
        gaps.append((row.due - clock.time).total_seconds())
        clock.time = row.due
    assert gaps[0] <= 1.0
    assert max(gaps) <= 30.0
    assert min(gaps[-3:]) >= 15.0
    enqueue("probe", "k")
    assert DueRow.objects.get().attempts == 0


def test_a_wait_keeps_the_count_of_failures(probe: Probe, clock: Clock) -> None:
    outcomes: list[Outcome] = [Transient("x", retry_after=1.0), Wait(1.0)]
    probe.act = lambda work: outcomes[len(probe.keys) - 1]
    enqueue("probe", "k", lane=Lane.EVENT)
    drain(Q)
    clock.advance(1)
    drain(Q)
    assert DueRow.objects.get().attempts == 1


@pytest.mark.parametrize("attempts", range(40))
def test_backoff_is_bounded(attempts: int) -> None:
    assert 0.0 < backoff(attempts) <= 30.0


def test_two_workers_never_have_one_key(probe: Probe) -> None:
    enqueue("probe", "k")
    claim()
    assert claim_next(Q) is None


def test_a_dead_workers_lease_runs_out(probe: Probe, clock: Clock) -> None:
    enqueue("probe", "k")
    dead = claim()
    clock.advance(121)
    alive = claim()
    assert alive.token != dead.token
    with pytest.raises(LeaseLost), dead.publishing():
        publish_something()
    assert not Project.objects.exists(), "published without a lease"
    with pytest.raises(LeaseLost):
        dead.hold()
    with alive.publishing():
        publish_something()
    assert Project.objects.exists()


def test_a_lease_that_ran_out_publishes_nothing_even_if_nobody_took_it(
    probe: Probe, clock: Clock
) -> None:
    enqueue("probe", "k")
    work = claim()
    clock.advance(121)
    with pytest.raises(LeaseLost), work.publishing():
        publish_something()
    assert not Project.objects.exists(), "published without a lease"


def test_giving_back_a_lost_lease_leaves_the_row_to_its_new_holder(
    probe: Probe, clock: Clock
) -> None:
    enqueue("probe", "k")
    dead = claim()
    clock.advance(121)
    alive = claim()
    run_one(dead)
    assert DueRow.objects.get().lease_token == alive.token


def test_a_long_pass_renews_its_lease(probe: Probe, clock: Clock) -> None:
    enqueue("probe", "k")
    work = claim()
    for _ in range(10):
        clock.advance(70)
        work.hold()
    assert claim_next(Q) is None


def test_a_pass_that_breaks_leaves_the_row_for_the_next_worker(probe: Probe, clock: Clock) -> None:
    def act(work: Work) -> Outcome:
        raise ZeroDivisionError

    probe.act = act
    enqueue("probe", "k")
    with pytest.raises(ZeroDivisionError):
        drain(Q)
    probe.act = lambda work: Done()
    assert drain(Q) == 0
    clock.advance(121)
    assert drain(Q) == 1


def test_a_deadlock_is_tried_again_soon(probe: Probe, clock: Clock) -> None:
    def act(work: Work) -> Outcome:
        raise OperationalError("deadlock detected")

    probe.act = act
    enqueue("probe", "k")
    drain(Q)
    row = DueRow.objects.get()
    assert row.lease_token is None
    assert row.due is not None
    assert (row.due - clock.time).total_seconds() <= 1.0


def test_users_go_before_events_and_events_before_the_resync(probe: Probe) -> None:
    enqueue("probe", "resync", lane=Lane.RESYNC)
    enqueue("probe", "event", lane=Lane.EVENT)
    enqueue("probe", "user", lane=Lane.USER)
    drain(Q)
    assert probe.keys == ["user", "event", "resync"]


def test_a_user_lifts_a_row_out_of_the_slow_lane(probe: Probe) -> None:
    enqueue("probe", "k", lane=Lane.RESYNC)
    enqueue("probe", "k", lane=Lane.USER)
    enqueue("probe", "k", lane=Lane.EVENT)
    assert DueRow.objects.get().lane == Lane.USER


def test_projects_take_turns(probe: Probe) -> None:
    for number in range(20):
        enqueue("probe", f"big-{number}", project="big")
    enqueue("probe", "small", project="small")
    drain(Q)
    assert probe.keys.index("small") <= 4


def test_queues_are_apart(probe: Probe) -> None:
    enqueue("probe", "k", queue="cluster.kvm-a")
    assert drain(Q) == 0
    assert drain("cluster.kvm-a") == 1


def test_the_sweep_tells_workers_of_due_rows_only(
    probe: Probe, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(engine, "wake", lambda controller, key, queue: told.append(key))
    enqueue("probe", "due")
    enqueue("probe", "later", due=now() + timedelta(hours=1))
    enqueue("probe", "held")
    clock.advance(5)
    DueRow.objects.filter(key="held").update(lease_expires=now() + timedelta(seconds=60))
    assert sweep() == 1
    assert told == ["due"]


def test_workers_are_told_after_the_commit_only(
    probe: Probe,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    told: list[str] = []
    monkeypatch.setattr(queue, "wake", lambda controller, key, queue: told.append(key))
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        enqueue("probe", "k")
        assert told == []
    assert told == ["k"]


@override_settings(CYCLOUD_QUEUE_PER_CLUSTER=True)
def test_each_cluster_has_a_queue_named_by_its_controller() -> None:
    assert queue.queue_for("kvm-a") == "cluster.kvm-a"
    assert queue.queue_for(None) == Q
