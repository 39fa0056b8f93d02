"""The stories that are cut off: what is there before, and what the user does, one step after another."""

from collections.abc import Callable
from dataclasses import dataclass

from compute.models import Instance, Volume
from compute.services.instance_attachments import attach_volume, detach_volume
from compute.services.instance_input import (
    InlineNetworkInterface,
    InlineVolume,
    InstanceUpdate,
    VolumeReference,
)
from compute.services.instance_power import restart_instance, start_instance, stop_instance
from compute.services.instances import delete_instance, update_instance
from compute.services.volume_input import VolumeInput, VolumeUpdate
from compute.services.volumes import create_volume, delete_volume, undelete_volume, update_volume
from cycloud.embedded.seed_catalog import IMAGE, SHORT_VOLUME_TYPE, VOLUME_TYPE, ZONE
from tests.crash.world import World
from tests.support.clouds import PROJECT

Step = Callable[[World], None]
WEB = "web-1"
DATA = "web-1-data"
EXTRA = "extra"


@dataclass(frozen=True)
class Story:
    """``turn_back``: what the user does at once, while the worker is dead, instead of the rest of the steps.

    ``ignored``: what of the end state that depends on how far the story had come.
    """

    name: str
    prepare: Step
    steps: tuple[Step, ...]
    turn_back: tuple[Step, ...] = ()
    ignored: frozenset[str] = frozenset()


# -- what is there before


def _nothing(world: World) -> None:
    """A project with a subnet, which every world has."""


def _running(world: World, *, volume_type: str = VOLUME_TYPE) -> None:
    """An instance that runs in a, with bytes in its two volumes."""
    volumes = (
        InlineVolume(volume_type, 10, image=IMAGE, volume_id=f"{WEB}-root"),
        InlineVolume(volume_type, 20, volume_id=DATA),
    )
    instance = world.clouds.running(WEB, volumes=volumes)
    world.write_bytes(instance)


def _stopped_beside_a_volume(world: World) -> None:
    _running(world)
    _extra_volume(world)
    _stop(world)


def _extra_volume(world: World) -> None:
    """A volume of no instance, in a, with bytes."""
    create_volume(
        actor=world.clouds.actor,
        project_id=PROJECT,
        data=VolumeInput(VOLUME_TYPE, ZONE, 5),
        volume_id=EXTRA,
    )
    world.clouds.settle()
    world.write_text(Volume.objects.get(resource_id=EXTRA))


def _volume_without_instance(world: World, *, volume_type: str = VOLUME_TYPE) -> None:
    _running(world, volume_type=volume_type)
    _delete_instance(world)


def _short_lived_volume(world: World) -> None:
    _volume_without_instance(world, volume_type=SHORT_VOLUME_TYPE)


# -- what the user does


def _create(world: World) -> None:
    world.clouds.create(WEB)


def _create_in_b_with_volumes_of_a(world: World) -> None:
    world.clouds.create(
        "web-2",
        instance_type="m8a.small",
        volumes=(VolumeReference(f"{WEB}-root"), VolumeReference(DATA)),
        network_interfaces=(InlineNetworkInterface("main", "10.0.1.24"),),
    )


def _change_type(name: str) -> Step:
    def step(world: World) -> None:
        update_instance(
            actor=world.clouds.actor,
            project_id=PROJECT,
            instance_id=WEB,
            changes=InstanceUpdate(instance_type=name),
        )

    return step


def _stop(world: World) -> None:
    stop_instance(actor=world.clouds.actor, project_id=PROJECT, instance_id=WEB)


def _start(world: World) -> None:
    start_instance(actor=world.clouds.actor, project_id=PROJECT, instance_id=WEB)


def _restart(world: World) -> None:
    restart_instance(actor=world.clouds.actor, project_id=PROJECT, instance_id=WEB)


def _delete_instance(world: World) -> None:
    delete_instance(actor=world.clouds.actor, project_id=PROJECT, instance_id=WEB)


def _delete_data(world: World) -> None:
    delete_volume(actor=world.clouds.actor, project_id=PROJECT, volume_id=DATA)
    purge_time = Volume.objects.get(resource_id=DATA).purge_time
    assert purge_time is not None
    world.purge_times[DATA] = purge_time


def _undelete_data(world: World) -> None:
    undelete_volume(actor=world.clouds.actor, project_id=PROJECT, volume_id=DATA)
    del world.purge_times[DATA]


def _grow_data(world: World) -> None:
    update_volume(
        actor=world.clouds.actor,
        project_id=PROJECT,
        volume_id=DATA,
        changes=VolumeUpdate(size_gib=30),
    )


def _attach_extra(world: World) -> None:
    attach_volume(actor=world.clouds.actor, project_id=PROJECT, instance_id=WEB, volume_id=EXTRA)


def _detach_extra(world: World) -> None:
    detach_volume(actor=world.clouds.actor, project_id=PROJECT, instance_id=WEB, volume_id=EXTRA)


def _is_running(world: World) -> bool:
    return Instance.objects.filter(resource_id=WEB, desired_state="RUNNING").exists()


def _stop_if_running(world: World) -> None:
    if _is_running(world):
        _stop(world)


# the long ones first, so that several processes end at about the same time
STORIES = (
    Story(
        "turn_back",
        _running,
        (_change_type("m8a.small"), _stop, _start),
        (_change_type("m7a.small"), _stop_if_running, _start),
        # which operations were overtaken, and whether a network was made in b already
        frozenset({"operations", "b: networks", "b: subnets", "provider subnets"}),
    ),
    Story("move", _running, (_change_type("m8a.small"), _stop, _start)),
    Story("move_by_restart", _running, (_change_type("m8a.small"), _restart)),
    Story("draw_volumes", _volume_without_instance, (_create_in_b_with_volumes_of_a,)),
    Story(
        "attach_and_detach",
        _stopped_beside_a_volume,
        (_attach_extra, _start, _stop, _detach_extra, _start),
    ),
    Story("create", _nothing, (_create,)),
    Story("resize", _running, (_change_type("m7a.medium"), _stop, _start)),
    Story("delete_instance", _running, (_delete_instance,)),
    Story("purge", _short_lived_volume, (_delete_data,)),
    Story("grow", _running, (_grow_data,)),
    Story("undelete", _volume_without_instance, (_delete_data, _undelete_data)),
)
