"""Instances and volumes that are declared elsewhere: only from there are they changed."""

from collections.abc import Callable
from typing import Any

import pytest

from compute.models import Instance, Volume
from compute.services.instance_attachments import attach_volume, detach_volume
from compute.services.instance_power import (
    cancel_start,
    restart_instance,
    start_instance,
    stop_instance,
)
from compute.services.instances import (
    InlineNetworkInterface,
    InlineVolume,
    InstanceUpdate,
    create_instance,
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
from cycloud.core.aip.errors import Aborted, CycloudError, FailedPrecondition
from cycloud.core.aip.models import Operation
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.models import AuditEntry
from tests.compute.services.calls import call, instance_input
from tests.factories.compute import World

OBJECT = "namespaces/cycloud-p/instances/web-1"
VOLUME_OBJECT = "namespaces/cycloud-p/volumes/data"
FROM_THERE = WriteOptions(manager=OBJECT)

INSTANCE_VERBS: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "update": (update_instance, {"changes": InstanceUpdate(display_name="x")}, "RUNNING"),
    "delete": (delete_instance, {}, "RUNNING"),
    "start": (start_instance, {}, "STOPPED"),
    "start again": (start_instance, {}, "RUNNING"),
    "stop": (stop_instance, {}, "RUNNING"),
    "attach": (attach_volume, {"volume_id": "data"}, "STOPPED"),
    "detach": (detach_volume, {"volume_id": "more"}, "STOPPED"),
}
VOLUME_VERBS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "update": (update_volume, {"changes": VolumeUpdate(display_name="x")}),
    "grow": (grow_volume, {"size_gib": 20}),
    "delete": (delete_volume, {}),
}


def declared(world: World, state: str) -> Instance:
    """An instance that an object declares, with a second volume; a third one, ``data``, is free."""
    instance = world.instance(managed_by=OBJECT, desired_state=state)
    world.volume(resource_id="data", managed_by=VOLUME_OBJECT)
    more = world.volume(resource_id="more")
    instance.volume_attachments.create(volume=more, device_index=1)
    return instance


@pytest.mark.parametrize("verb", INSTANCE_VERBS)
def test_a_verb_on_an_instance_that_an_object_declares_is_refused_and_changes_nothing(
    world: World, verb: str
) -> None:
    function, arguments, state = INSTANCE_VERBS[verb]
    instance = declared(world, state)
    before = Instance.objects.values().get(pk=instance.pk)
    with pytest.raises(FailedPrecondition) as refused:
        call(world, function, instance, **arguments)
    assert refused.value.reason == "MANAGED_BY_KUBERNETES"
    assert refused.value.metadata == {"resource": instance.name, "manager": OBJECT}
    assert OBJECT in refused.value.message
    assert Instance.objects.values().get(pk=instance.pk) == before
    assert not Operation.objects.filter(target_uid=instance.uid).exists()


@pytest.mark.parametrize("verb", INSTANCE_VERBS)
def test_the_same_verb_from_that_object_is_done(world: World, verb: str) -> None:
    function, arguments, state = INSTANCE_VERBS[verb]
    instance = declared(world, state)
    written = call(world, function, instance, options=FROM_THERE, **arguments)
    assert written.operation.target_uid == instance.uid


def test_another_object_is_as_little_the_owner_as_the_api(world: World) -> None:
    instance = declared(world, "RUNNING")
    with pytest.raises(FailedPrecondition):
        call(world, stop_instance, instance, options=WriteOptions(manager=OBJECT + "-2"))


def test_a_restart_changes_no_declaration_so_everybody_may(world: World) -> None:
    instance = declared(world, "RUNNING")
    call(world, restart_instance, instance)
    instance.refresh_from_db()
    assert instance.run == 2


def test_a_start_that_an_object_asked_for_is_not_cancelled_by_the_api(world: World) -> None:
    instance = declared(world, "STOPPED")
    start = call(world, start_instance, instance, options=FROM_THERE).operation
    with pytest.raises(FailedPrecondition) as refused:
        cancel_start(actor=world.actor(), operation=start)
    assert refused.value.reason == "MANAGED_BY_KUBERNETES"
    start.refresh_from_db()
    instance.refresh_from_db()
    assert (start.done, instance.desired_state) == (False, "RUNNING")


def test_an_old_etag_is_told_before_who_owns_the_declaration(world: World) -> None:
    instance = declared(world, "RUNNING")
    with pytest.raises(Aborted):
        call(world, stop_instance, instance, options=WriteOptions(etag='"old"'))


def test_a_refusal_is_in_the_audit_log(world: World) -> None:
    instance = declared(world, "RUNNING")
    with pytest.raises(FailedPrecondition):
        call(world, stop_instance, instance)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.method, entry.reason) == ("StopInstance", "MANAGED_BY_KUBERNETES")


def test_a_volume_that_an_object_declares_is_attached_to_an_instance_of_the_api(
    world: World,
) -> None:
    instance = world.instance(desired_state="STOPPED")
    volume = world.volume(managed_by=VOLUME_OBJECT)
    call(world, attach_volume, instance, volume_id=volume.resource_id)
    call(world, detach_volume, instance, volume_id=volume.resource_id)
    volume.refresh_from_db()
    assert volume.managed_by == VOLUME_OBJECT


@pytest.mark.parametrize("verb", VOLUME_VERBS)
def test_a_verb_on_a_volume_that_an_object_declares_is_refused_and_changes_nothing(
    world: World, verb: str
) -> None:
    function, arguments = VOLUME_VERBS[verb]
    volume = world.volume(managed_by=VOLUME_OBJECT)
    before = Volume.objects.values().get(pk=volume.pk)
    with pytest.raises(CycloudError) as refused:
        _on_volume(world, function, volume, **arguments)
    assert refused.value.reason == "MANAGED_BY_KUBERNETES"
    assert Volume.objects.values().get(pk=volume.pk) == before


@pytest.mark.parametrize("verb", VOLUME_VERBS)
def test_the_same_verb_on_a_volume_from_its_object_is_done(world: World, verb: str) -> None:
    function, arguments = VOLUME_VERBS[verb]
    volume = world.volume(managed_by=VOLUME_OBJECT)
    options = WriteOptions(manager=VOLUME_OBJECT)
    written = _on_volume(world, function, volume, options=options, **arguments)
    assert written.operation.target_uid == volume.uid


def test_a_deleted_volume_has_no_object_any_more_so_the_api_may_bring_it_back(
    world: World,
) -> None:
    volume = world.volume(managed_by=VOLUME_OBJECT)
    _on_volume(world, delete_volume, volume, options=WriteOptions(manager=VOLUME_OBJECT))
    _on_volume(world, undelete_volume, volume)
    volume.refresh_from_db()
    assert (volume.delete_time, volume.managed_by) == (None, "")


def test_what_an_object_makes_is_marked_and_what_is_made_inside_it_is_the_apis(
    world: World,
) -> None:
    written = create_instance(
        actor=world.actor(),
        project_id=world.project.resource_id,
        instance_id="web-1",
        data=instance_input(
            world,
            volumes=(InlineVolume(world.shared.resource_id, 20, world.image.resource_id),),
            network_interfaces=(InlineNetworkInterface(world.subnet.resource_id),),
        ),
        options=FROM_THERE,
    )
    instance = written.resource
    assert instance is not None
    assert Instance.objects.get(pk=instance.pk).managed_by == OBJECT
    assert instance.volume_attachments.get().volume.managed_by == ""
    assert instance.network_attachments.get().network_interface.managed_by == ""


def test_a_volume_that_an_object_makes_is_marked(world: World) -> None:
    data = VolumeInput(world.shared.resource_id, world.zone.resource_id, 10)
    for name, options in (("a", WriteOptions()), ("b", WriteOptions(manager=VOLUME_OBJECT))):
        create_volume(
            actor=world.actor(),
            project_id=world.project.resource_id,
            volume_id=name,
            data=data,
            options=options,
        )
    managers = Volume.objects.order_by("resource_id").values_list("managed_by", flat=True)
    assert list(managers) == ["", VOLUME_OBJECT]


def _on_volume(world: World, function: Callable[..., Any], volume: Volume, **more: Any) -> Any:
    return function(
        actor=world.actor(),
        project_id=world.project.resource_id,
        volume_id=volume.resource_id,
        **more,
    )
