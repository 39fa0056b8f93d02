"""After an operator gave up what cannot be removed in order, the controllers go on by themselves."""

from datetime import timedelta
from uuid import UUID

import pytest

from compute.models import (
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    Volume,
    VolumeBinding,
)
from compute.services.forced_removal import force_removal
from compute.services.instance_input import InlineNetworkInterface, VolumeReference
from compute.services.instances import delete_instance
from compute.services.volumes import delete_volume
from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.aip.models import Operation
from cycloud.core.iam.actor import Actor
from cycloud.core.reconcile.models import DueRow
from networking.models import NetworkInterface
from networking.services.network_interfaces import delete_network_interface
from tests.support.clouds import PROJECT, Clouds
from tests.support.engine import describe

OLGA = Actor("users/olga", is_operator=True)
WHY = "The hall of cluster A burned down."


@pytest.fixture
def lost(clouds: Clouds) -> Instance:
    """An instance that was deleted after its cluster had ceased to answer."""
    instance = clouds.running()
    clouds.site.faults.add("down", cloud="a")
    delete_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    assert Instance.objects.filter(pk=instance.pk).exists()
    return instance


def force(kind: str, uid: UUID) -> tuple[str, ...]:
    return force_removal(actor=OLGA, kind=kind, uid=uid, reason=WHY)


def of_the_cluster() -> set[str]:
    """Controllers that still have a row in the queue, volumes left out: those wait on, as they must."""
    rows = DueRow.objects.values_list("controller", flat=True)
    return set(rows) & {"instance", "openstack_instance", "openstack_network_interface"}


def test_an_instance_of_a_lost_cluster_goes_and_its_volumes_and_addresses_stay(
    clouds: Clouds, lost: Instance
) -> None:
    server_id = OpenStackInstance.objects.get(instance=lost).server_id
    left = force("Instance", lost.uid)
    clouds.settle()
    assert not Instance.objects.exists(), describe()
    assert not OpenStackInstance.objects.exists()
    assert not OpenStackNetworkInterface.objects.exists()
    assert Volume.objects.count() == 2
    assert NetworkInterface.objects.count() == 1
    assert not Operation.objects.filter(done=False).exists()
    assert of_the_cluster() == set(), describe()
    assert f"server {server_id} in gen7" in left
    # what is left is left: nothing was deleted in the cluster
    assert list(clouds.a.servers) == [server_id]


def test_no_volume_of_a_forced_instance_moves_while_its_cluster_may_still_use_it(
    clouds: Clouds, lost: Instance
) -> None:
    """The guest may run on in there: its bytes must not get a second writer."""
    force("Instance", lost.uid)
    clouds.settle()
    volumes = list(Volume.objects.order_by("resource_id"))
    objects = {clouds.object_of(volume) for volume in volumes}
    clouds.create(
        "web-2",
        instance_type="m8a.small",
        volumes=tuple(VolumeReference(volume.resource_id) for volume in volumes),
        network_interfaces=(InlineNetworkInterface("main", "10.0.1.24"),),
    )
    clouds.settle(seconds=40)
    assert not clouds.b.volumes
    assert not clouds.b.servers
    assert {name for name in objects if clouds.site.storage.exists(name)} == objects


def test_the_server_alone_is_given_up_and_its_ports_are_still_removed_in_order(
    clouds: Clouds,
) -> None:
    clouds.running()
    clouds.site.faults.add("down", cloud="a", service="compute")
    delete_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    force("OpenStackInstance", OpenStackInstance.objects.get().uid)
    clouds.settle()
    # the port's server cannot be asked: it may be alive, so its port is not taken from it
    assert Instance.objects.exists()
    clouds.site.faults.clear()
    clouds.settle()
    ports = OpenStackNetworkInterface.objects.all()
    for port in ports:
        force("OpenStackNetworkInterface", port.uid)
    clouds.settle()
    assert not Instance.objects.exists(), describe()


def test_the_address_of_a_deleted_interface_is_free_once_its_port_is_given_up(
    clouds: Clouds,
) -> None:
    clouds.running()
    nic = NetworkInterface.objects.get()
    delete_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.site.faults.add("down", cloud="a", service="network")
    clouds.settle()
    port = OpenStackNetworkInterface.objects.get()
    left = force("OpenStackNetworkInterface", port.uid)
    assert left == (f"port {port.port_id} in gen7",)
    clouds.settle()
    assert not Instance.objects.exists(), describe()
    delete_network_interface(
        actor=clouds.actor, project_id=PROJECT, network_interface_id=nic.resource_id
    )
    assert not NetworkInterface.objects.exists()


@pytest.fixture
def purged(clouds: Clouds) -> Volume:
    """A volume whose purge has begun while its cluster does not answer."""
    volume = clouds.running().volume_attachments.get(device_index=1).volume
    clouds.site.storage.write(clouds.object_of(volume), 0, b"precious")
    delete_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    delete_volume(actor=clouds.actor, project_id=PROJECT, volume_id=volume.resource_id)
    clouds.settle()
    volume.refresh_from_db()
    clouds.site.faults.add("down", cloud="a")
    assert volume.purge_time is not None
    clouds.clock.time = volume.purge_time - timedelta(seconds=1)
    return volume


@pytest.mark.parametrize("kind", ["Volume", "OpenStackVolume"])
def test_a_purge_that_hangs_is_given_up_and_the_bytes_are_left(
    clouds: Clouds, purged: Volume, kind: str
) -> None:
    name = clouds.object_of(purged)
    clouds.clock.advance(1)
    clouds.settle(seconds=5)
    row = OpenStackVolume.objects.get(binding__volume_uid=purged.uid)
    left = force(kind, purged.uid if kind == "Volume" else row.uid)
    assert left == (f"volume {row.provider_id} in gen7 (object {name})",)
    clouds.settle()
    assert not Volume.objects.filter(pk=purged.pk).exists(), describe()
    assert not VolumeBinding.objects.filter(volume_uid=purged.uid).exists()
    assert not DueRow.objects.filter(key=str(row.uid)).exists()
    assert clouds.site.storage.read(name, 0, 8) == b"precious"


def test_data_that_is_kept_is_not_given_up_before_its_purge(clouds: Clouds, purged: Volume) -> None:
    with pytest.raises(FailedPrecondition, match="kept until"):
        force("Volume", purged.uid)
    row = OpenStackVolume.objects.get(binding__volume_uid=purged.uid)
    with pytest.raises(FailedPrecondition, match="not being deleted"):
        force("OpenStackVolume", row.uid)
    assert VolumeBinding.objects.filter(volume_uid=purged.uid).exists()
