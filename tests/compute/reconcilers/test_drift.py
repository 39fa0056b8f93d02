"""What somebody changes by hand in a cloud comes back by itself; what cannot be found is never replaced."""

from catalog.reconcilers.provider_pass import client_of
from compute.models import Instance, VolumeBinding
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.core.reconcile.queue import enqueue, queue_for
from cycloud.openstack.client import ClusterClient
from tests.support.clouds import Clouds


def resync(clouds: Clouds, cloud: str = "a") -> None:
    """Let the slow resync of one cluster run now."""
    cluster = clouds.cluster(cloud)
    DueRow.objects.filter(controller="cluster_resync").delete()
    enqueue(
        "cluster_resync", cluster.uid, lane=Lane.RESYNC, queue=queue_for(cluster.controller_name)
    )
    clouds.settle()


def operator(clouds: Clouds, cloud: str = "a") -> ClusterClient:
    return client_of(clouds.cluster(cloud))


def ready(instance: Instance) -> bool:
    instance.refresh_from_db()
    return instance.is_ready


def test_a_resync_of_what_is_as_declared_asks_for_nothing(clouds: Clouds) -> None:
    clouds.running()
    writes = clouds.site.write_count
    cluster = clouds.cluster("a")
    enqueue("cluster_resync", cluster.uid, queue=queue_for(cluster.controller_name))
    assert clouds.settle() == 1
    assert clouds.site.write_count == writes


def test_a_server_deleted_by_hand_comes_back_on_its_volumes(clouds: Clouds) -> None:
    instance = clouds.running()
    (old,) = clouds.a.servers
    objects = clouds.site.storage.names()
    operator(clouds).delete_server(old)
    resync(clouds)
    assert ready(instance)
    assert [s for s in clouds.a.servers if s != old]
    assert clouds.site.storage.names() == objects


def test_a_server_stopped_by_hand_is_started_again(clouds: Clouds) -> None:
    instance = clouds.running()
    (server,) = clouds.a.servers
    operator(clouds).stop_server(server)
    resync(clouds)
    assert ready(instance)
    assert clouds.a.servers[server].status == "ACTIVE"


def test_a_port_deleted_by_hand_comes_back_with_its_addresses(clouds: Clouds) -> None:
    instance = clouds.running()
    nic = instance.network_attachments.get().network_interface
    (port,) = clouds.a.ports
    operator(clouds).delete_port(port)
    resync(clouds)
    assert ready(instance), clouds.ready_reason(instance)
    (new,) = clouds.a.ports.values()
    assert new.id != port
    assert new.mac_address == nic.mac_address
    assert new.device_id in clouds.a.servers


def test_a_volume_detached_by_hand_is_attached_again(clouds: Clouds) -> None:
    instance = clouds.running()
    (server,) = clouds.a.servers
    data = VolumeBinding.objects.get(volume_name__endswith="web-1-data").provider_id
    operator(clouds).detach_volume(server, data)
    resync(clouds)
    assert ready(instance), clouds.ready_reason(instance)
    assert clouds.a.volumes[data].status == "in-use"


def test_a_volume_that_is_gone_is_never_replaced_by_an_empty_one(clouds: Clouds) -> None:
    instance = clouds.running()
    (server,) = clouds.a.servers
    data = VolumeBinding.objects.get(volume_name__endswith="web-1-data").provider_id
    operator(clouds).detach_volume(server, data)
    operator(clouds).get_server(server)
    operator(clouds).delete_volume(data)
    resync(clouds)
    assert not ready(instance)
    volume = instance.volume_attachments.get(device_index=1).volume
    condition = volume.ready
    assert condition is not None
    assert (condition.status, condition.reason) == ("False", "DataNotFound")
    assert len(clouds.a.volumes) == 1
    assert len(clouds.site.storage.names()) == 1
    assert "data" in clouds.ready_reason(instance)
    alarms = AuditEntry.objects.filter(method="AlarmRaised")
    assert [a.resource_name for a in alarms] == [volume.name]


def test_a_volume_that_lost_its_mark_is_found_by_its_id_and_marked_again(clouds: Clouds) -> None:
    instance = clouds.running()
    for volume in clouds.a.volumes.values():
        volume.metadata.clear()
    resync(clouds)
    assert ready(instance)
    uids = {str(a.volume.uid) for a in instance.volume_attachments.all()}
    assert {v.metadata.get("cycloud_uid") for v in clouds.a.volumes.values()} == uids


def test_a_network_that_is_gone_with_its_port_is_made_anew(clouds: Clouds) -> None:
    instance = clouds.running()
    (port,) = clouds.a.ports
    operator(clouds).delete_port(port)
    clouds.a.subnets.clear()
    clouds.a.networks.clear()
    resync(clouds)
    clouds.settle(seconds=300)
    assert ready(instance), clouds.ready_reason(instance)
    (new,) = clouds.a.ports.values()
    assert new.network_id in clouds.a.networks
