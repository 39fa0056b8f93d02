"""Instances as custom resources: what is written out, whose they are, and how they go."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compute.models import Instance, VolumeAttachment
from compute.services.instances import delete_instance
from cycloud.core.aip.errors import AlreadyExists, FailedPrecondition
from cycloud.core.aip.models import Operation
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status, to_json
from cycloud.core.iam.models import AuditEntry
from tests.compute.kubernetes.objects import (
    INSTANCES,
    KEY,
    Applied,
    as_stored,
    attachments,
    fields,
    instance_object,
    interfaces,
    managed,
    volumes_of,
    written,
)
from tests.factories.compute import World


class TestManifests:
    def test_an_instance_is_written_with_every_field_but_its_user_data(self, world: World) -> None:
        instance = world.instance(
            resource_id="web",
            volumes=2,
            display_name="Web",
            user_data="#cloud-config password: hunter2",
            ssh_public_keys=[KEY],
            state="RUNNING",
        )
        root, data = volumes_of()
        (nic,) = [a.network_interface for a in instance.network_attachments.all()]
        manifest = instance_object(world).manifest
        assert manifest.uid == instance.uid
        assert manifest.spec == {
            "displayName": "Web",
            "instanceType": world.small.resource_id,
            "availabilityZone": world.zone.resource_id,
            "desiredState": "Running",
            "volumeAttachments": attachments(root, data),
            "networkInterfaceAttachments": interfaces(nic.resource_id),
            "sshPublicKeys": [KEY],
            "deletionProtection": False,
        }
        assert manifest.status == {
            "state": "Running",
            "ipAddress": nic.ip_address,
            "networkInterfaces": [
                {
                    "networkInterfaceID": nic.resource_id,
                    "ipAddress": nic.ip_address,
                    "macAddress": nic.mac_address,
                }
            ],
            "volumes": [
                {"volumeName": root, "size": "10Gi", "boot": True},
                {"volumeName": data, "size": "10Gi", "boot": False},
            ],
        }
        assert "hunter2" not in repr(manifest)

    def test_no_cluster_is_named(self, world: World) -> None:
        world.instance(resource_id="web")
        text = repr(instance_object(world).manifest)
        assert not [c for c in (world.old, world.new) if c.resource_id in text]

    @pytest.mark.parametrize("count", [1, 50])
    def test_a_page_is_read_in_three_queries(self, world: World, count: int) -> None:
        rows = [world.instance(volumes=2) for _ in range(count)]
        names = [row.name for row in rows]
        with CaptureQueriesContext(connection) as queries:
            found = INSTANCES.manifests(names)
        assert (sorted(found), len(queries)) == (sorted(names), 3)

    def test_only_what_was_asked_for_is_returned(self, world: World) -> None:
        one = world.instance(resource_id="web")
        world.instance(resource_id="db")
        other = world.other_project
        names = [one.name, f"projects/{other.resource_id}/instances/db", "namespaces/x/y", "web"]
        assert list(INSTANCES.manifests(names)) == [one.name]

    def test_names_are_found_by_uid_and_listed(self, world: World) -> None:
        rows = [world.instance() for _ in range(3)]
        assert INSTANCES.names_of([rows[0].uid]) == {rows[0].uid: rows[0].name}
        assert sorted(INSTANCES.names()) == sorted(row.name for row in rows)

    @pytest.mark.parametrize(("observed", "settled"), [(1, False), (2, True)])
    def test_it_is_settled_where_ready_is_about_the_present_declaration(
        self, world: World, observed: int, settled: bool
    ) -> None:
        ready = Condition(READY, Status.FALSE, "Updating", "", observed, now())
        world.instance(resource_id="web", generation=2, conditions=to_json([ready]))
        manifest = instance_object(world).manifest
        assert (manifest.settled, manifest.conditions) == (settled, (ready,))

    def test_one_that_is_being_deleted_is_still_there(self, world: World) -> None:
        world.instance(resource_id="web", delete_time=now(), managed_by="x")
        manifest = instance_object(world).manifest
        assert (manifest.deleting, manifest.managed_by) == (True, "x")

    def test_places_are_written_and_not_the_ever_growing_indexes_of_the_row(
        self, world: World
    ) -> None:
        instance = world.instance(resource_id="web", volumes=2)
        VolumeAttachment.objects.filter(instance=instance, device_index=1).update(device_index=70)
        assert instance_object(world).spec["volumeAttachments"] == attachments(*volumes_of())


class TestWhoseInstanceItIs:
    def test_an_instance_of_the_api_is_not_taken_over(self, world: World) -> None:
        world.instance(resource_id="web")
        applied = instance_object(world)
        before = written()
        error = applied.refusal(applied.spec | {"displayName": "mine"})
        assert isinstance(error, AlreadyExists)
        assert f"adopt Instance {applied.name}" in error.message
        assert written() == before

    def test_an_instance_of_another_object_is_not_taken_over(self, world: World) -> None:
        world.instance(resource_id="web", managed_by="namespaces/other/instances/web")
        applied = instance_object(world)
        error = applied.refusal(applied.spec)
        assert isinstance(error, FailedPrecondition)
        assert "namespaces/other/instances/web" in error.message

    def test_one_that_is_being_deleted_is_refused(self, world: World) -> None:
        applied = instance_object(world)
        instance = world.instance(resource_id="web", delete_time=now())
        managed(world, applied, instance)
        assert applied.refusal(applied.spec).reason == "INSTANCE_DELETING"

    def test_an_adopted_instance_says_what_its_object_says(self, world: World) -> None:
        applied = instance_object(world)
        instance = world.instance(
            resource_id="web",
            volumes=3,
            user_data="secret",
            labels={"a": "b"},
            annotations={"kubernetes.io/x": "hidden", "b": "c"},
        )
        managed(world, applied, instance)
        before = written()
        manifest = applied.manifest
        applied.take(
            as_stored(manifest),
            labels=dict(manifest.labels),
            annotations=dict(manifest.annotations),
        )
        assert written() == before


class TestRemoving:
    @pytest.fixture
    def applied(self, world: World) -> Applied:
        applied = instance_object(world)
        managed(world, applied, world.instance(resource_id="web"))
        return applied

    def test_the_instance_is_deleted_and_again_nothing(self, applied: Applied) -> None:
        applied.remove()
        assert Instance.objects.get().delete_time is not None
        before = written()
        applied.remove()
        assert written() == before

    def test_protection_holds(self, applied: Applied) -> None:
        Instance.objects.update(deletion_protection=True)
        with pytest.raises(FailedPrecondition) as caught:
            applied.remove()
        assert fields(caught.value) == ["spec.deletionProtection"]
        assert "spec.deletionProtection" in caught.value.message
        assert Instance.objects.get().delete_time is None

    def test_what_is_gone_is_gone(self, world: World) -> None:
        instance_object(world).remove()
        assert not Operation.objects.exists()

    @pytest.mark.parametrize("owner", ["", "namespaces/other/instances/web"])
    def test_an_object_that_was_never_taken_in_takes_nothing_along(
        self, applied: Applied, owner: str
    ) -> None:
        Instance.objects.update(managed_by=owner)
        applied.remove()
        assert Instance.objects.get().delete_time is None

    def test_the_api_may_not(self, world: World, applied: Applied) -> None:
        with pytest.raises(FailedPrecondition):
            delete_instance(
                actor=world.actor(), project_id=world.project.resource_id, instance_id="web"
            )
        assert not AuditEntry.objects.filter(outcome="OK").exists()
