"""What an instance says about itself."""

import pytest

from compute.domain.instance import ProviderView, conditions_of, state_of, still_holds
from cycloud.core.conditions import Condition
from cycloud.core.reconcile.plans import not_ready, ready


def view(condition: Condition, *, current: bool = True, status: str = "ACTIVE") -> ProviderView:
    return ProviderView((condition,), current, status)


@pytest.mark.parametrize(
    ("provider", "problem", "deleting", "running", "reason"),
    [
        (None, "", False, True, "Creating"),
        (None, "not offered", False, True, "InvalidConfiguration"),
        (view(ready("Updated")), "", True, True, "Deleting"),
        (view(ready("Updated")), "", False, True, "Updated"),
        (view(ready("Updated"), current=False, status=""), "", False, True, "Creating"),
        (view(ready("Stopped"), current=False, status="SHUTOFF"), "", False, True, "Starting"),
        (view(ready("Updated"), current=False), "", False, False, "Stopping"),
        (view(ready("Updated"), current=False), "", False, True, "Updating"),
        (ProviderView((), True, "ACTIVE"), "", False, True, "Updating"),
    ],
)
def test_conditions(
    provider: ProviderView | None, problem: str, deleting: bool, running: bool, reason: str
) -> None:
    conditions = conditions_of(
        provider, problem=problem, deleting=deleting, running=running, generation=7
    )
    assert [(c.reason, c.observed_generation) for c in conditions] == [(reason, 7)]


@pytest.mark.parametrize(
    ("condition", "status", "state"),
    [
        (ready("Updated"), "ACTIVE", "RUNNING"),
        (ready("Stopped"), "SHUTOFF", "STOPPED"),
        (not_ready("Creating", ""), "", "PENDING"),
        (not_ready("Stopping", ""), "ACTIVE", "STOPPING"),
        (not_ready("Starting", ""), "SHUTOFF", "STARTING"),
        (not_ready("Moving", ""), "SHUTOFF", "STARTING"),
        (not_ready("Deleting", ""), "ACTIVE", "DELETING"),
        (not_ready("MoveBlocked", "", terminal=True), "ACTIVE", "RUNNING"),
        (not_ready("MoveBlocked", "", terminal=True), "SHUTOFF", "STOPPED"),
        (not_ready("InsufficientCapacity", "", terminal=True), "", "ERROR"),
    ],
)
def test_state(condition: Condition, status: str, state: str) -> None:
    assert state_of((condition,), status) == state


def test_nothing_observed_yet_is_pending() -> None:
    assert state_of((), "") == "PENDING"


@pytest.mark.parametrize(
    ("provider", "running", "holds"),
    [
        (view(ready("Updated"), current=False), True, True),
        (view(ready("Stopped"), current=False, status="SHUTOFF"), False, True),
        (view(ready("Updated"), current=False), False, False),
        (view(ready("Updated")), True, False),
        (view(not_ready("Creating", ""), current=False), True, False),
        (ProviderView((), False, ""), True, False),
    ],
)
def test_what_was_said_stays_until_the_new_spec_was_looked_at(
    provider: ProviderView, running: bool, holds: bool
) -> None:
    assert still_holds(provider, running) is holds
