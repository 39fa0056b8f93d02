"""The real clouds as their operator sees them: listings, quotas, flavors, images, leftovers."""

import hashlib
import os
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import openstack
from openstack.connection import Connection
from openstack.exceptions import NotFoundException

from tests.e2e.harness import pool
from tests.e2e.harness.testbed import CLOUDS, CLOUDS_YAML, osbed

IMAGE_BYTES = 8 << 20
# prefix of every key, tag and description that the portal writes on provider objects
MARK = "cycloud"
# the key under which servers and volumes carry the uid of the portal's row
UID_KEY = "cycloud_uid"
FLAVORS = {  # cloud -> name -> (vCPUs, MiB)
    "a": {"m7a.small": (1, 1024), "m7a.medium": (2, 4096), "m7a.large": (4, 8192)},
    "b": {"m8a.small": (1, 1024), "m8a.medium": (2, 4096), "m8a.large": (4, 8192)},
}
POLL_SECONDS = 0.3
# "cinder-manage quota sync" ends with a KeyError where a volume type with usage was deleted
_DELETED_TYPES = (
    "u.resource REGEXP '^(volumes|gigabytes|snapshots)_' AND "
    "SUBSTRING(u.resource, LOCATE('_', u.resource) + 1) NOT IN "
    "(SELECT name FROM volume_types WHERE NOT deleted)"
)
FORGET_USAGE_OF_DELETED_TYPES = (
    "USE {cloud}_cinder; DELETE r FROM reservations r JOIN quota_usages u "
    f"ON r.usage_id = u.id WHERE {_DELETED_TYPES}; "
    f"DELETE u FROM quota_usages u WHERE {_DELETED_TYPES}"
)
T = TypeVar("T")


def deterministic_bytes(length: int, seed: str) -> bytes:
    """Return the same bytes for the same seed; no two blocks of 32 bytes are equal."""
    blocks = (
        hashlib.sha256(struct.pack(">Q", number) + seed.encode()).digest()
        for number in range((length + 31) // 32)
    )
    return b"".join(blocks)[:length]


@dataclass(frozen=True)
class Snapshot:
    """Ids of everything in the clouds and the pool at one moment, prefixed with the cloud."""

    servers: frozenset[str]
    volumes: frozenset[str]
    attachments: frozenset[str]
    ports: frozenset[str]
    images: frozenset[str]

    def since(self, earlier: "Snapshot") -> dict[str, list[str]]:
        """Return what is there now and was not there earlier, by kind; empty kinds left out."""
        new = {
            item.name: sorted(getattr(self, item.name) - getattr(earlier, item.name))
            for item in fields(self)
        }
        return {kind: ids for kind, ids in new.items() if ids}


class RealCloud:
    """One cloud, through an administrator's openstacksdk connection."""

    def __init__(self, name: str) -> None:
        os.environ["OS_CLIENT_CONFIG_FILE"] = str(CLOUDS_YAML)
        self.name = name
        self.sdk: Connection = openstack.connect(cloud=name)

    @property
    def project_id(self) -> str:
        return str(self.sdk.current_project_id)

    # -- what is there

    def servers(self) -> list[Any]:
        """Return the servers that the portal made."""
        return [s for s in self.sdk.compute.servers(all_projects=True) if _marked(s.metadata)]

    def volumes(self) -> list[Any]:
        """Return the volumes that the portal made or manages."""
        found = self.sdk.block_storage.volumes(details=True, all_projects=True)
        return [volume for volume in found if _marked(volume.metadata)]

    def ports(self) -> list[Any]:
        """Return the ports that the portal made."""
        return [p for p in self.sdk.network.ports() if _marked([*(p.tags or []), p.description])]

    def attachments(self) -> list[dict[str, Any]]:
        """Return cinder's records of volumes in use, of all projects."""
        answer = self.sdk.block_storage.get("/attachments?all_tenants=1", microversion="3.27")
        openstack.exceptions.raise_from_response(answer)
        found: list[dict[str, Any]] = answer.json()["attachments"]
        return found

    def left(self) -> dict[str, list[str]]:
        """Return ids of servers, volumes, attachments and ports that are the portal's, by kind."""
        volumes = {volume.id for volume in self.volumes()}
        found = {
            "servers": [server.id for server in self.servers()],
            "volumes": sorted(volumes),
            "attachments": [a["id"] for a in self.attachments() if a["volume_id"] in volumes],
            "ports": [port.id for port in self.ports()],
        }
        return {kind: ids for kind, ids in found.items() if ids}

    def server_status(self, server_id: str) -> str | None:
        """Return the server's status, or None where it is gone."""
        try:
            return str(self.sdk.compute.get_server(server_id).status)
        except NotFoundException:
            return None

    def volume_status(self, volume_id: str) -> str | None:
        """Return the volume's status, or None where cinder does not know it."""
        try:
            return str(self.sdk.block_storage.get_volume(volume_id).status)
        except NotFoundException:
            return None

    # -- what the operator provides

    def flavor_ids(self) -> dict[str, str]:
        """Create the suite's flavors where missing; return name -> id."""
        have = {flavor.name: str(flavor.id) for flavor in self.sdk.compute.flavors()}
        for name, (vcpus, ram) in FLAVORS[self.name].items():
            if name not in have:
                flavor = self.sdk.compute.create_flavor(name=name, vcpus=vcpus, ram=ram, disk=0)
                have[name] = str(flavor.id)
        return {name: have[name] for name in FLAVORS[self.name]}

    def volume_type_id(self, name: str = "shared") -> str:
        """Return the id of a volume type."""
        return str(self.sdk.block_storage.find_type(name, ignore_missing=False).id)

    def image_id(self, name: str = "ubuntu-24.04") -> str:
        """Upload the suite's image (raw, 8 MiB of known bytes) where missing; return its id."""
        data = deterministic_bytes(IMAGE_BYTES, name)
        checksum = hashlib.sha512(data).hexdigest()
        for image in self.sdk.image.images(name=name):
            if image.status == "active" and image.hash_value == checksum:
                return str(image.id)
        image = self.sdk.image.create_image(
            name,
            data=data,
            disk_format="raw",
            container_format="bare",
            visibility="public",
            allow_duplicates=True,
            wait=True,
        )
        return str(image.id)

    def network_ids(self, cidr: str, name: str = "cycloud-suite") -> tuple[str, str]:
        """Create a network with one subnet of that CIDR where missing; return both ids."""
        for subnet in self.sdk.network.subnets(name=name, cidr=cidr):
            return str(subnet.network_id), str(subnet.id)
        network = self.sdk.network.create_network(name=name)
        subnet = self.sdk.network.create_subnet(
            network_id=network.id, ip_version=4, cidr=cidr, name=name, is_dhcp_enabled=False
        )
        return str(network.id), str(subnet.id)

    # -- trouble

    @contextmanager
    def compute_quota(self, **limits: int) -> Iterator[None]:
        """Set limits like ``instances``, ``cores``, ``ram`` (MiB) for the length of a block."""
        with self._quota(self.sdk.compute, "/os-quota-sets", "quota_set", limits):
            yield

    @contextmanager
    def volume_quota(self, **limits: int) -> Iterator[None]:
        """Set limits like ``volumes``, ``gigabytes`` for the length of a block."""
        with self._quota(self.sdk.block_storage, "/os-quota-sets", "quota_set", limits):
            yield

    @contextmanager
    def network_quota(self, **limits: int) -> Iterator[None]:
        """Set limits like ``port`` for the length of a block."""
        with self._quota(self.sdk.network, "/quotas", "quota", limits):
            yield

    @contextmanager
    def no_more_volumes(self) -> Iterator[None]:
        """Let cinder refuse every further volume for the length of a block.

        The limit is the present usage: cinder refuses a lower one.
        """
        answer = self.sdk.block_storage.get(f"/os-quota-sets/{self.project_id}?usage=True")
        openstack.exceptions.raise_from_response(answer)
        usage = answer.json()["quota_set"]["volumes"]
        with self.volume_quota(volumes=usage["in_use"] + usage["reserved"]):
            yield

    @contextmanager
    def no_more_servers(self) -> Iterator[None]:
        """Let nova refuse every further server for the length of a block.

        The limit is the present usage: nova refuses a lower one.
        """
        answer = self.sdk.compute.get(f"/os-quota-sets/{self.project_id}/detail")
        openstack.exceptions.raise_from_response(answer)
        usage = answer.json()["quota_set"]["instances"]
        with self.compute_quota(instances=usage["in_use"] + usage["reserved"]):
            yield

    @contextmanager
    def no_more_ports(self) -> Iterator[None]:
        """Let neutron refuse every further port for the length of a block.

        The limit is the present usage: neutron refuses a lower one.
        """
        answer = self.sdk.network.get(f"/quotas/{self.project_id}/details.json")
        openstack.exceptions.raise_from_response(answer)
        usage = answer.json()["quota"]["port"]
        with self.network_quota(port=usage["used"] + usage["reserved"]):
            yield

    @contextmanager
    def no_hosts(self) -> Iterator[None]:
        """Take every hypervisor out of service for new servers; what runs goes on."""
        services = list(self.sdk.compute.services(binary="nova-compute"))
        for service in services:
            self.sdk.compute.disable_service(service, service.host, service.binary)
        try:
            yield
        finally:
            for service in services:
                self.sdk.compute.enable_service(service, service.host, service.binary)

    def count_volumes_anew(self) -> None:
        """Correct cinder's usage: every failed manage leaks a unit of it (EDGES.md 40)."""
        osbed("sql", FORGET_USAGE_OF_DELETED_TYPES.format(cloud=self.name))
        osbed("manage", self.name, "cinder-manage", "quota", "sync")

    @contextmanager
    def _quota(self, api: Any, path: str, key: str, limits: dict[str, int]) -> Iterator[None]:
        url = f"{path}/{self.project_id}"
        answer = api.get(url)
        openstack.exceptions.raise_from_response(answer)
        before = {name: answer.json()[key][name] for name in limits}
        openstack.exceptions.raise_from_response(api.put(url, json={key: limits}))
        try:
            yield
        finally:
            openstack.exceptions.raise_from_response(api.put(url, json={key: before}))

    def snapshot_volume(self, volume_id: str) -> str:
        """Make a Cinder snapshot behind the portal's back; return its id when it is available."""
        snapshot = self.sdk.block_storage.create_snapshot(
            volume_id=volume_id, name="made-by-hand", is_forced=True
        )
        found = wait_for(
            f"snapshot of {volume_id}",
            lambda: self.sdk.block_storage.get_snapshot(snapshot.id),
            lambda current: current.status in ("available", "error"),
        )
        assert found.status == "available", found
        return str(snapshot.id)

    def delete_snapshot(self, snapshot_id: str) -> None:
        """Delete a snapshot and wait until it is gone."""
        self.sdk.block_storage.delete_snapshot(snapshot_id)
        wait_for(
            f"end of snapshot {snapshot_id}",
            lambda: self.sdk.block_storage.find_snapshot(snapshot_id),
            lambda current: current is None,
        )


def connect() -> dict[str, RealCloud]:
    """Return both clouds by name."""
    return {name: RealCloud(name) for name in CLOUDS}


def snapshot(clouds: dict[str, RealCloud]) -> Snapshot:
    """Return the ids of all servers, volumes, attachments, ports and images in the pool."""
    servers, volumes, attachments, ports = set(), set(), set(), set()
    for name, cloud in clouds.items():
        servers |= {f"{name}/{s.id}" for s in cloud.sdk.compute.servers(all_projects=True)}
        found = cloud.sdk.block_storage.volumes(details=False, all_projects=True)
        volumes |= {f"{name}/{volume.id}" for volume in found}
        attachments |= {f"{name}/{attachment['id']}" for attachment in cloud.attachments()}
        ports |= {f"{name}/{port.id}" for port in cloud.sdk.network.ports()}
    return Snapshot(
        frozenset(servers),
        frozenset(volumes),
        frozenset(attachments),
        frozenset(ports),
        frozenset(pool.names()),
    )


def leftovers(clouds: dict[str, RealCloud], before: Snapshot) -> dict[str, list[str]]:
    """Return what exists now and did not exist at ``before``; empty where nothing was left."""
    return snapshot(clouds).since(before)


def wait_for(
    what: str, look: Callable[[], T], wanted: Callable[[T], bool], seconds: float = 60
) -> T:
    """Look until ``wanted`` holds; raises AssertionError with the last look when time is up."""
    end = time.monotonic() + seconds
    while True:
        last = look()
        if wanted(last):
            return last
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds:.0f} s; last seen: {last}")
        time.sleep(POLL_SECONDS)


def _marked(words: Any) -> bool:
    return any(str(word).startswith(MARK) for word in words or ())
