"""How long operations and request ids are remembered."""

import uuid
from datetime import timedelta

import pytest

from cycloud.core.aip.expiry import expire_operations, expire_request_ids
from cycloud.core.aip.models import Operation, RequestRecord
from cycloud.core.aip.tasks import expire_task
from cycloud.core.clock import now
from tests.factories.iam import ProjectFactory

pytestmark = pytest.mark.django_db


def operation(**fields: object) -> Operation:
    return Operation.objects.create(
        **{
            "project": ProjectFactory.create(),
            "verb": "create",
            "target_kind": "VPC",
            "target_uid": uuid.uuid4(),
            "target_name": "projects/p/vpcs/v",
            "generation": 1,
            "create_time": now() - timedelta(days=90),
            **fields,
        }
    )


def record(of: Operation, age: timedelta) -> RequestRecord:
    return RequestRecord.objects.create(
        project=of.project,
        principal="users/a",
        request_id=uuid.uuid4(),
        body_digest="",
        operation=of,
        create_time=now() - age,
    )


def test_an_operation_is_removed_30_days_after_its_end() -> None:
    kept = operation(done=True, end_time=now() - timedelta(days=30) + timedelta(minutes=1))
    gone = operation(done=True, end_time=now() - timedelta(days=30, minutes=1))
    running = operation()
    assert expire_operations() == 1
    assert set(Operation.objects.all()) == {kept, running}
    assert not Operation.objects.filter(pk=gone.pk).exists()


def test_more_than_a_batch_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cycloud.core.aip.expiry._BATCH", 2)
    for _ in range(5):
        old = operation(done=True, end_time=now() - timedelta(days=31))
        record(old, timedelta(hours=25))
    assert expire_request_ids() == 5
    assert expire_operations() == 5
    assert not Operation.objects.exists()


def test_a_request_id_is_forgotten_after_24_hours_and_its_operation_stays() -> None:
    made = operation()
    young = record(made, timedelta(hours=23, minutes=59))
    record(made, timedelta(hours=24, minutes=1))
    assert expire_request_ids() == 1
    assert list(RequestRecord.objects.all()) == [young]
    assert Operation.objects.exists()


def test_the_task_does_both() -> None:
    old = operation(done=True, end_time=now() - timedelta(days=31))
    record(operation(), timedelta(hours=25))
    expire_task()
    assert not RequestRecord.objects.exists()
    assert not Operation.objects.filter(pk=old.pk).exists()
