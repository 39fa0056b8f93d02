"""Objects that become instances, and objects that are refused."""

from typing import Any

import pytest

from compute.models import Instance, VolumeAttachment
from cycloud.core.clock import now
from cycloud.core.quotas.models import ProjectQuota
from tests.compute.kubernetes.objects import (
    INSTANCES,
    KEY,
    Applied,
    attachments,
    fields,
    instance_object,
    instance_spec,
    interfaces,
    volumes_of,
    written,
)
from tests.factories.compute import World


class TestTakingANewObjectIn:
    def test_it_becomes_an_instance_that_kubernetes_manages(self, world: World) -> None:
        applied = instance_object(world)
        spec = instance_spec(world, displayName="Web", sshPublicKeys=[KEY], userData="#!/bin/sh")
        applied.take(spec, labels={"team": "a", "cycloud.jp/x": "y"}, annotations={"note": "n"})
        instance = Instance.objects.get(resource_id="web")
        assert instance.managed_by == applied.manager
        assert (instance.labels, instance.annotations) == ({"team": "a"}, {"note": "n"})
        assert (instance.user_data, instance.desired_state) == ("#!/bin/sh", "RUNNING")
        assert applied.kind.agrees(applied.manifest, spec)

    def test_volumes_come_in_the_order_of_their_indexes(self, world: World) -> None:
        root, data, more = (world.volume().resource_id for _ in range(3))
        items = [
            {"deviceIndex": 5, "volumeName": more},
            {"deviceIndex": 0, "volumeName": root},
            {"deviceIndex": 2, "volumeName": data},
        ]
        applied = instance_object(world)
        spec = instance_spec(world, volumeAttachments=items)
        applied.take(spec)
        assert volumes_of() == [root, data, more]
        assert applied.kind.agrees(applied.manifest, spec)

    def test_taken_in_again_nothing_is_written(self, world: World) -> None:
        applied = instance_object(world)
        spec = instance_spec(world, userData="x", sshPublicKeys=[f" {KEY}\n"])
        applied.take(spec, labels={"a": "b"})
        before = written()
        applied.take(spec, labels={"a": "b"})
        assert written() == before

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"instanceType": "nothing"}, "spec.instanceType"),
            ({"availabilityZone": "nothing"}, "spec.availabilityZone"),
            ({"desiredState": "Paused"}, "spec.desiredState"),
            ({"displayName": "a\nb"}, "spec.displayName"),
            ({"sshPublicKeys": [KEY, "ssh-rsa nonsense"]}, "spec.sshPublicKeys[1]"),
            ({"userData": "\0"}, "spec.userData"),
            ({"userData": 5}, "spec.userData"),
            ({"deletionProtection": "yes"}, "spec.deletionProtection"),
            ({"instanceType": None}, "spec.instanceType"),
            ({"volumeAttachments": []}, "spec.volumeAttachments"),
            (
                {"volumeAttachments": [{"deviceIndex": 1, "volumeName": "x"}]},
                "spec.volumeAttachments",
            ),
            (
                {"volumeAttachments": attachments("nothing")},
                "spec.volumeAttachments[0].volumeName",
            ),
            (
                {"volumeAttachments": attachments("x", "x")},
                "spec.volumeAttachments[1].volumeName",
            ),
            (
                {"networkInterfaceAttachments": interfaces("nothing")},
                "spec.networkInterfaceAttachments[0].networkInterfaceID",
            ),
            ({"networkInterfaceAttachments": []}, "spec.networkInterfaceAttachments"),
        ],
    )
    def test_what_is_wrong_is_refused_by_its_field_and_leaves_nothing(
        self, world: World, changes: dict[str, Any], field: str
    ) -> None:
        applied = instance_object(world)
        spec = instance_spec(world, **changes)
        before = written()
        error = applied.refusal(spec)
        assert fields(error) == [field]
        assert error.message.startswith(field)
        assert written() == before
        assert not VolumeAttachment.objects.exists()

    def test_a_type_that_is_not_offered_there_is_refused_by_its_field(self, world: World) -> None:
        spec = instance_spec(world, instanceType=world.unplaced.resource_id)
        error = instance_object(world).refusal(spec)
        assert (error.reason, fields(error)) == ("INSTANCE_TYPE_UNAVAILABLE", ["spec.instanceType"])
        assert not Instance.objects.exists()

    def test_the_field_is_named_by_its_place_in_the_object_and_not_by_its_index(
        self, world: World
    ) -> None:
        items = [
            {"deviceIndex": 7, "volumeName": "nothing"},
            {"deviceIndex": 0, "volumeName": world.volume().resource_id},
        ]
        error = instance_object(world).refusal(instance_spec(world, volumeAttachments=items))
        assert fields(error) == ["spec.volumeAttachments[0].volumeName"]

    def test_a_volume_that_another_instance_has_is_named(self, world: World) -> None:
        holder = world.instance(volumes=2)
        taken = holder.volume_attachments.last().volume  # type: ignore[union-attr]
        spec = instance_spec(world, world.volume().resource_id, taken.resource_id)
        error = instance_object(world).refusal(spec)
        assert (error.reason, fields(error)) == (
            "VOLUME_ATTACHED",
            ["spec.volumeAttachments[1].volumeName"],
        )

    def test_a_network_interface_that_another_instance_has_is_named(self, world: World) -> None:
        holder = world.instance()
        taken = holder.network_attachments.get().network_interface.resource_id
        spec = instance_spec(world, networkInterfaceAttachments=interfaces(taken))
        error = instance_object(world).refusal(spec)
        assert (error.reason, fields(error)) == (
            "NETWORK_INTERFACE_ATTACHED",
            ["spec.networkInterfaceAttachments[0].networkInterfaceID"],
        )

    def test_a_deleted_volume_is_refused(self, world: World) -> None:
        volume = world.volume(delete_time=now(), purge_time=now())
        error = instance_object(world).refusal(instance_spec(world, volume.resource_id))
        assert (error.reason, fields(error)) == (
            "VOLUME_DELETED",
            ["spec.volumeAttachments[0].volumeName"],
        )

    def test_a_quota_is_refused_with_the_type_as_the_field(self, world: World) -> None:
        ProjectQuota.objects.create(project=world.project, resource="vcpus", limit=1)
        error = instance_object(world).refusal(instance_spec(world))
        assert (error.reason, fields(error)) == ("QUOTA_EXCEEDED", ["spec.instanceType"])

    def test_labels_that_break_the_rules_are_named(self, world: World) -> None:
        error = instance_object(world).refusal(instance_spec(world), labels={"a b": "c"})
        assert fields(error) == ["metadata.labels"]
        big = {"note": "x" * (300 * 1024)}
        error = instance_object(world).refusal(instance_spec(world), annotations=big)
        assert fields(error) == ["metadata.annotations"]
        assert not Instance.objects.exists()

    def test_other_projects_volumes_do_not_exist(self, world: World) -> None:
        foreign = world.volume(project=world.other_project, resource_id="theirs")
        applied = instance_object(world)
        seen = applied.refusal(instance_spec(world, foreign.resource_id))
        foreign.resource_id = "renamed"
        foreign.save()
        unseen = applied.refusal(instance_spec(world, "theirs"))
        assert (seen.message, seen.violations) == (unseen.message, unseen.violations)
        full = f"projects/{world.other_project.resource_id}/volumes/renamed"
        assert fields(applied.refusal(instance_spec(world, full))) == [
            "spec.volumeAttachments[0].volumeName"
        ]

    def test_other_projects_network_interfaces_do_not_exist(self, world: World) -> None:
        foreign = world.network_interface(project=world.other_project, resource_id="theirs")
        applied = instance_object(world)
        volume = world.volume().resource_id
        spec = instance_spec(world, volume, networkInterfaceAttachments=interfaces("theirs"))
        seen = applied.refusal(spec)
        foreign.resource_id = "renamed"
        foreign.save()
        unseen = applied.refusal(spec)
        assert (seen.message, seen.violations) == (unseen.message, unseen.violations)

    def test_a_name_that_is_no_resource_id_is_refused(self, world: World) -> None:
        error = Applied(world, INSTANCES, "1.web").refusal(instance_spec(world))
        assert fields(error) == ["metadata.name"]

    def test_who_may_not_create_is_refused(self, world: World) -> None:
        applied = instance_object(world)
        spec = instance_spec(world)
        stranger = Applied(world, INSTANCES, "web")
        stranger.name = f"projects/{world.other_project.resource_id}/instances/web"
        assert stranger.refusal(spec).reason == "PROJECT_NOT_FOUND"
        applied.take(spec)
