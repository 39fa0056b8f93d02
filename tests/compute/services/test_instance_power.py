"""Start, stop and restart: what each does in each state."""

from typing import Any

import pytest

from compute.models import Instance, VolumeAttachment
from compute.services.instance_power import restart_instance, start_instance, stop_instance
from compute.services.instances import InstanceUpdate, delete_instance, update_instance
from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.aip.models import Operation
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status
from tests.compute.services.calls import DRY, call, is_due, superseded
from tests.factories.compute import World


def settle(instance: Instance, status: Status = Status.TRUE, *, terminal: bool = False) -> None:
    """Do as if the controllers had ended with the present generation."""
    condition = Condition(
        READY,
        status,
        "Updated",
        observed_generation=instance.generation,
        terminal=terminal,
    )
    instance.publish([condition], now())


@pytest.mark.parametrize(
    ("verb", "before", "after", "runs"),
    [
        (start_instance, "STOPPED", "RUNNING", 2),
        (stop_instance, "RUNNING", "STOPPED", 1),
        (restart_instance, "RUNNING", "RUNNING", 2),
    ],
)
def test_a_verb_that_changes_something(
    world: World, verb: Any, before: str, after: str, runs: int
) -> None:
    instance = world.instance(desired_state=before)
    written = call(world, verb, instance)
    instance.refresh_from_db()
    assert (instance.desired_state, instance.run, instance.generation) == (after, runs, 2)
    assert is_due("instance", instance)
    assert not written.operation.done


@pytest.mark.parametrize(
    ("verb", "state"), [(start_instance, "RUNNING"), (stop_instance, "STOPPED")]
)
class TestWhatIsSoAlready:
    def test_it_is_done_at_once_and_changes_nothing(
        self, world: World, verb: Any, state: str
    ) -> None:
        instance = world.instance(desired_state=state)
        settle(instance)
        revision = instance.revision
        written = call(world, verb, instance)
        instance.refresh_from_db()
        assert written.operation.done
        assert (instance.run, instance.generation, instance.revision) == (1, 1, revision)
        assert not is_due("instance", instance)

    def test_it_waits_for_the_controllers_if_they_are_still_at_it(
        self, world: World, verb: Any, state: str
    ) -> None:
        instance = world.instance(desired_state=state)
        written = call(world, verb, instance)
        instance.refresh_from_db()
        assert not written.operation.done
        assert instance.generation == 1

    def test_after_a_failure_it_makes_the_controllers_look_again(
        self, world: World, verb: Any, state: str
    ) -> None:
        instance = world.instance(desired_state=state)
        settle(instance, Status.FALSE, terminal=True)
        written = call(world, verb, instance)
        assert written.operation.done
        assert is_due("instance", instance)


def test_a_stopped_instance_cannot_be_restarted(world: World) -> None:
    with pytest.raises(FailedPrecondition) as caught:
        call(world, restart_instance, world.instance(desired_state="STOPPED"))
    assert caught.value.reason == "INSTANCE_STOPPED"


@pytest.mark.parametrize(
    ("verb", "state"), [(start_instance, "STOPPED"), (restart_instance, "RUNNING")]
)
class TestNewRun:
    def test_it_takes_the_declared_type(self, world: World, verb: Any, state: str) -> None:
        instance = world.instance(desired_state=state)
        call(
            world,
            update_instance,
            instance,
            changes=InstanceUpdate(instance_type=world.new_small.resource_id),
        )
        call(world, verb, instance)
        instance.refresh_from_db()
        assert (instance.run_instance_type, instance.run) == (world.new_small, 2)

    def test_it_is_refused_if_the_move_is_blocked_by_now(
        self, world: World, verb: Any, state: str
    ) -> None:
        instance = world.instance(
            volumes=0,
            desired_state=state,
            instance_type=world.new_small,
            run_instance_type=world.small,
        )
        volume = world.volume(blockers=["snapshots"])
        VolumeAttachment.objects.create(instance=instance, volume=volume, device_index=0)
        with pytest.raises(FailedPrecondition, match=volume.name):
            call(world, verb, instance)
        instance.refresh_from_db()
        assert (instance.run_instance_type, instance.run) == (world.small, 1)
        assert (instance.desired_state, instance.generation) == (state, 1)

    def test_blockers_do_not_matter_where_the_cluster_stays(
        self, world: World, verb: Any, state: str
    ) -> None:
        instance = world.instance(
            volumes=0,
            desired_state=state,
            instance_type=world.medium,
            run_instance_type=world.small,
        )
        VolumeAttachment.objects.create(
            instance=instance, volume=world.volume(blockers=["snapshots"]), device_index=0
        )
        call(world, verb, instance)
        instance.refresh_from_db()
        assert instance.run_instance_type == world.medium

    def test_it_goes_on_in_a_cordoned_cluster(self, world: World, verb: Any, state: str) -> None:
        instance = world.instance(desired_state=state)
        world.old.state = "Cordoned"
        world.old.save()
        call(world, verb, instance)
        instance.refresh_from_db()
        assert instance.run == 2

    def test_a_dry_run_changes_nothing(self, world: World, verb: Any, state: str) -> None:
        instance = world.instance(desired_state=state)
        call(world, verb, instance, options=DRY)
        instance.refresh_from_db()
        assert (instance.desired_state, instance.run, instance.generation) == (state, 1, 1)


def test_a_later_verb_ends_the_earlier_operation(world: World) -> None:
    instance = world.instance(desired_state="STOPPED")
    call(world, start_instance, instance)
    call(world, stop_instance, instance)
    assert superseded("start", instance)
    assert not Operation.objects.get(verb="stop").done


@pytest.mark.parametrize("verb", [start_instance, stop_instance, restart_instance])
def test_no_verb_works_on_an_instance_that_is_being_deleted(world: World, verb: Any) -> None:
    instance = world.instance()
    call(world, delete_instance, instance)
    with pytest.raises(FailedPrecondition) as caught:
        call(world, verb, instance)
    assert caught.value.reason == "INSTANCE_DELETING"
