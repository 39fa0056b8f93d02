"""A server has exactly the volumes that its instance is declared with, in their order, and waits for all of them."""

from compute.models import Instance, VolumeBinding
from compute.services.instance_attachments import attach_volume, detach_volume
from compute.services.instance_power import start_instance, stop_instance
from compute.services.volume_input import VolumeInput
from compute.services.volumes import create_volume
from cycloud.core.reconcile.models import DueRow
from cycloud.core.reconcile.queue import enqueue
from cycloud.embedded.seed_catalog import VOLUME_TYPE, ZONE
from tests.support.clouds import PROJECT, Clouds


def volumes_of_the_server(clouds: Clouds) -> list[str]:
    """The names of the volumes of the only server, in the order of its devices."""
    (server,) = clouds.a.servers.values()
    names = dict(VolumeBinding.objects.values_list("provider_id", "volume_name"))
    return [names[d.volume_id].rsplit("/", 1)[-1] for d in server.devices]


def call(clouds: Clouds, verb: object, **more: str) -> None:
    assert callable(verb)
    verb(actor=clouds.actor, project_id=PROJECT, instance_id="web-1", **more)
    clouds.settle()


def test_no_server_is_made_before_its_root_volume_is_declared(clouds: Clouds) -> None:
    instance = clouds.create()
    root = instance.volume_attachments.get(device_index=0).volume
    asked = DueRow.objects.filter(controller="volume", key=str(root.uid))
    assert asked.delete()[0] == 1
    clouds.settle(seconds=3)
    instance.refresh_from_db()
    ready = instance.ready
    assert ready is not None
    assert (ready.reason, ready.terminal) == ("RootVolumeIsNotReady", False)
    assert not clouds.a.servers
    enqueue("volume", root.uid, project=PROJECT)
    clouds.settle()
    assert volumes_of_the_server(clouds) == ["web-1-root", "web-1-data"]
    assert Instance.objects.get().is_ready


def test_a_volume_is_attached_to_a_stopped_instance_and_taken_from_it(clouds: Clouds) -> None:
    clouds.running()
    create_volume(
        actor=clouds.actor,
        project_id=PROJECT,
        data=VolumeInput(VOLUME_TYPE, ZONE, 5),
        volume_id="extra",
    )
    call(clouds, stop_instance)
    call(clouds, attach_volume, volume_id="extra")
    assert volumes_of_the_server(clouds) == ["web-1-root", "web-1-data", "extra"]
    call(clouds, start_instance)
    call(clouds, stop_instance)
    call(clouds, detach_volume, volume_id="extra")
    assert volumes_of_the_server(clouds) == ["web-1-root", "web-1-data"]
    assert sorted(v.status for v in clouds.a.volumes.values()) == ["available", "in-use", "in-use"]
    call(clouds, start_instance)
    assert Instance.objects.get().is_ready
