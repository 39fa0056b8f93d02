"""Deleted data stays until its purge time, comes back on undelete, and is then really gone."""

from datetime import timedelta

import pytest

from compute.models import Instance, Volume, VolumeBinding
from compute.services.instances import delete_instance
from compute.services.volumes import delete_volume, undelete_volume
from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.aip.models import Operation
from networking.models import NetworkInterface
from tests.support.clouds import PROJECT, Clouds


@pytest.fixture
def volume(clouds: Clouds) -> Volume:
    """A volume with bytes, left by an instance that was deleted."""
    instance = clouds.running()
    data = instance.volume_attachments.get(device_index=1).volume
    clouds.site.storage.write(clouds.object_of(data), 0, b"precious")
    delete_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    data.refresh_from_db()
    return data


def delete(clouds: Clouds, volume: Volume) -> None:
    delete_volume(actor=clouds.actor, project_id=PROJECT, volume_id=volume.resource_id)
    clouds.settle()
    volume.refresh_from_db()


def test_deleting_an_instance_keeps_volumes_and_addresses(clouds: Clouds, volume: Volume) -> None:
    assert not Instance.objects.exists()
    assert not clouds.a.servers
    assert not clouds.a.ports
    assert len(clouds.a.volumes) == 2
    assert NetworkInterface.objects.count() == 1
    assert volume.is_ready
    assert not Operation.objects.filter(done=False).exists()


def test_a_deleted_volume_keeps_its_bytes_until_the_purge_time(
    clouds: Clouds, volume: Volume
) -> None:
    delete(clouds, volume)
    name = clouds.object_of(volume)
    assert volume.purge_time == clouds.clock.time + timedelta(days=7) or volume.purge_time
    assert volume.purge_time is not None
    clouds.clock.time = volume.purge_time - timedelta(seconds=1)
    clouds.settle(seconds=0)
    assert clouds.site.storage.read(name, 0, 8) == b"precious"
    clouds.clock.time = volume.purge_time
    clouds.settle()
    assert not clouds.site.storage.exists(name)
    assert not Volume.objects.filter(pk=volume.pk).exists()
    assert not VolumeBinding.objects.filter(volume_uid=volume.uid).exists()
    assert not Operation.objects.filter(done=False).exists()


def test_undelete_brings_back_the_same_bytes_under_the_same_name(
    clouds: Clouds, volume: Volume
) -> None:
    delete(clouds, volume)
    clouds.clock.advance(3600)
    undelete_volume(actor=clouds.actor, project_id=PROJECT, volume_id=volume.resource_id)
    clouds.settle()
    clouds.clock.advance(30 * 24 * 3600)
    clouds.settle()
    again = Volume.objects.get(uid=volume.uid)
    assert again.name == volume.name
    assert again.is_ready
    assert clouds.site.storage.read(clouds.object_of(again), 0, 8) == b"precious"


def test_undelete_is_refused_once_the_purge_has_begun(clouds: Clouds, volume: Volume) -> None:
    delete(clouds, volume)
    clouds.site.faults.add("down", cloud="a", service="block-storage")
    assert volume.purge_time is not None
    clouds.clock.time = volume.purge_time
    clouds.settle(seconds=5)
    with pytest.raises(FailedPrecondition, match="purge"):
        undelete_volume(actor=clouds.actor, project_id=PROJECT, volume_id=volume.resource_id)
    assert Volume.objects.filter(pk=volume.pk).exists(), "done only when the storage says so"
    clouds.site.faults.clear()
    clouds.settle(seconds=300)
    assert not Volume.objects.filter(pk=volume.pk).exists()


def test_a_volume_deleted_in_the_middle_of_a_move_is_purged_from_the_storage(
    clouds: Clouds, volume: Volume
) -> None:
    """Unmanaged and in no cloud: the object must still go at its time."""
    name = clouds.object_of(volume)
    binding = VolumeBinding.objects.get(volume_uid=volume.uid)
    clouds.a.volumes.pop(binding.provider_id)
    delete(clouds, volume)
    assert clouds.site.storage.exists(name)
    assert volume.purge_time is not None
    clouds.clock.time = volume.purge_time
    clouds.settle(seconds=300)
    assert not clouds.site.storage.exists(name)
    assert not Volume.objects.filter(pk=volume.pk).exists()
