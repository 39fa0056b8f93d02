"""Reading instances and volumes: who sees what, in how many queries."""

from typing import Any

import pytest

from compute.models import Instance, Volume
from compute.selectors.instances import get_instance, instance_by_uid, list_instances
from compute.selectors.volumes import (
    attached_instance,
    get_volume,
    list_volumes,
    state_of_volume,
    volume_by_uid,
)
from compute.services.volumes import delete_volume
from cycloud.core.aip.errors import NotFound
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status
from cycloud.core.iam.actor import Actor, Role
from tests.factories.compute import World


def show(instance: Instance) -> tuple[Any, ...]:
    """Read all that a page shows."""
    return (
        instance.name,
        instance.instance_type.name,
        instance.run_instance_type.name,
        instance.availability_zone.name,
        [(row.volume.name, row.volume.volume_type.name) for row in volumes_of(instance)],
        [row.network_interface.ip_address for row in instance.network_attachments.all()],
    )


def volumes_of(instance: Instance) -> list[Any]:
    rows = list(instance.volume_attachments.all())
    for row in rows:
        row.volume.project = instance.project
    return rows


@pytest.mark.parametrize("count", [1, 6])
def test_a_list_of_instances_takes_four_queries_whatever_its_length(
    world: World, django_assert_num_queries: Any, count: int
) -> None:
    for _ in range(count):
        world.instance(volumes=3)
    with django_assert_num_queries(4):
        found = list_instances(actor=world.actor(Role.VIEWER), project_id=world.project.resource_id)
        assert len([show(instance) for instance in found]) == count


@pytest.mark.parametrize("count", [1, 6])
def test_a_list_of_volumes_takes_two_queries_whatever_its_length(
    world: World, django_assert_num_queries: Any, count: int
) -> None:
    world.instance(volumes=count)
    with django_assert_num_queries(2):
        found = list_volumes(actor=world.actor(Role.VIEWER), project_id=world.project.resource_id)
        shown = []
        for volume in found:
            instance = attached_instance(volume)
            assert instance is not None
            shown.append((volume.name, volume.image, instance.name, state_of_volume(volume)))
        assert len(shown) == count


def test_one_project_sees_nothing_of_another(world: World) -> None:
    mine, theirs = world.instance(), world.instance(project=world.other_project)
    foreign_volume = world.volume(project=world.other_project)
    actor, project_id = world.actor(), world.project.resource_id
    assert list(list_instances(actor=actor, project_id=project_id)) == [mine]
    assert foreign_volume not in list_volumes(actor=actor, project_id=project_id)
    with pytest.raises(NotFound):
        get_instance(actor=actor, project_id=project_id, instance_id=theirs.resource_id)
    with pytest.raises(NotFound):
        get_volume(actor=actor, project_id=project_id, volume_id=foreign_volume.resource_id)


def test_a_foreign_project_is_told_in_the_words_for_one_that_does_not_exist(world: World) -> None:
    texts = []
    for project_id in (world.other_project.resource_id, "never-there"):
        with pytest.raises(NotFound) as caught:
            list_instances(actor=world.actor(), project_id=project_id)
        texts.append(caught.value.message.replace(project_id, "P"))
    assert texts[0] == texts[1]


def test_an_operator_sees_every_project(world: World) -> None:
    instance = world.instance()
    operator = Actor("users/operator", is_operator=True)
    found = get_instance(
        actor=operator,
        project_id=world.project.resource_id,
        instance_id=instance.resource_id,
    )
    assert found == instance


def test_deleted_volumes_are_listed_only_where_asked_for(world: World) -> None:
    kept, deleted = world.volume(), world.volume()
    actor, project_id = world.actor(), world.project.resource_id
    delete_volume(actor=actor, project_id=project_id, volume_id=deleted.resource_id)
    assert list(list_volumes(actor=actor, project_id=project_id)) == [kept]
    everything = list_volumes(actor=actor, project_id=project_id, show_deleted=True)
    assert list(everything) == [deleted, kept]
    assert get_volume(actor=actor, project_id=project_id, volume_id=deleted.resource_id) == deleted


def test_what_is_gone_is_not_found_by_uid(world: World) -> None:
    instance, volume = world.instance(), world.volume()
    assert (instance_by_uid(instance.uid), volume_by_uid(volume.uid)) == (instance, volume)
    assert (instance_by_uid(volume.uid), volume_by_uid(instance.uid)) == (None, None)


class TestStateOfVolume:
    def settle(self, volume: Volume, status: Status, *, terminal: bool = False) -> Volume:
        condition = Condition(READY, status, "X", observed_generation=1, terminal=terminal)
        volume.publish([condition], now())
        found = volume_by_uid(volume.uid)
        assert found is not None
        return found

    def test_it_says_what_the_controllers_have_seen(self, world: World) -> None:
        assert state_of_volume(world.volume()) == "PENDING"
        assert state_of_volume(self.settle(world.volume(), Status.FALSE)) == "PENDING"
        assert state_of_volume(self.settle(world.volume(), Status.TRUE)) == "AVAILABLE"
        failed = self.settle(world.volume(), Status.FALSE, terminal=True)
        assert state_of_volume(failed) == "ERROR"

    def test_an_attached_and_a_deleted_one_say_so(self, world: World) -> None:
        attached = world.instance().volume_attachments.get().volume
        assert state_of_volume(self.settle(attached, Status.TRUE)) == "IN_USE"
        volume = world.volume()
        volume.delete_time = now()
        assert state_of_volume(volume) == "DELETED"
