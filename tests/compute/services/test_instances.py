"""Create and delete of instances."""

from typing import Any
from uuid import uuid4

import pytest

from compute.models import Instance, NetworkAttachment, Volume, VolumeAttachment
from compute.services.instances import (
    InlineNetworkInterface,
    InlineVolume,
    InstanceUpdate,
    NetworkInterfaceReference,
    VolumeReference,
    create_instance,
    delete_instance,
    update_instance,
)
from compute.services.volumes import delete_volume
from cycloud.core.aip.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from cycloud.core.aip.models import Operation
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.models import DueRow
from networking.models import NetworkInterface
from tests.compute.services.calls import DRY, call, create, instance_input, is_due, superseded
from tests.factories.compute import World
from tests.factories.networking import SubnetFactory

KEY = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKPRtuPSXSH5RwYtmXNBpcOP1QP5fM2k8qDP1gPTnRR5 alice@laptop"
)


class TestCreate:
    def test_it_declares_instance_volume_and_interface_at_once(self, world: World) -> None:
        written = create(
            world,
            ssh_public_keys=(KEY,),
            user_data="#cloud-config\n",
            labels={"tier": "web"},
            deletion_protection=True,
        )
        instance = Instance.objects.get(resource_id="web")
        assert instance.instance_type == instance.run_instance_type == world.small
        assert (instance.run, instance.desired_state, instance.state) == (1, "RUNNING", "PENDING")
        assert (instance.ssh_public_keys, instance.labels) == ([KEY], {"tier": "web"})
        assert instance.ready is not None
        assert (instance.ready.reason, instance.observed_generation) == ("Creating", 0)
        assert instance.reconciling
        volume = instance.volume_attachments.get().volume
        assert (volume.size_gib, volume.image) == (20, world.image)
        interface = instance.network_attachments.get().network_interface
        assert interface.subnet == world.subnet
        assert is_due("instance", instance)
        assert is_due("volume", volume)
        assert not written.operation.done
        assert written.operation.target_uid == instance.uid

    def test_volumes_and_interfaces_keep_their_order(self, world: World) -> None:
        old_volume, old_interface = world.volume(), world.network_interface()
        create(
            world,
            volumes=(
                InlineVolume(world.shared.resource_id, 20, world.image.resource_id),
                VolumeReference(old_volume.resource_id),
                InlineVolume(world.shared.resource_id, 30, volume_id="logs"),
            ),
            network_interfaces=(
                NetworkInterfaceReference(old_interface.name),
                InlineNetworkInterface(world.subnet.name, "10.0.1.99"),
            ),
        )
        volumes = VolumeAttachment.objects.order_by("device_index")
        assert [row.device_index for row in volumes] == [0, 1, 2]
        assert volumes[1].volume == old_volume
        assert volumes[2].volume.resource_id == "logs"
        interfaces = NetworkAttachment.objects.order_by("device_index")
        assert interfaces[0].network_interface == old_interface
        assert interfaces[1].network_interface.ip_address == "10.0.1.99"

    def test_an_existing_volume_can_boot(self, world: World) -> None:
        volume = world.volume()
        create(world, volumes=(VolumeReference(volume.name),))
        assert VolumeAttachment.objects.get().volume == volume

    def test_an_attached_volume_has_a_new_etag(self, world: World) -> None:
        volume = world.volume()
        create(world, volumes=(VolumeReference(volume.resource_id),))
        before = volume.etag
        volume.refresh_from_db()
        assert volume.etag != before

    def test_it_can_be_made_stopped(self, world: World) -> None:
        create(world, desired_state="STOPPED")
        assert Instance.objects.get().desired_state == "STOPPED"

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"instance_type": "none"}, "instance_type"),
            ({"instance_type": ""}, "instance_type"),
            ({"availability_zone": "none"}, "availability_zone"),
            ({"desired_state": "PAUSED"}, "desired_state"),
            ({"volumes": ()}, "volumes"),
            ({"volumes": (VolumeReference("x"),) * 27}, "volumes"),
            ({"volumes": (VolumeReference("none"),)}, "volumes[0].id"),
            ({"volumes": (VolumeReference(""),)}, "volumes[0].id"),
            ({"volumes": (VolumeReference("projects/p/volumes/v"),)}, "volumes[0].id"),
            ({"network_interfaces": ()}, "network_interfaces"),
            (
                {"network_interfaces": (NetworkInterfaceReference("x"),) * 9},
                "network_interfaces",
            ),
            (
                {"network_interfaces": (NetworkInterfaceReference("none"),)},
                "network_interfaces[0].id",
            ),
            (
                {"network_interfaces": (InlineNetworkInterface("none"),)},
                "network_interfaces[0].subnet",
            ),
            ({"ssh_public_keys": ("ssh-rsa x",)}, "ssh_public_keys[0]"),
            ({"user_data": "\0"}, "user_data"),
            ({"labels": {"-": "x"}}, "labels"),
        ],
    )
    def test_it_refuses_and_names_the_field(
        self, world: World, changes: dict[str, Any], field: str
    ) -> None:
        with pytest.raises(InvalidArgument) as caught:
            create(world, **changes)
        assert [v.field for v in caught.value.violations] == [field]
        assert [m.objects.count() for m in (Instance, Volume, NetworkInterface)] == [0, 0, 0]

    @pytest.mark.parametrize(
        ("volume", "field"),
        [
            ({"volume_type": "none"}, "volumes[0].volume_type"),
            ({"size_gib": 5}, "volumes[0].size"),
            ({"image": "none"}, "volumes[0].image"),
            ({"image": None}, "volumes[0].image"),
            ({"volume_id": "BAD"}, "volumes[0].volume_id"),
        ],
    )
    def test_it_names_the_field_of_an_inline_volume(
        self, world: World, volume: dict[str, Any], field: str
    ) -> None:
        good = {
            "volume_type": world.shared.resource_id,
            "size_gib": 20,
            "image": world.image.resource_id,
        }
        with pytest.raises(InvalidArgument) as caught:
            create(world, volumes=(InlineVolume(**{**good, **volume}),))
        assert [v.field for v in caught.value.violations] == [field]
        assert caught.value.message.startswith(field)

    def test_the_second_volume_needs_no_image(self, world: World) -> None:
        inline = InlineVolume(world.shared.resource_id, 20, world.image.resource_id)
        create(world, volumes=(inline, InlineVolume(world.shared.resource_id, 10)))
        assert Volume.objects.count() == 2

    @pytest.mark.parametrize("what", ["volumes", "network_interfaces"])
    def test_it_refuses_a_thing_named_twice(self, world: World, what: str) -> None:
        twice: Any = (VolumeReference(world.volume().resource_id),) * 2
        if what == "network_interfaces":
            twice = (NetworkInterfaceReference(world.network_interface().resource_id),) * 2
        with pytest.raises(InvalidArgument, match="named twice"):
            create(world, **{what: twice})

    def test_it_refuses_an_attached_volume_and_names_its_instance(self, world: World) -> None:
        other = world.instance()
        volume = other.volume_attachments.get().volume
        with pytest.raises(FailedPrecondition, match=other.name) as caught:
            create(world, volumes=(VolumeReference(volume.resource_id),))
        assert caught.value.reason == "VOLUME_ATTACHED"

    def test_it_refuses_an_attached_interface_and_names_its_instance(self, world: World) -> None:
        other = world.instance()
        interface = other.network_attachments.get().network_interface
        with pytest.raises(FailedPrecondition, match=other.name) as caught:
            create(world, network_interfaces=(NetworkInterfaceReference(interface.resource_id),))
        assert caught.value.reason == "NETWORK_INTERFACE_ATTACHED"

    def test_it_refuses_a_deleted_volume(self, world: World) -> None:
        volume = world.volume()
        delete_volume(
            actor=world.actor(),
            project_id=world.project.resource_id,
            volume_id=volume.resource_id,
        )
        with pytest.raises(FailedPrecondition) as caught:
            create(world, volumes=(VolumeReference(volume.resource_id),))
        assert caught.value.reason == "VOLUME_DELETED"

    def test_it_refuses_a_volume_and_an_interface_of_another_zone(self, world: World) -> None:
        volume = world.volume(availability_zone=world.other_zone)
        with pytest.raises(FailedPrecondition) as caught:
            create(world, volumes=(VolumeReference(volume.resource_id),))
        assert caught.value.reason == "ZONE_DIFFERS"
        inline = InlineNetworkInterface(world.other_zone_subnet.resource_id)
        with pytest.raises(FailedPrecondition) as caught:
            create(world, network_interfaces=(inline,))
        assert caught.value.reason == "ZONE_DIFFERS"
        assert not Instance.objects.exists()

    def test_what_another_project_has_looks_as_if_it_did_not_exist(self, world: World) -> None:
        foreign_volume = world.volume(project=world.other_project)
        foreign_interface = world.network_interface(
            subnet=SubnetFactory(vpc__project=world.other_project, availability_zone=world.zone)
        )
        cases: list[dict[str, Any]] = [
            {"volumes": (VolumeReference(foreign_volume.resource_id),)},
            {"network_interfaces": (NetworkInterfaceReference(foreign_interface.resource_id),)},
        ]
        for case in cases:
            with pytest.raises(InvalidArgument) as caught:
                create(world, **case)
            assert caught.value.violations[0].reason == "REFERENCE_NOT_FOUND"

    def test_it_refuses_a_used_address(self, world: World) -> None:
        used = world.network_interface()
        with pytest.raises(AlreadyExists):
            create(
                world,
                network_interfaces=(
                    InlineNetworkInterface(world.subnet.resource_id, used.ip_address),
                ),
            )
        assert not Instance.objects.exists()

    def test_it_refuses_a_type_that_is_not_placed_in_the_zone(self, world: World) -> None:
        with pytest.raises(FailedPrecondition, match=world.zone.resource_id) as caught:
            create(world, instance_type=world.unplaced.resource_id)
        assert caught.value.reason == "INSTANCE_TYPE_UNAVAILABLE"

    @pytest.mark.parametrize("state", ["Cordoned", "Draining", "Retired"])
    def test_it_refuses_a_cluster_that_takes_nothing_new(self, world: World, state: str) -> None:
        world.new.state = state
        world.new.save()
        with pytest.raises(FailedPrecondition) as caught:
            create(world, instance_type=world.new_small.resource_id)
        assert caught.value.reason == "INSTANCE_TYPE_UNAVAILABLE"
        assert world.new.resource_id not in caught.value.message

    def test_it_refuses_an_id_in_use(self, world: World) -> None:
        create(world)
        with pytest.raises(AlreadyExists, match="Choose another"):
            create(world)
        call(world, delete_instance, Instance.objects.get())
        with pytest.raises(AlreadyExists, match="being deleted"):
            create(world)

    def test_a_dry_run_keeps_nothing_and_shows_everything(self, world: World) -> None:
        written = create_instance(
            actor=world.actor(),
            project_id=world.project.resource_id,
            instance_id="web",
            data=instance_input(world),
            options=DRY,
        )
        assert written.resource is not None
        assert [a.volume.size_gib for a in written.resource.volume_attachments.all()] == [20]
        kept = (Instance, Volume, NetworkInterface, Operation, DueRow, AuditEntry)
        assert [model.objects.count() for model in kept] == [0] * len(kept)

    def test_the_same_request_id_gives_the_earlier_instance(self, world: World) -> None:
        options = WriteOptions(request_id=uuid4())
        made = [
            create_instance(
                actor=world.actor(),
                project_id=world.project.resource_id,
                data=instance_input(world),
                options=options,
            )
            for _ in range(2)
        ]
        assert made[0].operation == made[1].operation
        assert Instance.objects.count() == Volume.objects.count() == 1
        with pytest.raises(InvalidArgument):
            create_instance(
                actor=world.actor(),
                project_id=world.project.resource_id,
                data=instance_input(world, display_name="other"),
                options=options,
            )


class TestDelete:
    def test_it_marks_the_instance_and_leaves_the_rest(self, world: World) -> None:
        instance = world.instance(volumes=2)
        written = call(world, delete_instance, instance)
        instance.refresh_from_db()
        assert instance.delete_time is not None
        assert instance.generation == 2
        assert is_due("instance", instance)
        assert not written.operation.done
        assert Volume.objects.filter(delete_time__isnull=True).count() == 2
        assert NetworkInterface.objects.count() == 1

    def test_again_it_is_only_one_more_operation(self, world: World) -> None:
        instance = world.instance()
        call(world, delete_instance, instance)
        instance.refresh_from_db()
        first = instance.delete_time
        call(world, delete_instance, instance)
        instance.refresh_from_db()
        assert (instance.delete_time, instance.generation) == (first, 2)
        assert Operation.objects.filter(verb="delete", done=False).count() == 2

    def test_protection_is_respected_until_taken_off(self, world: World) -> None:
        instance = world.instance(deletion_protection=True)
        with pytest.raises(FailedPrecondition) as caught:
            call(world, delete_instance, instance)
        assert caught.value.reason == "DELETION_PROTECTED"
        call(world, update_instance, instance, changes=InstanceUpdate(deletion_protection=False))
        call(world, delete_instance, instance)
        instance.refresh_from_db()
        assert instance.delete_time is not None

    def test_it_ends_what_is_under_way(self, world: World) -> None:
        instance = create(world).resource
        assert instance is not None
        call(world, delete_instance, instance)
        assert superseded("create", instance)

    def test_a_viewer_may_not_and_a_stranger_sees_nothing(self, world: World) -> None:
        instance = world.instance()
        for actor, error in (
            (world.actor(Role.VIEWER), PermissionDenied),
            (Actor("users/stranger"), NotFound),
        ):
            with pytest.raises(error):
                delete_instance(
                    actor=actor,
                    project_id=world.project.resource_id,
                    instance_id=instance.resource_id,
                )
