"""What the engine counts of each pass."""

import pytest
from django.db import OperationalError
from prometheus_client import REGISTRY

from cycloud.core.reconcile.engine import run_one
from cycloud.core.reconcile.leases import LeaseLost, Work, claim_next
from cycloud.core.reconcile.outcomes import Done, Outcome, Terminal, Transient, Wait
from cycloud.core.reconcile.queue import DEFAULT_QUEUE, enqueue
from tests.core.reconcile.conftest import Probe
from tests.support.engine import Clock


def passes(outcome: str) -> float:
    labels = {"controller": "probe", "outcome": outcome}
    return REGISTRY.get_sample_value("cycloud_reconcile_duration_seconds_count", labels) or 0


def leases_lost() -> float:
    return REGISTRY.get_sample_value("cycloud_leases_lost_total", {"controller": "probe"}) or 0


def claim() -> Work:
    enqueue("probe", "k")
    work = claim_next(DEFAULT_QUEUE)
    assert work is not None
    return work


@pytest.mark.parametrize("outcome", [Done(), Wait(1), Transient("x"), Terminal("x")])
def test_a_pass_is_counted_by_its_outcome(probe: Probe, outcome: Outcome) -> None:
    probe.act = lambda work: outcome
    before = passes(type(outcome).__name__)
    run_one(claim())
    assert passes(type(outcome).__name__) == before + 1


@pytest.mark.parametrize(
    ("error", "name"),
    [(LeaseLost("x"), "LeaseLost"), (OperationalError("x"), "Transient"), (OSError(), "Crashed")],
)
def test_a_pass_that_was_cut_off_is_counted_as_what_it_was(
    probe: Probe, error: Exception, name: str
) -> None:
    def act(work: Work) -> Outcome:
        raise error

    probe.act = act
    before = passes(name)
    if name == "Crashed":
        with pytest.raises(OSError):
            run_one(claim())
    else:
        run_one(claim())
    assert passes(name) == before + 1


def test_a_lease_that_is_lost_is_counted_when_it_shows(probe: Probe, clock: Clock) -> None:
    def act(work: Work) -> Outcome:
        raise LeaseLost("x")

    before = leases_lost()
    work = claim()
    probe.act = act
    run_one(work)
    assert leases_lost() == before + 1
    clock.advance(121)
    assert claim_next(DEFAULT_QUEUE) is not None
    probe.act = lambda work: Done()
    run_one(work)
    assert leases_lost() == before + 2
