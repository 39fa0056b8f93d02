"""A start that is cancelled, at once and in the middle of a move, ends as a stop and loses nothing."""

import pytest

from compute.models import Instance
from compute.services.instance_power import cancel_start, start_instance
from cycloud.core.aip.models import Operation
from tests.compute.reconcilers.test_move import declare_type, fingerprint, start, stop
from tests.support.clouds import PROJECT, Clouds


def begin_start(clouds: Clouds, seconds: float) -> Operation:
    written = start_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    if seconds:
        clouds.settle(seconds)
    written.operation.refresh_from_db()
    return written.operation


def check_cancelled(clouds: Clouds, instance: Instance, operation: Operation) -> None:
    cancel_start(actor=clouds.actor, operation=operation)
    clouds.site.faults.clear()
    clouds.settle(300)
    operation.refresh_from_db()
    assert operation.error is not None
    assert operation.error["reason"] == "CANCELLED"
    assert not Operation.objects.filter(done=False).exists()
    assert "True/Stopped" in clouds.ready_reason(instance)
    servers = [*clouds.a.servers.values(), *clouds.b.servers.values()]
    assert [server.status for server in servers if server.status == "ACTIVE"] == []


@pytest.mark.parametrize("seconds", [0, 1])
def test_a_start_that_has_hardly_begun(clouds: Clouds, seconds: float) -> None:
    instance = clouds.running()
    before = fingerprint(clouds, instance)
    stop(clouds)
    clouds.site.faults.add("down", cloud="a", service="compute")
    check_cancelled(clouds, instance, begin_start(clouds, seconds))
    start(clouds)
    assert fingerprint(clouds, instance) == before
    assert "True/Updated" in clouds.ready_reason(instance)


@pytest.mark.parametrize(
    ("cloud", "state"), [("a", "unmanaging"), ("b", "managing"), ("b", "BUILD")]
)
def test_a_start_in_the_middle_of_a_move(clouds: Clouds, cloud: str, state: str) -> None:
    instance = clouds.running()
    before = fingerprint(clouds, instance)
    declare_type(clouds, "m8a.small")
    stop(clouds)
    clouds.site.faults.add("hold", cloud=cloud, state=state)
    operation = begin_start(clouds, 10)
    assert not operation.done
    check_cancelled(clouds, instance, operation)
    start(clouds)
    assert fingerprint(clouds, instance) == before
    assert "True/Updated" in clouds.ready_reason(instance)
