"""The timeline of a resource."""

from typing import Any

from compute.models import Instance
from compute.selectors.timelines import list_timeline
from compute.services.instance_power import start_instance, stop_instance
from compute.services.instances import InstanceUpdate, update_instance
from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.iam.access import audit_refusal
from tests.compute.services.calls import call
from tests.factories.compute import World


def test_operations_and_audit_rows_are_told_newest_first(
    world: World, django_assert_num_queries: Any
) -> None:
    instance, other = world.instance(), world.instance()
    call(world, stop_instance, instance)
    call(world, start_instance, instance)
    call(world, stop_instance, other)
    with django_assert_num_queries(2):
        entries = list_timeline(instance)
    assert [(e.kind, e.what) for e in entries] == [
        ("audit", "StartInstance"),
        ("operation", "start"),
        ("audit", "StopInstance"),
        ("operation", "stop"),
    ]
    assert entries[0].who == "users/editor"
    assert not entries[1].done
    stopped = entries[3]
    assert stopped.done
    assert stopped.failed
    assert "later start" in stopped.message


def test_what_was_refused_is_left_out(world: World) -> None:
    instance = world.instance()
    audit_refusal(world.actor(), "StartInstance", instance.name, FailedPrecondition("no"))
    assert list_timeline(instance) == []


def test_it_is_bounded(world: World) -> None:
    instance = world.instance()
    for number in range(4):
        changes = InstanceUpdate(display_name=str(number))
        call(world, update_instance, instance, changes=changes)
    assert len(list_timeline(instance, limit=3)) == 3


def test_what_an_earlier_resource_of_the_name_went_through_is_left_out(world: World) -> None:
    first = world.instance(resource_id="web")
    call(world, stop_instance, first)
    Instance.objects.all().delete()
    assert list_timeline(world.instance(resource_id="web")) == []
