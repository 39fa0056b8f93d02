"""Update of instances: what is only written down, what is done at once, what is refused."""

from typing import Any

import pytest

from compute.models import Instance, VolumeAttachment
from compute.services.instances import (
    InlineNetworkInterface,
    InstanceUpdate,
    NetworkInterfaceReference,
    delete_instance,
    update_instance,
)
from cycloud.core.aip.errors import (
    Aborted,
    FailedPrecondition,
    InvalidArgument,
)
from cycloud.core.aip.models import Operation
from cycloud.core.aip.writes import WriteOptions
from tests.compute.services.calls import DRY, call, is_due
from tests.factories.compute import World

KEY = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKPRtuPSXSH5RwYtmXNBpcOP1QP5fM2k8qDP1gPTnRR5 alice@laptop"
)


class TestUpdate:
    def update(self, world: World, instance: Instance, **changes: Any) -> Operation:
        options = changes.pop("options", WriteOptions())
        written = call(
            world, update_instance, instance, changes=InstanceUpdate(**changes), options=options
        )
        instance.refresh_from_db()
        return written.operation

    def test_a_new_type_is_only_written_down(self, world: World) -> None:
        instance = world.instance()
        operation = self.update(world, instance, instance_type=world.new_small.name)
        assert instance.instance_type == world.new_small
        assert instance.run_instance_type == world.small
        assert (instance.run, instance.generation) == (1, 2)
        assert is_due("instance", instance)
        assert not operation.done

    def test_it_is_so_for_a_stopped_instance_too(self, world: World) -> None:
        instance = world.instance(desired_state="STOPPED")
        self.update(world, instance, instance_type=world.new_small.resource_id)
        assert (instance.run_instance_type, instance.run) == (world.small, 1)

    def test_a_blocked_move_is_refused_at_once_and_changes_nothing(self, world: World) -> None:
        instance = world.instance(volumes=0)
        VolumeAttachment.objects.create(
            instance=instance, volume=world.volume(blockers=["snapshots"]), device_index=0
        )
        for options in (WriteOptions(), DRY):
            with pytest.raises(FailedPrecondition) as caught:
                self.update(
                    world, instance, instance_type=world.new_small.resource_id, options=options
                )
            assert caught.value.reason == "MOVE_BLOCKED"
        instance.refresh_from_db()
        assert (instance.instance_type, instance.generation) == (world.small, 1)

    def test_a_dry_run_changes_nothing(self, world: World) -> None:
        instance = world.instance()
        self.update(world, instance, instance_type=world.medium.resource_id, options=DRY)
        assert (instance.instance_type, instance.generation) == (world.small, 1)
        assert not is_due("instance", instance)

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"display_name": "Web"}, "display_name"),
            ({"labels": {"a": "b"}}, "labels"),
            ({"annotations": {"a": "b"}}, "annotations"),
            ({"deletion_protection": True}, "deletion_protection"),
        ],
    )
    def test_what_no_controller_needs_is_done_at_once(
        self, world: World, changes: dict[str, Any], field: str
    ) -> None:
        instance = world.instance()
        before = instance.etag
        operation = self.update(world, instance, **changes)
        assert getattr(instance, field) == changes[field]
        assert (operation.done, instance.generation) == (True, 1)
        assert instance.etag != before
        assert not is_due("instance", instance)

    def test_keys_and_user_data_make_a_generation_but_no_run(self, world: World) -> None:
        instance = world.instance()
        self.update(world, instance, ssh_public_keys=(KEY,), user_data="x", labels={"a": "b"})
        assert (instance.ssh_public_keys, instance.user_data) == ([KEY], "x")
        assert (instance.generation, instance.run, instance.labels) == (2, 1, {"a": "b"})

    def test_the_same_values_change_nothing(self, world: World) -> None:
        instance = world.instance(user_data="x")
        operation = self.update(
            world,
            instance,
            instance_type=world.small.resource_id,
            user_data="x",
            ssh_public_keys=(),
            deletion_protection=False,
        )
        assert (operation.done, instance.generation, instance.revision) == (True, 1, 1)

    def test_interfaces_of_a_stopped_instance_can_be_replaced(self, world: World) -> None:
        instance = world.instance(desired_state="STOPPED")
        kept = instance.network_attachments.get().network_interface
        new = world.network_interface()
        self.update(
            world,
            instance,
            network_interfaces=(
                NetworkInterfaceReference(new.resource_id),
                NetworkInterfaceReference(kept.resource_id),
            ),
        )
        rows = instance.network_attachments.order_by("device_index")
        assert [row.network_interface for row in rows] == [new, kept]
        assert instance.generation == 2

    def test_the_same_interfaces_change_nothing(self, world: World) -> None:
        instance = world.instance(desired_state="STOPPED")
        kept = instance.network_attachments.get().network_interface
        operation = self.update(
            world, instance, network_interfaces=(NetworkInterfaceReference(kept.resource_id),)
        )
        assert (operation.done, instance.generation) == (True, 1)

    def test_interfaces_of_a_running_instance_cannot(self, world: World) -> None:
        instance = world.instance()
        with pytest.raises(FailedPrecondition) as caught:
            self.update(
                world,
                instance,
                network_interfaces=(InlineNetworkInterface(world.subnet.resource_id),),
            )
        assert caught.value.reason == "INSTANCE_NOT_STOPPED"
        assert instance.network_attachments.count() == 1

    def test_it_refuses_an_old_etag(self, world: World) -> None:
        instance = world.instance()
        etag = instance.etag
        self.update(world, instance, display_name="x")
        with pytest.raises(Aborted):
            self.update(world, instance, display_name="y", options=WriteOptions(etag=etag))
        self.update(world, instance, display_name="z", options=WriteOptions(etag=instance.etag))
        assert instance.display_name == "z"

    def test_it_refuses_an_instance_that_is_being_deleted(self, world: World) -> None:
        instance = world.instance()
        call(world, delete_instance, instance)
        with pytest.raises(FailedPrecondition) as caught:
            self.update(world, instance, display_name="x")
        assert caught.value.reason == "INSTANCE_DELETING"


class TestUpdateOfDesiredState:
    @pytest.mark.parametrize(
        ("before", "wanted", "run", "generation"),
        [
            ("STOPPED", "RUNNING", 2, 2),
            ("RUNNING", "STOPPED", 1, 2),
            ("RUNNING", "RUNNING", 1, 1),
            ("STOPPED", "STOPPED", 1, 1),
        ],
    )
    def test_it_does_what_start_and_stop_do(
        self, world: World, before: str, wanted: str, run: int, generation: int
    ) -> None:
        instance = world.instance(desired_state=before)
        call(world, update_instance, instance, changes=InstanceUpdate(desired_state=wanted))
        instance.refresh_from_db()
        assert instance.desired_state == wanted
        assert (instance.run, instance.generation) == (run, generation)

    def test_a_type_and_running_start_a_stopped_instance_with_that_type(self, world: World) -> None:
        instance = world.instance(desired_state="STOPPED")
        changes = InstanceUpdate(desired_state="RUNNING", instance_type=world.new_small.resource_id)
        call(world, update_instance, instance, changes=changes)
        instance.refresh_from_db()
        assert (instance.run_instance_type, instance.run) == (world.new_small, 2)
        assert instance.generation == 2

    def test_another_word_is_refused(self, world: World) -> None:
        with pytest.raises(InvalidArgument):
            call(
                world,
                update_instance,
                world.instance(),
                changes=InstanceUpdate(desired_state="PAUSED"),
            )
