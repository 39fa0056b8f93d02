"""Create, grow, delete and undelete of volumes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from compute.models import Volume, VolumeBinding
from compute.services.volumes import (
    VolumeInput,
    VolumeUpdate,
    create_volume,
    delete_volume,
    undelete_volume,
    update_volume,
)
from cycloud.core.aip.errors import (
    Aborted,
    AlreadyExists,
    CycloudError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from cycloud.core.aip.models import Operation
from cycloud.core.aip.writes import WriteOptions, Written
from cycloud.core.clock import use_clock
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.models import DueRow
from tests.compute.services.calls import superseded
from tests.factories.compute import VolumeAttachmentFactory, World

TIME = datetime(2027, 1, 1, 12, 0, tzinfo=UTC)


def volume_input(world: World, **changes: Any) -> VolumeInput:
    base = VolumeInput(
        volume_type=world.shared.resource_id,
        availability_zone=world.zone.resource_id,
        size_gib=20,
    )
    return replace(base, **changes)


def create(world: World, volume_id: str = "data", **changes: Any) -> Written[Volume]:
    return create_volume(
        actor=world.actor(),
        project_id=world.project.resource_id,
        volume_id=volume_id,
        data=volume_input(world, **changes),
    )


def call(world: World, verb: Any, volume: Volume, **more: Any) -> Written[Volume]:
    return verb(  # type: ignore[no-any-return]
        actor=world.actor(),
        project_id=volume.project.resource_id,
        volume_id=volume.resource_id,
        **more,
    )


def is_due(volume: Volume) -> bool:
    return DueRow.objects.filter(controller="volume", key=str(volume.uid)).exists()


class TestCreate:
    def test_it_declares_the_volume_and_asks_for_its_reconcile(self, world: World) -> None:
        written = create(world, image=world.image.resource_id, labels={"tier": "db"})
        volume = Volume.objects.get(resource_id="data")
        assert (volume.size_gib, volume.image, volume.labels) == (20, world.image, {"tier": "db"})
        assert volume.ready is not None
        assert volume.ready.reason == "VolumeBindingNotReady"
        assert volume.reconciling
        assert is_due(volume)
        assert not written.operation.done
        assert written.operation.target_uid == volume.uid
        assert AuditEntry.objects.get().resource_name == volume.name

    def test_it_makes_nothing_else(self, world: World) -> None:
        create(world)
        assert not VolumeBinding.objects.exists()

    def test_an_id_is_made_up_if_none_is_given(self, world: World) -> None:
        written = create(world, volume_id="")
        assert written.resource is not None
        assert written.resource.resource_id.startswith("vol-")

    @pytest.mark.parametrize(
        ("changes", "field", "reason"),
        [
            ({"volume_type": "none"}, "volume_type", "REFERENCE_NOT_FOUND"),
            ({"availability_zone": "none"}, "availability_zone", "REFERENCE_NOT_FOUND"),
            ({"image": "none"}, "image", "REFERENCE_NOT_FOUND"),
            ({"size_gib": 0}, "size", "SIZE_OUT_OF_RANGE"),
            ({"size_gib": 1010}, "size", "SIZE_OUT_OF_RANGE"),
            ({"size_gib": 25}, "size", "SIZE_GRANULARITY"),
            ({"labels": {"-": "x"}}, "labels", "INVALID"),
            ({"annotations": {"-": "x"}}, "annotations", "INVALID"),
            ({"display_name": "a\nb"}, "display_name", "INVALID"),
        ],
    )
    def test_it_refuses_and_names_the_field(
        self, world: World, changes: dict[str, Any], field: str, reason: str
    ) -> None:
        with pytest.raises(InvalidArgument) as caught:
            create(world, **changes)
        assert [(v.field, v.reason) for v in caught.value.violations] == [(field, reason)]
        assert not Volume.objects.exists()

    def test_it_refuses_a_volume_that_is_too_small_for_its_image(self, world: World) -> None:
        with pytest.raises(InvalidArgument) as caught:
            create(world, image=world.image.resource_id, size_gib=10)
        assert caught.value.violations[0].reason == "SIZE_BELOW_IMAGE"

    @pytest.mark.parametrize("volume_id", ["Data", "-data", "data-", "1data", "d" * 64, "a/b"])
    def test_it_refuses_a_bad_id(self, world: World, volume_id: str) -> None:
        with pytest.raises(InvalidArgument) as caught:
            create(world, volume_id=volume_id)
        assert caught.value.violations[0].field == "volume_id"

    def test_it_refuses_an_id_that_is_in_use(self, world: World) -> None:
        create(world)
        with pytest.raises(AlreadyExists, match="exists already"):
            create(world)
        assert Volume.objects.count() == 1

    def test_the_id_of_a_deleted_volume_stays_reserved(self, world: World) -> None:
        written = create(world)
        assert written.resource is not None
        with use_clock(lambda: TIME):
            call(world, delete_volume, written.resource)
        with pytest.raises(AlreadyExists, match=r"undelete it.*2027-01-01 13:00:00"):
            create(world)

    def test_it_refuses_a_type_that_no_active_cluster_of_the_zone_has(self, world: World) -> None:
        world.old.state = "Cordoned"
        world.old.save()
        with pytest.raises(FailedPrecondition) as caught:
            create(world, volume_type=world.old_only.resource_id)
        assert caught.value.reason == "VOLUME_TYPE_UNAVAILABLE"
        assert world.old.resource_id not in caught.value.message

    def test_a_dry_run_keeps_nothing(self, world: World) -> None:
        written = create_volume(
            actor=world.actor(),
            project_id=world.project.resource_id,
            volume_id="data",
            data=volume_input(world),
            options=WriteOptions(validate_only=True),
        )
        assert written.resource is not None
        assert written.resource.name.endswith("/volumes/data")
        counts = [m.objects.count() for m in (Volume, Operation, DueRow, AuditEntry)]
        assert counts == [0, 0, 0, 0]

    def test_the_same_request_gives_the_earlier_operation(self, world: World) -> None:
        options = WriteOptions(request_id=uuid4())
        made = [
            create_volume(
                actor=world.actor(),
                project_id=world.project.resource_id,
                data=volume_input(world),
                options=options,
            )
            for _ in range(2)
        ]
        assert made[0].operation == made[1].operation
        assert Volume.objects.count() == 1

    def test_a_viewer_may_not(self, world: World) -> None:
        with pytest.raises(PermissionDenied):
            create_volume(
                actor=world.actor(Role.VIEWER),
                project_id=world.project.resource_id,
                data=volume_input(world),
            )

    def test_another_project_does_not_exist(self, world: World) -> None:
        with pytest.raises(NotFound):
            create_volume(
                actor=world.actor(),
                project_id=world.other_project.resource_id,
                data=volume_input(world),
            )


class TestUpdate:
    def test_growing_makes_a_new_generation(self, world: World) -> None:
        volume = world.volume(size_gib=20)
        written = call(world, update_volume, volume, changes=VolumeUpdate(size_gib=30))
        volume.refresh_from_db()
        assert (volume.size_gib, volume.generation) == (30, 2)
        assert is_due(volume)
        assert not written.operation.done

    def test_metadata_is_changed_at_once_and_wakes_nobody(self, world: World) -> None:
        volume = world.volume()
        before = volume.etag
        changes = VolumeUpdate(display_name="Data", labels={"a": "b"}, annotations={"c": "d"})
        written = call(world, update_volume, volume, changes=changes)
        volume.refresh_from_db()
        assert (volume.display_name, volume.labels, volume.annotations) == (
            "Data",
            {"a": "b"},
            {"c": "d"},
        )
        assert volume.generation == 1
        assert volume.etag != before
        assert written.operation.done
        assert not is_due(volume)

    def test_the_same_values_change_nothing(self, world: World) -> None:
        volume = world.volume(size_gib=20, display_name="x")
        written = call(
            world, update_volume, volume, changes=VolumeUpdate(size_gib=20, display_name="x")
        )
        assert written.operation.done
        volume.refresh_from_db()
        assert (volume.generation, volume.revision) == (1, 1)

    @pytest.mark.parametrize(
        ("size", "reason"),
        [
            (10, "VOLUME_NEVER_SHRINKS"),
            (25, "SIZE_GRANULARITY"),
            (1010, "SIZE_OUT_OF_RANGE"),
        ],
    )
    def test_it_refuses_an_unfit_size(self, world: World, size: int, reason: str) -> None:
        volume = world.volume(size_gib=20)
        with pytest.raises(InvalidArgument) as caught:
            call(world, update_volume, volume, changes=VolumeUpdate(size_gib=size))
        assert caught.value.violations[0].reason == reason
        volume.refresh_from_db()
        assert volume.size_gib == 20

    def test_an_attached_volume_can_grow(self, world: World) -> None:
        attachment = VolumeAttachmentFactory.create(
            instance=world.instance(volumes=0), volume=world.volume(size_gib=20)
        )
        call(world, update_volume, attachment.volume, changes=VolumeUpdate(size_gib=30))
        attachment.volume.refresh_from_db()
        assert attachment.volume.size_gib == 30

    def test_it_refuses_a_deleted_volume(self, world: World) -> None:
        volume = world.volume()
        call(world, delete_volume, volume)
        for changes in (VolumeUpdate(size_gib=100), VolumeUpdate(display_name="x")):
            with pytest.raises(FailedPrecondition) as caught:
                call(world, update_volume, volume, changes=changes)
            assert caught.value.reason == "VOLUME_DELETED"

    def test_it_refuses_an_old_etag(self, world: World) -> None:
        volume = world.volume()
        etag = volume.etag
        call(world, update_volume, volume, changes=VolumeUpdate(display_name="x"))
        with pytest.raises(Aborted):
            call(
                world,
                update_volume,
                volume,
                changes=VolumeUpdate(display_name="y"),
                options=WriteOptions(etag=etag),
            )


class TestDelete:
    def test_it_sets_the_purge_time_by_the_retention_of_the_type(self, world: World) -> None:
        volume = world.volume()
        with use_clock(lambda: TIME):
            written = call(world, delete_volume, volume)
        volume.refresh_from_db()
        assert volume.delete_time == TIME
        assert volume.purge_time == TIME + timedelta(seconds=3600)
        assert volume.generation == 2
        assert VolumeBinding.objects.get().purge_time == volume.purge_time
        assert is_due(volume)
        assert not written.operation.done

    def test_deleting_again_does_not_put_off_the_purge(self, world: World) -> None:
        volume = world.volume()
        with use_clock(lambda: TIME):
            call(world, delete_volume, volume)
        with use_clock(lambda: TIME + timedelta(seconds=60)):
            written = call(world, delete_volume, volume)
        volume.refresh_from_db()
        assert volume.purge_time == TIME + timedelta(seconds=3600)
        assert volume.generation == 2
        assert written.operation.done

    def test_it_refuses_an_attached_volume_and_names_the_instance(self, world: World) -> None:
        instance = world.instance()
        volume = instance.volume_attachments.get().volume
        with pytest.raises(FailedPrecondition, match=instance.name) as caught:
            call(world, delete_volume, volume)
        assert caught.value.reason == "VOLUME_ATTACHED"
        volume.refresh_from_db()
        assert volume.delete_time is None

    def test_it_ends_what_is_under_way(self, world: World) -> None:
        volume = create(world).resource
        assert volume is not None
        call(world, delete_volume, volume)
        assert superseded("create", volume)
        assert not Operation.objects.get(verb="delete").done

    def test_a_dry_run_keeps_nothing(self, world: World) -> None:
        volume = world.volume()
        call(world, delete_volume, volume, options=WriteOptions(validate_only=True))
        volume.refresh_from_db()
        assert volume.delete_time is None
        assert VolumeBinding.objects.get().purge_time is None


class TestUndelete:
    def deleted(self, world: World, **fields: Any) -> Volume:
        volume = world.volume(**fields)
        with use_clock(lambda: TIME):
            call(world, delete_volume, volume)
        return volume

    @pytest.mark.parametrize("data_in", [None, "old"])
    def test_it_takes_the_purge_back(self, world: World, data_in: str | None) -> None:
        volume = self.deleted(world, data_in=world.old if data_in else None)
        with use_clock(lambda: TIME + timedelta(seconds=3599)):
            written = call(world, undelete_volume, volume)
        volume.refresh_from_db()
        assert (volume.delete_time, volume.purge_time, volume.generation) == (None, None, 3)
        assert not VolumeBinding.objects.filter(purge_time__isnull=False).exists()
        assert not written.operation.done
        assert Operation.objects.get(verb="delete").done

    def test_it_is_refused_once_the_purge_time_is_there(self, world: World) -> None:
        volume = self.deleted(world)
        with (
            use_clock(lambda: TIME + timedelta(seconds=3600)),
            pytest.raises(FailedPrecondition) as caught,
        ):
            call(world, undelete_volume, volume)
        assert caught.value.reason == "PURGE_BEGUN"
        volume.refresh_from_db()
        assert volume.delete_time == TIME

    def test_it_is_refused_once_the_purge_has_begun_whatever_the_clock_says(
        self, world: World
    ) -> None:
        volume = self.deleted(world)
        VolumeBinding.objects.update(purge_begun=TIME)
        with use_clock(lambda: TIME), pytest.raises(FailedPrecondition) as caught:
            call(world, undelete_volume, volume)
        assert caught.value.reason == "PURGE_BEGUN"
        assert VolumeBinding.objects.get().purge_time is not None

    def test_it_is_refused_for_a_volume_that_is_not_deleted(self, world: World) -> None:
        with pytest.raises(FailedPrecondition) as caught:
            call(world, undelete_volume, world.volume())
        assert caught.value.reason == "VOLUME_NOT_DELETED"


@pytest.mark.parametrize("verb", [delete_volume, undelete_volume])
def test_a_viewer_may_not_and_a_stranger_sees_nothing(world: World, verb: Any) -> None:
    volume = world.volume()
    cases: list[tuple[Actor, type[CycloudError]]] = [
        (world.actor(Role.VIEWER), PermissionDenied),
        (Actor("users/stranger"), NotFound),
    ]
    for actor, error in cases:
        with pytest.raises(error):
            verb(
                actor=actor,
                project_id=world.project.resource_id,
                volume_id=volume.resource_id,
            )
