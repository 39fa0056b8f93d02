"""Attach and detach of volumes."""

from typing import Any

import pytest

from compute.models import Instance, VolumeAttachment
from compute.services.instance_attachments import attach_volume, detach_volume
from compute.services.instances import delete_instance
from compute.services.volumes import delete_volume
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from tests.compute.services.calls import DRY, call, is_due
from tests.factories.compute import VolumeAttachmentFactory, World


def stopped(world: World, **fields: Any) -> Instance:
    return world.instance(desired_state="STOPPED", **fields)


class TestAttach:
    def test_the_volume_comes_after_those_that_are_there(self, world: World) -> None:
        instance, volume = stopped(world, volumes=2), world.volume()
        before = volume.etag
        written = call(world, attach_volume, instance, volume_id=volume.name)
        instance.refresh_from_db()
        volume.refresh_from_db()
        assert VolumeAttachment.objects.get(volume=volume).device_index == 2
        assert (instance.generation, instance.run) == (2, 1)
        assert volume.etag != before
        assert is_due("instance", instance)
        assert not written.operation.done

    def test_a_volume_that_it_has_already_is_left_as_it_is(self, world: World) -> None:
        instance = stopped(world)
        volume = instance.volume_attachments.get().volume
        call(world, attach_volume, instance, volume_id=volume.resource_id)
        instance.refresh_from_db()
        assert instance.generation == 1
        assert instance.volume_attachments.count() == 1

    def test_a_gap_left_by_a_detach_is_not_filled(self, world: World) -> None:
        instance = stopped(world, volumes=3)
        middle = instance.volume_attachments.get(device_index=1).volume
        call(world, detach_volume, instance, volume_id=middle.resource_id)
        call(world, attach_volume, instance, volume_id=middle.resource_id)
        assert VolumeAttachment.objects.get(volume=middle).device_index == 3

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"availability_zone": "other"}, "ZONE_DIFFERS"),
            ({"volume_type": "old_only", "instance_type": "new_small"}, "MOVE_BLOCKED"),
            ({"deleted": True}, "VOLUME_DELETED"),
            ({"attached": True}, "VOLUME_ATTACHED"),
        ],
    )
    def test_it_refuses_an_unfit_volume(
        self, world: World, fields: dict[str, Any], reason: str
    ) -> None:
        kind = world.new_small if "instance_type" in fields else world.small
        instance = stopped(world, instance_type=kind, run_instance_type=world.small)
        volume = world.volume(
            availability_zone=world.other_zone if "availability_zone" in fields else world.zone,
            volume_type=world.old_only if "volume_type" in fields else world.shared,
        )
        if "deleted" in fields:
            delete_volume(
                actor=world.actor(),
                project_id=world.project.resource_id,
                volume_id=volume.resource_id,
            )
        if "attached" in fields:
            VolumeAttachmentFactory.create(instance=world.instance(volumes=0), volume=volume)
        with pytest.raises(FailedPrecondition) as caught:
            call(world, attach_volume, instance, volume_id=volume.resource_id)
        assert caught.value.reason == reason
        instance.refresh_from_db()
        assert (instance.generation, instance.volume_attachments.count()) == (1, 1)

    @pytest.mark.parametrize("volume_id", ["none", "", "projects/other/volumes/x", "a/b"])
    def test_it_refuses_a_volume_that_is_not_in_the_project(
        self, world: World, volume_id: str
    ) -> None:
        with pytest.raises(InvalidArgument) as caught:
            call(world, attach_volume, stopped(world), volume_id=volume_id)
        assert caught.value.violations[0].field == "volume"

    def test_it_refuses_more_than_an_instance_can_have(self, world: World) -> None:
        instance = stopped(world, volumes=26)
        with pytest.raises(FailedPrecondition) as caught:
            call(world, attach_volume, instance, volume_id=world.volume().resource_id)
        assert caught.value.reason == "TOO_MANY_VOLUMES"


class TestDetach:
    def test_the_volume_is_free_and_keeps_its_data(self, world: World) -> None:
        instance = stopped(world, volumes=2)
        volume = instance.volume_attachments.get(device_index=1).volume
        call(world, detach_volume, instance, volume_id=volume.resource_id)
        instance.refresh_from_db()
        volume.refresh_from_db()
        assert not VolumeAttachment.objects.filter(volume=volume).exists()
        assert volume.delete_time is None
        assert (instance.generation, instance.run, volume.revision) == (2, 1, 2)
        assert is_due("instance", instance)

    def test_the_root_volume_stays(self, world: World) -> None:
        instance = stopped(world)
        root = instance.volume_attachments.get().volume
        with pytest.raises(FailedPrecondition) as caught:
            call(world, detach_volume, instance, volume_id=root.resource_id)
        assert caught.value.reason == "ROOT_VOLUME"
        assert instance.volume_attachments.count() == 1

    def test_it_refuses_a_volume_that_it_does_not_have(self, world: World) -> None:
        other = world.instance(volumes=2).volume_attachments.get(device_index=1).volume
        with pytest.raises(FailedPrecondition) as caught:
            call(world, detach_volume, stopped(world), volume_id=other.resource_id)
        assert caught.value.reason == "VOLUME_NOT_ATTACHED"
        assert VolumeAttachment.objects.filter(volume=other).exists()


@pytest.mark.parametrize("verb", [attach_volume, detach_volume])
class TestBoth:
    def volume_for(self, world: World, verb: Any, instance: Instance) -> str:
        if verb is attach_volume:
            return world.volume().resource_id
        return str(instance.volume_attachments.get(device_index=1).volume.resource_id)

    def test_only_a_stopped_instance(self, world: World, verb: Any) -> None:
        instance = world.instance(volumes=2)
        with pytest.raises(FailedPrecondition) as caught:
            call(world, verb, instance, volume_id=self.volume_for(world, verb, instance))
        assert caught.value.reason == "INSTANCE_NOT_STOPPED"

    def test_not_one_that_is_being_deleted(self, world: World, verb: Any) -> None:
        instance = stopped(world, volumes=2)
        volume_id = self.volume_for(world, verb, instance)
        call(world, delete_instance, instance)
        with pytest.raises(FailedPrecondition) as caught:
            call(world, verb, instance, volume_id=volume_id)
        assert caught.value.reason == "INSTANCE_DELETING"

    def test_a_dry_run_changes_nothing(self, world: World, verb: Any) -> None:
        instance = stopped(world, volumes=2)
        volume_id = self.volume_for(world, verb, instance)
        before = list(VolumeAttachment.objects.values())
        call(world, verb, instance, volume_id=volume_id, options=DRY)
        instance.refresh_from_db()
        assert instance.generation == 1
        assert list(VolumeAttachment.objects.values()) == before
