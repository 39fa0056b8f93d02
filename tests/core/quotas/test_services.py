"""What counts against a quota, and that nothing is kept of a write that would overrun one."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compute.models import Instance, Volume, VolumeAttachment
from compute.services.instance_power import start_instance
from compute.services.instances import (
    InlineNetworkInterface,
    InlineVolume,
    InstanceUpdate,
    VolumeReference,
    delete_instance,
    update_instance,
)
from compute.services.volumes import (
    VolumeInput,
    VolumeUpdate,
    create_volume,
    delete_volume,
    grow_volume,
    undelete_volume,
    update_volume,
)
from cycloud.core.aip.errors import (
    AlreadyExists,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
)
from cycloud.core.aip.models import Operation
from cycloud.core.clock import now, use_clock
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import AuditEntry
from cycloud.core.quotas.models import ProjectQuota
from cycloud.core.quotas.quota import UNLIMITED
from cycloud.core.quotas.registry import quota_resources
from cycloud.core.quotas.services import set_quota_limit
from networking.models import NetworkInterface
from networking.services.network_interfaces import (
    delete_network_interface,
)
from tests.compute.services.calls import DRY, call, create
from tests.core.quotas.calls import change, limit, make_interface, make_volume, resize, usage
from tests.factories.compute import World
from tests.factories.iam import OPERATOR


def everything() -> list[Any]:
    models = (Instance, Volume, NetworkInterface, VolumeAttachment, Operation)
    rows = [list(model._default_manager.order_by("pk").values()) for model in models]
    # what was refused is in the log too
    return [*rows, AuditEntry.objects.filter(outcome="OK").count()]


def refused(write: Callable[[], object]) -> ResourceExhausted:
    """Run a write that is to be refused, and make sure that it left nothing behind."""
    before = everything()
    with pytest.raises(ResourceExhausted) as caught:
        write()
    assert caught.value.reason == "QUOTA_EXCEEDED"
    assert everything() == before
    return caught.value


def test_everything_that_is_declared_counts(world: World) -> None:
    assert usage(world) == dict.fromkeys(
        ("instances", "vcpus", "memory", "volumes", "storage", "addresses"), 0
    )
    create(world, "one")
    create(world, "two", desired_state="STOPPED", volumes=(
        InlineVolume(world.shared.resource_id, 30, world.image.resource_id),
        InlineVolume(world.shared.resource_id, 10),
    ))  # fmt: skip
    make_volume(world, 40)
    make_interface(world)
    assert usage(world) == {
        "instances": 2,
        "vcpus": 4,
        "memory": 8192,
        "volumes": 4,
        "storage": 100,
        "addresses": 3,
    }


def test_another_project_does_not_count(world: World) -> None:
    world.volume(project=world.other_project)
    assert set(usage(world).values()) == {0}


@pytest.mark.parametrize(
    ("quota", "most", "in_use", "requested"),
    [
        ("instances", 1, 1, 1),
        ("vcpus", 3, 2, 2),
        ("memory", 8191, 4096, 4096),
        ("volumes", 1, 1, 1),
        ("storage", 39, 20, 20),
        ("addresses", 1, 1, 1),
    ],
)
def test_an_instance_that_overruns_a_quota_is_refused(
    world: World, quota: str, most: int, in_use: int, requested: int
) -> None:
    create(world, "one")
    limit(world, **{quota: most})
    error = refused(lambda: create(world, "two"))
    name = f"{world.project.name}/quotas/{quota}"
    assert error.metadata == {
        "quota": name,
        "limit": str(most),
        "usage": str(in_use),
        "requested": str(requested),
    }
    [violation] = error.quota_violations
    assert violation.subject == name
    label = quota_resources()[quota].label
    # "1 instance", "2 vCPUs"
    label = label if requested > 1 else label.removesuffix("es" if quota == "addresses" else "s")
    assert label in violation.description and label in error.message
    assert f"{in_use} of {most}" in violation.description
    # one more fits again with room for it
    limit(world, **{quota: in_use + requested})
    create(world, "two")
    assert usage(world)[quota] == in_use + requested


def test_all_quotas_that_are_too_small_are_named(world: World) -> None:
    limit(world, instances=0, memory=100)
    error = refused(lambda: create(world))
    assert [v.subject.rpartition("/")[2] for v in error.quota_violations] == ["instances", "memory"]
    assert "1 instance (" in error.message and "4096 MiB of memory" in error.message


def test_inline_parts_are_counted_together(world: World) -> None:
    limit(world, volumes=2, addresses=1)
    volumes = tuple(
        InlineVolume(world.shared.resource_id, 20, world.image.resource_id) for _ in range(3)
    )
    error = refused(lambda: create(world, volumes=volumes))
    assert (error.metadata["usage"], error.metadata["requested"]) == ("0", "3")
    interfaces = (InlineNetworkInterface(world.subnet.resource_id),) * 2
    error = refused(lambda: create(world, network_interfaces=interfaces))
    assert error.metadata["quota"].endswith("/addresses")
    create(world, volumes=volumes[:2])
    assert usage(world)["volumes"] == 2


def test_what_exists_already_is_not_counted_again(world: World) -> None:
    volume = make_volume(world).resource
    assert volume is not None
    limit(world, volumes=1, storage=20)
    create(world, volumes=(VolumeReference(volume.resource_id),))


def test_a_dry_run_gets_the_same_refusal(world: World) -> None:
    limit(world, volumes=0)
    plain = refused(partial(make_volume, world))
    dry = refused(partial(make_volume, world, options=DRY))
    assert (plain.message, plain.metadata) == (dry.message, dry.metadata)


def test_a_name_that_is_taken_is_told_before_the_quota(world: World) -> None:
    create(world, "one")
    limit(world, instances=1)
    with pytest.raises(AlreadyExists):
        create(world, "one")


class TestInstanceType:
    @pytest.fixture
    def instance(self, world: World) -> Instance:
        world.medium.vcpus, world.medium.memory_mib = 8, 16384
        world.medium.save()
        return world.instance()

    def test_a_larger_type_needs_room_for_the_difference(
        self, world: World, instance: Instance
    ) -> None:
        limit(world, vcpus=7)
        error = refused(lambda: resize(world, instance, world.medium))
        assert error.metadata["requested"] == "6"
        assert error.metadata["usage"] == "2"
        limit(world, vcpus=8, memory=16384)
        resize(world, instance, world.medium)
        assert usage(world)["vcpus"] == 8
        assert usage(world)["memory"] == 16384

    def test_the_larger_of_both_types_counts_until_the_next_start(
        self, world: World, instance: Instance
    ) -> None:
        Instance.objects.update(instance_type=world.medium, run_instance_type=world.medium)
        resize(world, instance, world.small)
        assert usage(world)["vcpus"] == 8
        # back to the type that still runs needs nothing
        limit(world, vcpus=0)
        resize(world, instance, world.medium)
        resize(world, instance, world.small)
        Instance.objects.update(desired_state="STOPPED")
        assert usage(world)["vcpus"] == 8
        call(world, start_instance, instance)
        assert usage(world)["vcpus"] == 2

    def test_other_changes_ask_for_no_quota(self, world: World, instance: Instance) -> None:
        limit(world, vcpus=0, instances=0, addresses=0)
        changes = InstanceUpdate(display_name="x", instance_type=world.small.resource_id)
        call(world, update_instance, instance, changes=changes)

    def test_an_interface_that_is_added_needs_an_address(
        self, world: World, instance: Instance
    ) -> None:
        Instance.objects.update(desired_state="STOPPED")
        limit(world, addresses=1)
        changes = InstanceUpdate(
            network_interfaces=(InlineNetworkInterface(world.subnet.resource_id),)
        )
        error = refused(lambda: call(world, update_instance, instance, changes=changes))
        assert error.metadata["quota"].endswith("/addresses")

    def test_an_instance_counts_until_it_is_gone(self, world: World, instance: Instance) -> None:
        call(world, delete_instance, instance)
        assert usage(world)["instances"] == 1
        Instance.objects.all().delete()
        assert usage(world)["instances"] == 0


class TestVolume:
    @pytest.mark.parametrize("verb", ["grow", "update"])
    def test_growing_needs_room_for_the_difference(self, world: World, verb: str) -> None:
        volume = world.volume(size_gib=20)

        def grow(size: int) -> None:
            if verb == "grow":
                change(world, grow_volume, volume, size_gib=size)
            else:
                change(world, update_volume, volume, changes=VolumeUpdate(size_gib=size))

        limit(world, storage=50)
        error = refused(lambda: grow(60))
        assert (error.metadata["usage"], error.metadata["requested"]) == ("20", "40")
        grow(50)
        assert usage(world)["storage"] == 50
        # its own size needs nothing
        limit(world, storage=0)
        grow(50)

    def test_a_deleted_volume_is_storage_but_no_volume(self, world: World) -> None:
        volume = world.volume(size_gib=20)
        change(world, delete_volume, volume)
        assert (usage(world)["volumes"], usage(world)["storage"]) == (0, 20)
        limit(world, storage=39)
        assert refused(lambda: make_volume(world)).metadata["usage"] == "20"

    def test_undelete_needs_room_for_a_volume_and_none_for_its_bytes(self, world: World) -> None:
        volume = world.volume(size_gib=20)
        change(world, delete_volume, volume)
        limit(world, volumes=0, storage=0)
        error = refused(lambda: change(world, undelete_volume, volume))
        assert error.metadata["quota"].endswith("/volumes")
        limit(world, volumes=1)
        change(world, undelete_volume, volume)
        assert usage(world)["volumes"] == 1

    def test_a_purge_that_is_over_is_told_before_the_quota(self, world: World) -> None:
        volume = world.volume()
        change(world, delete_volume, volume)
        limit(world, volumes=0)
        late = now() + timedelta(days=30)
        with use_clock(lambda: late), pytest.raises(Exception, match="is over"):
            change(world, undelete_volume, volume)


def test_an_address_that_is_freed_can_be_had_again(world: World) -> None:
    limit(world, addresses=1)
    interface = make_interface(world).resource
    assert interface is not None
    refused(lambda: make_interface(world))
    delete_network_interface(
        actor=world.actor(),
        project_id=world.project.resource_id,
        network_interface_id=interface.resource_id,
    )
    make_interface(world)


def test_a_limit_below_the_usage_only_stops_growth(world: World) -> None:
    written = create(world)
    assert written.resource is not None
    limit(world, **dict.fromkeys(quota_resources(), 0))
    call(world, update_instance, written.resource, changes=InstanceUpdate(display_name="x"))
    call(world, delete_instance, written.resource)
    refused(lambda: make_interface(world))


def test_nothing_is_counted_where_there_is_no_limit(world: World) -> None:
    limit(world, **dict.fromkeys(quota_resources(), UNLIMITED))
    with CaptureQueriesContext(connection) as queries:
        create(world)
    assert not [q for q in queries if "COUNT(" in q["sql"] or "SUM(" in q["sql"]]


def test_counting_takes_the_same_queries_for_any_number_of_rows(world: World) -> None:
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            usage(world)
        counts.append(len(queries))
        for kind in (world.small, world.medium, world.new_small):
            world.instance(instance_type=kind, volumes=2)
    assert counts[0] >= counts[1] - 1 and counts[1] <= 6


class TestLimits:
    def test_the_default_holds_until_operators_set_another(
        self, world: World, settings: Any
    ) -> None:
        settings.CYCLOUD_DEFAULT_QUOTAS = {**settings.CYCLOUD_DEFAULT_QUOTAS, "volumes": 0}
        refused(lambda: make_volume(world))
        limit(world, volumes=1)
        make_volume(world)
        limit(world, volumes=None)
        assert not ProjectQuota.objects.exists()
        refused(lambda: make_volume(world))

    def test_a_limit_is_the_projects_own(self, world: World) -> None:
        limit(world, volumes=0)
        data = VolumeInput(world.shared.resource_id, world.zone.resource_id, 20)
        create_volume(actor=OPERATOR, project_id=world.other_project.resource_id, data=data)

    def test_a_change_is_audited(self, world: World) -> None:
        limit(world, volumes=7)
        entry = AuditEntry.objects.get(method="UpdateQuota")
        assert entry.resource_name == f"{world.project.name}/quotas/volumes"
        assert entry.detail == {"limit": 7}

    @pytest.mark.parametrize("value", [-1, UNLIMITED + 1])
    def test_a_limit_out_of_range_is_refused(self, world: World, value: int) -> None:
        with pytest.raises(InvalidArgument) as caught:
            limit(world, volumes=value)
        assert caught.value.violations[0].field == "limit"

    def test_an_unknown_quota_is_not_there(self, world: World) -> None:
        with pytest.raises(NotFound, match="addresses, instances"):
            limit(world, gpus=1)

    @pytest.mark.parametrize("role", list(Role))
    def test_members_cannot_change_limits(self, world: World, role: Role) -> None:
        with pytest.raises(PermissionDenied):
            set_quota_limit(
                actor=world.actor(role),
                project_id=world.project.resource_id,
                quota_id="volumes",
                limit=1,
            )
        assert not ProjectQuota.objects.exists()
