"""Operations tell how far they are while the controllers work."""

from collections.abc import Callable

import pytest

from compute.services.instance_power import restart_instance, start_instance, stop_instance
from compute.services.instances import delete_instance
from cycloud.core.aip.models import Operation
from cycloud.core.reconcile.engine import run_one
from cycloud.core.reconcile.leases import Work
from tests.compute.reconcilers.test_move import declare_type
from tests.support import engine
from tests.support.clouds import PROJECT, Clouds

Told = list[tuple[int, int, str]]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Told]:
    """What was told of the last operation of a verb, whenever it changed between two passes."""
    seen: dict[str, Told] = {}

    def run_and_look(work: Work) -> None:
        run_one(work)
        for operation in Operation.objects.filter(target_kind="Instance", done=False):
            steps = operation.progress_step, operation.progress_total, operation.progress_message
            history = seen.setdefault(operation.verb, [])
            if steps[1] and (not history or history[-1] != steps):
                history.append(steps)

    monkeypatch.setattr(engine, "run_one", run_and_look)
    return lambda verb: seen[verb]


def test_a_creation_prepares_its_parts_and_then_makes_the_server(
    clouds: Clouds, told: Callable[[str], Told]
) -> None:
    clouds.create()
    clouds.settle()
    assert told("create") == [
        (1, 3, "Preparing volumes"),
        (3, 3, "Creating the server"),
    ]
    operation = Operation.objects.get(target_kind="Instance", verb="create")
    assert (operation.done, operation.progress_step, operation.progress_message) == (True, 3, "")


def test_a_move_tells_each_of_its_steps(clouds: Clouds, told: Callable[[str], Told]) -> None:
    clouds.create()
    clouds.settle()
    declare_type(clouds, "m8a.medium")
    stop_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    start_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    assert told("stop") == [(1, 1, "Stopping the instance")]
    # volumes are let go with the server here, and the ports are ready before the volumes
    assert told("start") == [
        (2, 6, "Removing the server"),
        (4, 6, "Moving volumes with their data in place"),
        (6, 6, "Creating the server"),
    ]


def test_restart_and_delete(clouds: Clouds, told: Callable[[str], Told]) -> None:
    clouds.create()
    clouds.settle()
    restart_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    delete_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    assert told("restart") == [(1, 2, "Stopping the instance"), (2, 2, "Starting the instance")]
    assert told("delete") == [
        (1, 2, "Removing the server"),
        (2, 2, "Releasing network interfaces"),
    ]
