"""The whole story, told by openstacksdk: build in a, move the volume, boot in b."""

from typing import Any

import pytest
from openstack.exceptions import NotFoundException

from cycloud.simulator.site import Site

BOOT = {
    "source_type": "volume",
    "destination_type": "volume",
    "boot_index": 0,
    "delete_on_termination": False,
}


def _port(cloud: Any, address: str, mac: str | None = None) -> str:
    network = cloud.network.create_network(name="vpc")
    subnet = cloud.network.create_subnet(
        network_id=network.id, ip_version=4, cidr="10.1.0.0/24", enable_dhcp=False
    )
    port = cloud.network.create_port(
        network_id=network.id,
        fixed_ips=[{"subnet_id": subnet.id, "ip_address": address}],
        **({"mac_address": mac} if mac else {}),
    )
    cloud.network.set_tags(port, ["uid:1"])
    return str(port.id)


def _boot(cloud: Any, flavor: str, port: str, volume: str) -> str:
    server = cloud.compute.create_server(
        name="vm",
        flavor_id=cloud.compute.find_flavor(flavor).id,
        networks=[{"port": port}],
        block_device_mapping=[{**BOOT, "uuid": volume}],
        metadata={"uid": "1"},
        tags=["uid:1"],
    )
    assert cloud.compute.get_server(server.id).status == "ACTIVE"
    return str(server.id)


def test_a_server_moves_to_the_other_cloud_with_address_and_bytes(
    site: Site, sdk_a: Any, sdk_b: Any
) -> None:
    port = _port(sdk_a, "10.1.0.77")
    mac = sdk_a.network.get_port(port).mac_address
    image = sdk_a.image.find_image("ubuntu-24.04")
    created = sdk_a.block_storage.create_volume(size=1, image_id=image.id, metadata={"uid": "1"})
    assert created.status == "creating"
    volume = sdk_a.block_storage.get_volume(created.id)
    assert (volume.status, volume.is_bootable) == ("available", True)
    server = _boot(sdk_a, "m7a.medium", port, volume.id)
    site.storage.write(f"volume-{volume.id}", 5_000_000, b"written by the guest")
    before = site.storage.digest(f"volume-{volume.id}")

    sdk_a.compute.stop_server(server)
    assert sdk_a.compute.get_server(server).status == "SHUTOFF"
    sdk_a.compute.delete_server(server)
    with pytest.raises(NotFoundException):
        sdk_a.compute.get_server(server)
    sdk_a.block_storage.unmanage_volume(volume.id)
    with pytest.raises(NotFoundException):
        sdk_a.block_storage.get_volume(volume.id)
    sdk_a.network.delete_port(port)

    managed = sdk_b.block_storage.manage_volume(
        host="cinder-b@shared#shared",
        ref={"source-name": f"volume-{volume.id}"},
        volume_type="shared",
        name="root",
        bootable=True,
        metadata={"uid": "1"},
    )
    assert (managed.status, managed.size) == ("creating", 0)
    moved = sdk_b.block_storage.get_volume(managed.id)
    assert (moved.status, moved.size, moved.metadata) == ("available", 1, {"uid": "1"})
    new_port = _port(sdk_b, "10.1.0.77", mac)
    new_server = sdk_b.compute.get_server(_boot(sdk_b, "m8a.medium", new_port, moved.id))

    (address,) = new_server.addresses["vpc"]
    assert (address["addr"], address["OS-EXT-IPS-MAC:mac_addr"]) == ("10.1.0.77", mac)
    assert site.storage.names() == [f"volume-{moved.id}"]
    assert site.storage.digest(f"volume-{moved.id}") == before
    events = [(e["cloud"], e["event"], e["volumes"]) for e in site.guest_events]
    old, new = [f"volume-{volume.id}"], [f"volume-{moved.id}"]
    assert events == [
        ("a", "spawn", old),
        ("a", "power_off", old),
        ("a", "destroy", old),
        ("b", "spawn", new),
    ]


def test_openstacksdk_finds_servers_by_tag_and_ports_by_tag_and_address(
    sdk_a: Any,
) -> None:
    port = _port(sdk_a, "10.1.0.5")
    image = sdk_a.image.find_image("ubuntu-24.04")
    volume = sdk_a.block_storage.create_volume(size=1, image_id=image.id)
    sdk_a.block_storage.get_volume(volume.id)
    server = _boot(sdk_a, "m7a.small", port, volume.id)

    assert [s.id for s in sdk_a.compute.servers(all_projects=True, tags="uid:1")] == [server]
    assert not list(sdk_a.compute.servers(all_projects=True, tags="uid:2"))
    assert [p.id for p in sdk_a.network.ports(tags="uid:1")] == [port]
    assert [p.id for p in sdk_a.network.ports(fixed_ips="ip_address=10.1.0.5")] == [port]


def test_openstacksdk_pages_through_long_listings(sdk_a: Any) -> None:
    made = {sdk_a.block_storage.create_volume(size=1).id for _ in range(5)}

    assert {v.id for v in sdk_a.block_storage.volumes(limit=2)} == made


def test_openstacksdk_reads_quotas_limits_pools_and_services(sdk_a: Any) -> None:
    project = sdk_a.current_project_id

    assert sdk_a.compute.get_quota_set(project).instances == 200
    assert sdk_a.compute.get_limits().absolute.total_cores == 400
    assert sdk_a.block_storage.get_quota_set(project).gigabytes == 5000
    assert sdk_a.network.get_quota(project).ports == -1
    assert [p.name for p in sdk_a.block_storage.backend_pools()] == [
        "cinder-a@fast#fast",
        "cinder-a@shared#shared",
    ]
    assert {s.host for s in sdk_a.compute.services()} == {"cmp-a"}
    assert [p.name for p in sdk_a.placement.resource_providers()] == ["cmp-a"]
