"""What controllers make in clusters, as custom resources for operators."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compute.kubernetes.kinds import KINDS
from compute.kubernetes.openstack_instances import OpenStackInstances
from compute.kubernetes.openstack_network_interfaces import OpenStackNetworkInterfaces
from compute.kubernetes.openstack_volumes import OpenStackVolumes
from compute.kubernetes.volume_bindings import VolumeBindings
from compute.models import OpenStackInstance, OpenStackVolume, VolumeBinding
from compute.models import OpenStackNetworkInterface as Port
from cycloud.kubernetes.kinds import Kind, Owner
from tests.factories.compute import OpenStackNetworkInterfaceFactory, World

PROVIDER_KINDS = (
    VolumeBindings(),
    OpenStackVolumes(),
    OpenStackInstances(),
    OpenStackNetworkInterfaces(),
)


def fill(world: World, count: int = 1) -> None:
    for index in range(count):
        instance = world.instance(resource_id=f"web-{index}")
        OpenStackNetworkInterfaceFactory.create(
            network_interface=instance.network_attachments.get().network_interface,
            cluster=world.old,
        )


def cluster(world: World) -> dict[str, str]:
    return {"kind": "OpenStackCluster", "name": world.old.resource_id}


def test_a_binding_tells_where_the_bytes_are_and_when_they_go(world: World) -> None:
    volume = world.volume(resource_id="data")
    time = datetime(2026, 5, 4, 3, 2, 1, 999, tzinfo=UTC)
    VolumeBinding.objects.update(
        provider_id="p", backend_reference="volume-1", purge_time=time, purge_begun=time
    )
    manifest = VolumeBindings().manifests([volume.name])[volume.name]
    assert manifest.spec == {
        "volumeName": "data",
        "volumeUID": str(volume.uid),
        "providerType": "shared",
        "computeCluster": cluster(world),
        "providerID": "p",
        "backendReference": "volume-1",
    }
    assert manifest.status == {
        "created": True,
        "purgeTime": "2026-05-04T03:02:01Z",
        "purgeBegun": "2026-05-04T03:02:01Z",
    }
    assert (manifest.deleting, manifest.owner) == (True, None)


def test_a_binding_of_no_cluster_yet(world: World) -> None:
    volume = world.volume(resource_id="data")
    VolumeBinding.objects.update(cluster=None, created=False)
    manifest = VolumeBindings().manifests([volume.name])[volume.name]
    assert manifest.spec["computeCluster"] is None
    assert manifest.status == {"created": False, "purgeTime": None, "purgeBegun": None}


def test_the_binding_of_a_deleted_volume_is_still_there(world: World) -> None:
    volume = world.volume(resource_id="data", delete_time=datetime.now(UTC))
    assert list(VolumeBindings().names()) == [volume.name]


def test_a_volume_in_a_cluster(world: World) -> None:
    volume = world.volume(resource_id="data", blockers=["snapshots"])
    OpenStackVolume.objects.update(image=world.image, provider_id="p", wanted=False)
    manifest = OpenStackVolumes().manifests([volume.name])[volume.name]
    assert manifest.spec == {
        "volumeName": "data",
        "computeCluster": cluster(world),
        "volumeType": world.shared.resource_id,
        "image": world.image.resource_id,
        "size": "10Gi",
        "wanted": False,
    }
    assert manifest.status == {
        "providerID": "p",
        "providerState": "available",
        "blockers": ["snapshots"],
    }
    assert (manifest.deleting, manifest.owner) == (True, Owner("VolumeBinding", "data"))


def test_a_server(world: World) -> None:
    instance = world.instance(resource_id="web")
    kind = OpenStackInstances()
    manifest = kind.manifests([instance.name])[instance.name]
    assert manifest.spec == {
        "instanceName": "web",
        "computeCluster": cluster(world),
        "flavorID": "flavor-1",
        "run": 1,
        "running": True,
        "wanted": True,
        "nextComputeCluster": None,
        "nextFlavorID": None,
    }
    assert manifest.owner == Owner("Instance", "web")
    OpenStackInstance.objects.update(
        next_cluster=world.new,
        next_flavor_id="f",
        server_cluster=world.old,
        fault_text="No valid host",
    )
    manifest = kind.manifests([instance.name])[instance.name]
    assert manifest.spec["nextComputeCluster"]["name"] == world.new.resource_id
    assert manifest.status == {
        "serverID": "",
        "serverCluster": world.old.resource_id,
        "serverStatus": "",
        "faultText": "No valid host",
    }


def test_a_port(world: World) -> None:
    fill(world)
    port = Port.objects.get()
    manifest = OpenStackNetworkInterfaces().manifests([port.name])[port.name]
    name = port.network_interface.resource_id
    assert manifest.spec == {
        "networkInterfaceID": name,
        "computeCluster": cluster(world),
        "wanted": True,
    }
    assert manifest.status == {"portID": "", "portStatus": ""}
    assert manifest.owner == Owner("NetworkInterface", name)


@pytest.mark.parametrize("kind", PROVIDER_KINDS, ids=lambda kind: kind.api.kind)
@pytest.mark.parametrize("count", [1, 20])
def test_a_page_is_read_in_one_query(world: World, kind: Kind, count: int) -> None:
    fill(world, count)
    names = list(kind.names())
    assert len(names) == count
    with CaptureQueriesContext(connection) as queries:
        found = kind.manifests(names)
    assert (sorted(found), len(queries)) == (sorted(names), 1)
    uids = {manifest.uid: name for name, manifest in found.items()}
    assert kind.names_of(list(uids)) == uids


def test_owners_come_before_what_they_own() -> None:
    seen: set[str] = {"NetworkInterface"}
    owners = {
        "OpenStackVolume": "VolumeBinding",
        "OpenStackInstance": "Instance",
        "OpenStackNetworkInterface": "NetworkInterface",
    }
    for kind in KINDS:
        assert owners.get(kind.api.kind, "NetworkInterface") in seen
        seen.add(kind.api.kind)
    assert len(seen) == 7
