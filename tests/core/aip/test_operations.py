"""How operations begin and end."""

import uuid
from typing import Any

import pytest

from cycloud.core.aip.models import Operation
from cycloud.core.aip.operations import (
    cancel_earlier,
    end_cancelled,
    end_operations,
    start_operation,
)
from cycloud.core.conditions import READY, Condition, Status
from networking.models import VPC
from tests.factories.networking import VpcFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def vpc() -> VPC:
    vpc: VPC = VpcFactory.create()
    return vpc


def ready(status: Status, reason: str = "Available", **fields: Any) -> list[Condition]:
    return [Condition(READY, status, reason, **{"observed_generation": 1, **fields})]


def reload(operation: Operation) -> Operation:
    return Operation.objects.get(pk=operation.pk)


def test_it_ends_well_when_ready_is_true_for_its_generation(vpc: VPC) -> None:
    operation = start_operation(vpc, "create")
    assert end_operations(vpc.uid, 1, ready(Status.TRUE)) == 1
    ended = reload(operation)
    assert (ended.done, ended.error) == (True, None)
    assert ended.end_time is not None


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("QuotaExceeded", 8),
        ("InsufficientCapacity", 8),
        ("InvalidConfiguration", 3),
        ("ProviderUnreachable", 14),
        ("MoveBlocked", 9),
        ("DataNotFound", 9),
    ],
)
def test_it_fails_with_the_reason_that_waits_for_a_person(vpc: VPC, reason: str, code: int) -> None:
    operation = start_operation(vpc, "create")
    conditions = ready(Status.FALSE, reason, message="Because.", terminal=True)
    assert end_operations(vpc.uid, 1, conditions) == 1
    error = reload(operation).error
    assert error is not None
    assert (error["code"], error["reason"], error["message"]) == (code, reason, "Because.")


@pytest.mark.parametrize(
    "conditions",
    [
        [],
        ready(Status.FALSE, "Creating"),
        ready(Status.UNKNOWN, "ProviderUnreachable"),
        ready(Status.TRUE, observed_generation=0),
        [Condition("UpToDate", Status.TRUE, "Applied", observed_generation=1)],
    ],
)
def test_it_goes_on_until_ready_has_settled(vpc: VPC, conditions: list[Condition]) -> None:
    operation = start_operation(vpc, "create")
    assert end_operations(vpc.uid, 1, conditions) == 0
    assert not reload(operation).done


def test_one_of_a_later_generation_goes_on(vpc: VPC) -> None:
    first = start_operation(vpc, "create")
    vpc.generation = 2
    second = start_operation(vpc, "update")
    assert end_operations(vpc.uid, 1, ready(Status.TRUE)) == 1
    assert (reload(first).done, reload(second).done) == (True, False)


def test_a_resource_that_is_gone_ends_all_of_its_own_well(vpc: VPC) -> None:
    mine, other = start_operation(vpc, "delete"), start_operation(VpcFactory.create(), "delete")
    assert end_operations(vpc.uid, 0, [], gone=True) == 1
    assert (reload(mine).done, reload(other).done) == (True, False)


def test_a_newer_verb_ends_the_older_as_superseded(vpc: VPC) -> None:
    done = start_operation(vpc, "create", done=True)
    open_ = start_operation(vpc, "update")
    assert cancel_earlier(vpc.uid, "A later one came.") == 1
    error = reload(open_).error
    assert error is not None
    assert (error["code"], error["reason"], error["message"]) == (
        10,
        "SUPERSEDED",
        "A later one came.",
    )
    assert reload(done).error is None


def test_a_cancelled_one_ends_once(vpc: VPC) -> None:
    operation = start_operation(vpc, "update")
    assert end_cancelled(operation, "It was cancelled.")
    error = reload(operation).error
    assert error is not None
    assert (error["code"], error["reason"]) == (1, "CANCELLED")
    assert not end_cancelled(operation, "Again.")
    assert reload(operation).error == error
    assert end_operations(vpc.uid, 1, ready(Status.TRUE)) == 0


def test_operations_of_another_resource_stay(vpc: VPC) -> None:
    operation = start_operation(vpc, "update")
    assert cancel_earlier(uuid.uuid4(), "Another.") == 0
    assert not reload(operation).done
