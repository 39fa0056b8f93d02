"""Objects of instances that were changed: all of it is done, or none."""

from typing import Any

import pytest

from compute.models import Instance
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.models import Operation
from tests.compute.kubernetes.objects import (
    KEY,
    Applied,
    attachments,
    fields,
    instance_object,
    interfaces,
    interfaces_of,
    managed,
    volumes_of,
    written,
)
from tests.factories.compute import World


class TestTakingAChangeIn:
    @pytest.fixture
    def applied(self, world: World) -> Applied:
        applied = instance_object(world)
        instance = world.instance(resource_id="web", volumes=2, user_data="old")
        managed(world, applied, instance)
        return applied

    @pytest.fixture
    def stopped(self, world: World, applied: Applied) -> Applied:
        Instance.objects.update(desired_state="STOPPED")
        return applied

    @pytest.mark.parametrize(
        ("changes", "column", "value"),
        [
            ({"displayName": "Web"}, "display_name", "Web"),
            ({"desiredState": "Stopped"}, "desired_state", "STOPPED"),
            ({"deletionProtection": True}, "deletion_protection", True),
            ({"sshPublicKeys": [KEY]}, "ssh_public_keys", [KEY]),
            ({"userData": "new"}, "user_data", "new"),
            ({"userData": ""}, "user_data", ""),
        ],
    )
    def test_what_differs_is_changed_in_one_operation(
        self, applied: Applied, changes: dict[str, Any], column: str, value: Any
    ) -> None:
        spec = applied.spec | changes
        assert not applied.kind.agrees(applied.manifest, spec)
        applied.take(spec)
        assert getattr(Instance.objects.get(), column) == value
        assert Operation.objects.count() == 1
        assert applied.kind.agrees(applied.manifest, spec)
        before = written()
        applied.take(spec)
        assert written() == before

    def test_missing_user_data_leaves_it_as_it_is(self, applied: Applied) -> None:
        spec = applied.spec
        assert applied.kind.agrees(applied.manifest, spec)
        applied.take(spec | {"displayName": "x"})
        assert Instance.objects.get().user_data == "old"

    def test_a_field_that_is_left_out_gets_its_default(self, applied: Applied) -> None:
        applied.take(applied.spec | {"displayName": "x", "sshPublicKeys": [KEY]})
        needed = {"instanceType", "availabilityZone", "volumeAttachments"}
        needed.add("networkInterfaceAttachments")
        spec = {key: value for key, value in applied.spec.items() if key in needed}
        assert not applied.kind.agrees(applied.manifest, spec)
        applied.take(spec)
        instance = Instance.objects.get()
        assert (instance.display_name, instance.ssh_public_keys) == ("", [])

    def test_labels_are_those_of_the_object(self, applied: Applied) -> None:
        applied.take(applied.spec, labels={"a": "b", "app.kubernetes.io/name": "web"})
        assert Instance.objects.get().labels == {"a": "b", "app.kubernetes.io/name": "web"}
        applied.take(applied.spec, annotations={"kubectl.kubernetes.io/x": "y"})
        instance = Instance.objects.get()
        assert (instance.labels, instance.annotations) == ({}, {})

    def test_a_type_is_changed_while_it_runs_and_touches_nothing(
        self, world: World, applied: Applied
    ) -> None:
        applied.take(applied.spec | {"instanceType": world.new_small.resource_id})
        instance = Instance.objects.get()
        assert instance.instance_type == world.new_small
        assert (instance.run_instance_type, instance.run) == (world.small, 1)

    def test_type_and_stop_and_then_running_move_it(self, world: World, applied: Applied) -> None:
        moved = applied.spec | {"instanceType": world.new_small.resource_id}
        applied.take(moved | {"desiredState": "Stopped"})
        assert Instance.objects.get().run == 1
        applied.take(moved)
        instance = Instance.objects.get()
        assert (instance.run_instance_type, instance.run) == (world.new_small, 2)

    def test_volumes_of_a_running_instance_stay(self, world: World, applied: Applied) -> None:
        root, data = volumes_of()
        more = world.volume().resource_id
        before = written()
        for names, field in (
            ((root, data, more), "spec.volumeAttachments[2].volumeName"),
            ((root,), "spec.volumeAttachments"),
        ):
            spec = applied.spec | {
                "volumeAttachments": attachments(*names),
                "displayName": "not even this",
            }
            error = applied.refusal(spec)
            assert (error.reason, fields(error)) == ("INSTANCE_NOT_STOPPED", [field])
        assert written() == before

    def test_network_interfaces_of_a_running_instance_stay(
        self, world: World, applied: Applied
    ) -> None:
        spec = applied.spec
        spec["networkInterfaceAttachments"] = interfaces(world.network_interface().resource_id)
        error = applied.refusal(spec)
        assert (error.reason, fields(error)) == (
            "INSTANCE_NOT_STOPPED",
            ["spec.networkInterfaceAttachments"],
        )

    def test_stop_and_all_parts_at_once(self, world: World, applied: Applied) -> None:
        root, _ = volumes_of()
        more, nic = world.volume().resource_id, world.network_interface().resource_id
        spec = applied.spec | {
            "desiredState": "Stopped",
            "instanceType": world.medium.resource_id,
            "volumeAttachments": attachments(root, more),
            "networkInterfaceAttachments": interfaces(nic),
        }
        applied.take(spec)
        assert (volumes_of(), interfaces_of()) == ([root, more], [nic])
        assert Instance.objects.get().instance_type == world.medium
        assert applied.kind.agrees(applied.manifest, spec)

    def test_start_with_all_parts_at_once(self, world: World, stopped: Applied) -> None:
        root, _ = volumes_of()
        more, nic = world.volume().resource_id, world.network_interface().resource_id
        spec = stopped.spec | {
            "desiredState": "Running",
            "instanceType": world.new_small.resource_id,
            "volumeAttachments": attachments(root, more),
            "networkInterfaceAttachments": interfaces(nic),
        }
        stopped.take(spec)
        instance = Instance.objects.get()
        assert (volumes_of(), interfaces_of()) == ([root, more], [nic])
        assert (instance.run_instance_type, instance.run) == (world.new_small, 2)
        assert stopped.kind.agrees(stopped.manifest, spec)

    def test_the_volume_that_blocks_a_type_goes_first(self, world: World, stopped: Applied) -> None:
        instance = Instance.objects.get()
        blocking = instance.volume_attachments.get(device_index=1).volume
        blocking.volume_type = world.old_only
        blocking.save()
        root, _ = volumes_of()
        spec = stopped.spec | {"instanceType": world.new_small.resource_id}
        error = stopped.refusal(spec)
        assert (error.reason, fields(error)) == ("MOVE_BLOCKED", ["spec.instanceType"])
        stopped.take(spec | {"volumeAttachments": attachments(root), "desiredState": "Running"})
        assert Instance.objects.get().run_instance_type == world.new_small

    def test_a_volume_that_only_the_new_type_can_use_comes_last(
        self, world: World, stopped: Applied
    ) -> None:
        root, _ = volumes_of()
        there = world.volume(volume_type=world.local, data_in=world.new, provider_type="local-new")
        spec = stopped.spec | {"volumeAttachments": attachments(root, there.resource_id)}
        assert stopped.refusal(spec).reason == "MOVE_BLOCKED"
        assert len(volumes_of()) == 2
        stopped.take(spec | {"instanceType": world.new_small.resource_id})
        assert volumes_of() == [root, there.resource_id]

    def test_what_is_refused_at_the_last_step_undoes_the_first(
        self, world: World, applied: Applied
    ) -> None:
        root, data = volumes_of()
        spec = applied.spec | {
            "desiredState": "Stopped",
            "displayName": "x",
            "volumeAttachments": attachments(root, "nothing"),
        }
        before = written()
        assert fields(applied.refusal(spec)) == ["spec.volumeAttachments[1].volumeName"]
        assert written() == before
        assert (volumes_of(), Instance.objects.get().desired_state) == ([root, data], "RUNNING")

    def test_a_volume_can_come_between_two_others(self, world: World, stopped: Applied) -> None:
        root, data = volumes_of()
        more = world.volume().resource_id
        spec = stopped.spec | {"volumeAttachments": attachments(root, more, data)}
        stopped.take(spec)
        assert volumes_of() == [root, more, data]
        assert stopped.kind.agrees(stopped.manifest, spec)

    def test_the_root_volume_stays(self, world: World, stopped: Applied) -> None:
        root, data = volumes_of()
        error = stopped.refusal(stopped.spec | {"volumeAttachments": attachments(data, root)})
        assert (error.reason, fields(error)) == (
            "ROOT_VOLUME",
            ["spec.volumeAttachments[0].volumeName"],
        )

    def test_the_zone_stays(self, world: World, applied: Applied) -> None:
        spec = applied.spec | {"availabilityZone": world.other_zone.resource_id}
        error = applied.refusal(spec)
        assert isinstance(error, InvalidArgument)
        assert fields(error) == ["spec.availabilityZone"]

    def test_lists_are_compared_by_index_and_not_by_place(
        self, world: World, applied: Applied
    ) -> None:
        spec = applied.spec
        spec["volumeAttachments"].reverse()
        assert applied.kind.agrees(applied.manifest, spec)
        before = written()
        applied.take(spec)
        assert written() == before

    def test_gaps_between_indexes_mean_nothing(self, applied: Applied) -> None:
        spec = applied.spec
        spec["volumeAttachments"][1]["deviceIndex"] = 9
        assert applied.kind.agrees(applied.manifest, spec)

    @pytest.mark.parametrize("spec", [{}, {"volumeAttachments": "x"}])
    def test_what_cannot_be_read_does_not_agree(self, applied: Applied, spec: Any) -> None:
        assert not applied.kind.agrees(applied.manifest, spec)
