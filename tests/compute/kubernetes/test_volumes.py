"""Volumes as custom resources: what is written out, and what taking an object in does."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compute.models import Instance, Volume
from cycloud.core.aip.errors import AlreadyExists, FailedPrecondition
from cycloud.core.aip.models import Operation
from cycloud.core.clock import now
from cycloud.core.quotas.models import ProjectQuota
from tests.compute.kubernetes.objects import (
    VOLUMES,
    Applied,
    as_stored,
    fields,
    managed,
    volume_object,
    volume_spec,
    written,
)
from tests.factories.compute import World


class TestManifests:
    def test_a_volume_is_written_with_every_field(self, world: World) -> None:
        instance = world.instance(resource_id="web")
        volume = instance.volume_attachments.get().volume
        volume.image, volume.display_name, volume.size_gib = world.image, "Root", 2048
        volume.save()
        manifest = VOLUMES.manifests([volume.name])[volume.name]
        assert manifest.spec == {
            "displayName": "Root",
            "volumeType": world.shared.resource_id,
            "availabilityZone": world.zone.resource_id,
            "size": "2048Gi",
            "image": world.image.resource_id,
        }
        assert manifest.status == {
            "attachedInstance": "web",
            "state": "Pending",
            "size": "2048Gi",
        }

    def test_a_free_empty_volume_has_neither_image_nor_instance(self, world: World) -> None:
        world.volume(resource_id="data")
        manifest = volume_object(world).manifest
        assert (manifest.spec["image"], manifest.status["attachedInstance"]) == (None, None)

    def test_a_deleted_volume_has_no_object_and_keeps_its_name(self, world: World) -> None:
        volume = world.volume(resource_id="data", delete_time=now())
        assert VOLUMES.manifests([volume.name]) == {}
        assert list(VOLUMES.names()) == []
        assert VOLUMES.names_of([volume.uid]) == {volume.uid: volume.name}

    @pytest.mark.parametrize("count", [1, 50])
    def test_a_page_is_read_in_one_query(self, world: World, count: int) -> None:
        names = [world.volume().name for _ in range(count)]
        with CaptureQueriesContext(connection) as queries:
            found = VOLUMES.manifests(names)
        assert (sorted(found), len(queries)) == (sorted(names), 1)


class TestTakingANewObjectIn:
    def test_it_becomes_a_volume_that_kubernetes_manages(self, world: World) -> None:
        applied = volume_object(world)
        spec = volume_spec(world, image=world.image.resource_id, displayName="Data")
        applied.take(spec, labels={"a": "b"})
        volume = Volume.objects.get()
        assert (volume.managed_by, volume.labels) == (applied.manager, {"a": "b"})
        assert (volume.size_gib, volume.image, volume.display_name) == (20, world.image, "Data")
        assert applied.kind.agrees(applied.manifest, spec)
        before = written()
        applied.take(spec, labels={"a": "b"})
        assert written() == before

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"volumeType": "nothing"}, "spec.volumeType"),
            ({"availabilityZone": "nothing"}, "spec.availabilityZone"),
            ({"image": "nothing"}, "spec.image"),
            ({"size": "20G"}, "spec.size"),
            ({"size": 20}, "spec.size"),
            ({"size": "15Gi"}, "spec.size"),
            ({"size": "5000Gi"}, "spec.size"),
            ({"size": None}, "spec.size"),
            ({"displayName": "\n"}, "spec.displayName"),
        ],
    )
    def test_what_is_wrong_is_refused_by_its_field_and_leaves_nothing(
        self, world: World, changes: dict[str, Any], field: str
    ) -> None:
        error = volume_object(world).refusal(volume_spec(world, **changes))
        assert fields(error) == [field]
        assert error.message.startswith(field)
        assert not Volume.objects.exists()
        assert not Operation.objects.exists()

    def test_a_type_that_is_not_offered_there_is_refused_by_its_field(self, world: World) -> None:
        spec = volume_spec(world, availabilityZone=world.other_zone.resource_id)
        error = volume_object(world).refusal(spec)
        assert (error.reason, fields(error)) == ("VOLUME_TYPE_UNAVAILABLE", ["spec.volumeType"])

    def test_a_quota_is_refused_with_the_size_as_the_field(self, world: World) -> None:
        ProjectQuota.objects.create(project=world.project, resource="storage", limit=10)
        error = volume_object(world).refusal(volume_spec(world))
        assert (error.reason, fields(error)) == ("QUOTA_EXCEEDED", ["spec.size"])

    def test_no_empty_volume_is_made_in_the_place_of_a_deleted_one(self, world: World) -> None:
        applied = volume_object(world)
        volume = world.volume(
            resource_id="data", delete_time=now(), purge_time=now() + timedelta(days=7)
        )
        for owner in ("", applied.manager, "namespaces/other/volumes/data"):
            Volume.objects.update(managed_by=owner)
            error = applied.refusal(volume_spec(world))
            assert (error.reason, "Undelete" in error.message) == ("VOLUME_DELETED", True)
        assert list(Volume.objects.values_list("uid", flat=True)) == [volume.uid]

    def test_a_volume_of_the_api_is_not_taken_over(self, world: World) -> None:
        world.volume(resource_id="data")
        applied = volume_object(world)
        error = applied.refusal(applied.spec | {"size": "50Gi"})
        assert isinstance(error, AlreadyExists)
        assert f"adopt Volume {applied.name}" in error.message
        assert Volume.objects.get().size_gib == 10


class TestTakingAChangeIn:
    @pytest.fixture
    def applied(self, world: World) -> Applied:
        applied = volume_object(world)
        managed(world, applied, world.volume(resource_id="data", image=world.image))
        return applied

    @pytest.mark.parametrize(
        ("changes", "column", "value"),
        [
            ({"displayName": "Data"}, "display_name", "Data"),
            ({"size": "20Gi"}, "size_gib", 20),
            ({"size": "20480Mi"}, "size_gib", 20),
        ],
    )
    def test_what_differs_is_changed(
        self, applied: Applied, changes: dict[str, Any], column: str, value: Any
    ) -> None:
        spec = applied.spec | changes
        assert not applied.kind.agrees(applied.manifest, spec)
        applied.take(spec)
        assert getattr(Volume.objects.get(), column) == value
        assert applied.kind.agrees(applied.manifest, spec)
        before = written()
        applied.take(spec)
        assert written() == before

    def test_sizes_are_compared_as_quantities(self, applied: Applied) -> None:
        Volume.objects.update(size_gib=1024)
        assert applied.kind.agrees(applied.manifest, applied.spec | {"size": "1Ti"})
        before = written()
        applied.take(applied.spec | {"size": "1Ti"})
        assert written() == before

    def test_a_missing_display_name_is_an_empty_one(self, applied: Applied) -> None:
        spec = applied.spec
        del spec["displayName"]
        assert applied.kind.agrees(applied.manifest, spec)

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"size": "5Gi"}, "spec.size"),
            ({"volumeType": "other"}, "spec.volumeType"),
            ({"availabilityZone": "other"}, "spec.availabilityZone"),
            ({"image": "other"}, "spec.image"),
            ({"image": None}, "spec.image"),
        ],
    )
    def test_what_cannot_change_is_refused_by_its_field(
        self, applied: Applied, changes: dict[str, Any], field: str
    ) -> None:
        before = written()
        error = applied.refusal(applied.spec | changes | {"displayName": "not even this"})
        assert fields(error) == [field]
        assert written() == before

    def test_a_row_as_it_is_written_is_no_change(self, applied: Applied) -> None:
        Volume.objects.update(labels={"a": "b"}, annotations={"k8s.io/x": "y", "c": "d"})
        before = written()
        manifest = applied.manifest
        applied.take(
            as_stored(manifest),
            labels=dict(manifest.labels),
            annotations=dict(manifest.annotations),
        )
        assert written() == before

    def test_what_cannot_be_read_does_not_agree(self, applied: Applied) -> None:
        assert not applied.kind.agrees(applied.manifest, {"size": "much"})


class TestRemoving:
    @pytest.fixture
    def applied(self, world: World) -> Applied:
        applied = volume_object(world)
        managed(world, applied, world.volume(resource_id="data"))
        return applied

    def test_its_data_is_kept_until_the_purge_time_and_again_nothing(
        self, world: World, applied: Applied
    ) -> None:
        applied.remove()
        volume = Volume.objects.get()
        assert volume.delete_time is not None
        assert volume.purge_time == volume.delete_time + timedelta(seconds=3600)
        before = written()
        applied.remove()
        assert written() == before

    def test_an_attached_one_stays(self, world: World, applied: Applied) -> None:
        instance: Instance = world.instance(volumes=0)
        instance.volume_attachments.create(volume=Volume.objects.get(), device_index=0)
        with pytest.raises(FailedPrecondition) as caught:
            applied.remove()
        assert caught.value.reason == "VOLUME_ATTACHED"
        assert Volume.objects.get().delete_time is None

    def test_what_is_gone_is_gone(self, world: World) -> None:
        volume_object(world).remove()
        assert not Operation.objects.exists()

    def test_an_object_that_was_never_taken_in_takes_nothing_along(self, applied: Applied) -> None:
        Volume.objects.update(managed_by="")
        applied.remove()
        assert Volume.objects.get().delete_time is None
