"""What could keep an instance from running as its declared type."""

from typing import Any

import pytest

from compute.models import Instance, OpenStackInstance, VolumeAttachment
from compute.services.preflight import check_placement, check_volume_placement
from cycloud.core.aip.errors import FailedPrecondition
from tests.factories.compute import World


def moving(world: World, *volumes: dict[str, Any], **fields: Any) -> Instance:
    """An instance in the old cluster whose declared type is in the new one, with these volumes."""
    instance = world.instance(
        **{
            "volumes": 0,
            "instance_type": world.new_small,
            "run_instance_type": world.small,
            **fields,
        }
    )
    for index, volume in enumerate(volumes):
        VolumeAttachment.objects.create(
            instance=instance, volume=world.volume(**volume), device_index=index
        )
    return instance


def refusal(instance: Instance) -> FailedPrecondition:
    with pytest.raises(FailedPrecondition) as caught:
        check_placement(instance)
    return caught.value


def test_a_move_over_one_storage_is_not_refused(world: World) -> None:
    check_placement(moving(world, {}, {"size_gib": 100}))


@pytest.mark.parametrize("blocker", ["snapshots", "encrypted", "group", "migrating", "unheard-of"])
def test_a_blocked_volume_is_named(world: World, blocker: str) -> None:
    instance = moving(world, {}, {"blockers": [blocker]})
    volume = instance.volume_attachments.get(device_index=1).volume
    error = refusal(instance)
    assert error.reason == "MOVE_BLOCKED"
    assert volume.name in error.message
    assert error.metadata["cause"] == "VOLUME_BLOCKED"
    assert error.metadata["volumes"] == volume.name


def test_all_blocked_volumes_are_named_at_once(world: World) -> None:
    instance = moving(world, {"blockers": ["snapshots"]}, {"blockers": ["group", "encrypted"]})
    names = [row.volume.name for row in instance.volume_attachments.all()]
    error = refusal(instance)
    assert error.metadata["volumes"].split(",") == names
    assert [violation.field for violation in error.violations] == ["instance_type"] * 2


def test_another_storage_is_refused_and_never_copied(world: World) -> None:
    instance = moving(world, {"volume_type": world.local, "provider_type": "local-old"})
    error = refusal(instance)
    assert error.metadata["cause"] == "STORAGE_DIFFERS"
    assert "never copied" in error.message


def test_a_volume_type_that_the_target_lacks_is_refused(world: World) -> None:
    instance = moving(world, {"volume_type": world.old_only})
    assert refusal(instance).metadata["cause"] == "VOLUME_TYPE_UNAVAILABLE"


@pytest.mark.parametrize(
    "fields",
    [
        {"volume_type": "local", "provider_type": "local-new", "data_in": "new"},
        {"blockers": ["snapshots"], "data_in": "new"},
        {"data_in": None},
    ],
)
def test_a_volume_that_is_there_already_or_has_no_data_yet_is_not_in_the_way(
    world: World, fields: dict[str, Any]
) -> None:
    data_in = fields["data_in"]
    changes = {**fields, "data_in": world.new if data_in else None}
    if "volume_type" in fields:
        changes["volume_type"] = world.local
    check_placement(moving(world, changes))


def test_a_type_without_a_placement_in_the_zone_is_refused(world: World) -> None:
    error = refusal(moving(world, instance_type=world.unplaced))
    assert error.reason == "INSTANCE_TYPE_UNAVAILABLE"
    assert world.zone.resource_id in error.message


@pytest.mark.parametrize(
    ("state", "comes_from_elsewhere", "refused"),
    [
        ("Active", True, False),
        ("Active", False, False),
        ("Cordoned", True, True),
        ("Cordoned", False, False),
        ("Draining", True, True),
        ("Draining", False, False),
        ("Retired", True, True),
        ("Retired", False, True),
    ],
)
def test_only_what_is_there_stays_in_a_cluster_that_is_not_active(
    world: World, state: str, *, comes_from_elsewhere: bool, refused: bool
) -> None:
    instance = moving(world)
    world.new.state = state
    world.new.save()
    if not comes_from_elsewhere:
        OpenStackInstance.objects.update(cluster=world.new)
    if refused:
        error = refusal(instance)
        assert error.reason == "INSTANCE_TYPE_UNAVAILABLE"
        assert "not available in zone" in error.message
    else:
        check_placement(instance)


def test_going_back_to_where_the_server_still_is_works_although_it_is_cordoned(
    world: World,
) -> None:
    instance = moving(world, instance_type=world.small)
    OpenStackInstance.objects.update(cluster=world.new, server_cluster=world.old)
    world.old.state = "Cordoned"
    world.old.save()
    check_placement(instance)


def test_no_refusal_names_a_cluster_or_a_storage(world: World) -> None:
    cases = [
        moving(world, {"blockers": ["snapshots"]}),
        moving(world, {"volume_type": world.local, "provider_type": "local-old"}),
        moving(world, {"volume_type": world.old_only}),
        moving(world, instance_type=world.unplaced),
    ]
    for instance in cases:
        error = refusal(instance)
        texts = [
            error.message,
            *error.metadata.values(),
            *(v.description for v in error.violations),
        ]
        for secret in ("secret-cluster", "kvm-", "local-old", "local-new", "cinder-"):
            assert not any(secret in text for text in texts)


def test_the_number_of_queries_does_not_grow_with_the_volumes(
    world: World, django_assert_num_queries: Any
) -> None:
    for count in (1, 5):
        instance = moving(world, *[{}] * count)
        instance = Instance.objects.select_related(
            "instance_type", "availability_zone", "project"
        ).get(pk=instance.pk)
        # placement, attachments, placement of the one volume type, bindings with provider volumes
        with django_assert_num_queries(4):
            check_placement(instance)


def test_one_volume_is_checked_for_where_the_instance_will_run(world: World) -> None:
    instance = moving(world, {"blockers": ["snapshots"]})
    check_volume_placement(instance, world.volume())
    with pytest.raises(FailedPrecondition):
        check_volume_placement(instance, world.volume(volume_type=world.old_only))
