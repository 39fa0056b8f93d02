"""Makes provider objects for one case in one cloud, and removes them all, also after a failure."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from cycloud.openstack.client import ManageSpec, ServerSpec, VolumeSpec
from cycloud.openstack.connection import CINDER, NEUTRON, NOVA
from cycloud.openstack.faults import FaultKind, ProviderFault
from cycloud.openstack.observations import UID_KEY, PortSeen, ServerSeen, VolumeSeen
from cycloud.openstack.servers import uid_of_mark
from cycloud.openstack.sessions import OpenStackClient
from tests.contracts.polling import until
from tests.contracts.targets import CLOUDS, Target

Marked = TypeVar("Marked", ServerSeen, VolumeSeen, PortSeen)


@dataclass
class Bench:
    """``cloud`` is where a method works unless told otherwise."""

    target: Target
    cloud: str
    uids: list[str] = field(default_factory=list)
    references: set[str] = field(default_factory=set)
    flavors: list[str] = field(default_factory=list)
    network_uids: list[str] = field(default_factory=list)
    _subnets: dict[str, tuple[str, str]] = field(default_factory=dict)
    _addresses: int = 9

    @property
    def client(self) -> OpenStackClient:
        return self.target.client(self.cloud)

    @property
    def other(self) -> "Bench":
        """The other cloud, with the same memory of what is to be removed."""
        cloud = CLOUDS[1 - CLOUDS.index(self.cloud)]
        return replace(self, cloud=cloud)

    def uid(self) -> str:
        self.uids.append(str(uuid.uuid4()))
        return self.uids[-1]

    # -- networks

    def subnet(self) -> tuple[str, str]:
        """Return (network, subnet) of 10.77.0.0/24, made at the first call."""
        if self.cloud not in self._subnets:
            uid = self.uid()
            self.network_uids.append(uid)
            network = self.client.create_network(uid=uid, name="contract")
            subnet = self.client.create_subnet(
                uid=uid,
                name="contract",
                network_id=network,
                cidr="10.77.0.0/24",
                gateway_ip="10.77.0.1",
            )
            self._subnets[self.cloud] = (network, subnet)
        return self._subnets[self.cloud]

    def port(self, *, uid: str = "", ip: str = "", mac: str = "") -> str:
        network, subnet = self.subnet()
        self._addresses += 1
        return self.client.create_port(
            uid=uid or self.uid(),
            network_id=network,
            subnet_id=subnet,
            ip_address=ip or f"10.77.0.{self._addresses}",
            mac_address=mac or f"fa:16:3e:77:00:{self._addresses:02x}",
        )

    # -- volumes

    def volume(self, *, uid: str = "", bootable: bool = False, **metadata: str) -> VolumeSeen:
        """Make an empty volume of 1 GiB and wait for it."""
        marked = {UID_KEY: uid or self.uid(), **metadata}
        spec = VolumeSpec("contract", 1, self.target.volume_type_id(self.cloud), marked)
        volume_id = self.client.create_volume(spec)
        volume = self.volume_when(volume_id, "available")
        if bootable:
            self.client.set_volume_bootable(volume_id, True)
        return volume

    def volume_when(self, volume_id: str, *statuses: str) -> VolumeSeen:
        found = until(
            f"volume {volume_id} {statuses}",
            lambda: self.client.get_volume(volume_id),
            lambda seen: seen is not None and seen.status in statuses,
        )
        assert found is not None
        return found

    def volume_gone(self, volume_id: str) -> None:
        until(
            f"end of volume {volume_id}",
            lambda: self.client.get_volume(volume_id),
            lambda seen: seen is None,
        )

    def release(self, volume_id: str) -> str:
        """Unmanage a volume, wait until it is gone, and return its name in the storage."""
        reference = f"volume-{volume_id}"
        self.references.add(reference)
        self.client.unmanage_volume(volume_id)
        self.volume_gone(volume_id)
        return reference

    def take_in(self, reference: str, *, uid: str = "", bootable: bool = False) -> str:
        return self.client.manage_volume(
            ManageSpec(
                reference=reference,
                host=self.target.host(self.cloud),
                name="contract",
                volume_type_id=self.target.volume_type_id(self.cloud),
                metadata={UID_KEY: uid or self.uid(), "color": "green"},
                bootable=bootable,
            )
        )

    def snapshot(self, volume_id: str) -> str:
        body = {"snapshot": {"volume_id": volume_id, "name": "by-hand", "force": True}}
        raw = self.target.raw(self.cloud)
        snapshot_id = str(
            raw.request(CINDER, "test", "POST", "/snapshots", body=body)["snapshot"]["id"]
        )
        until(
            "snapshot",
            lambda: raw.request(CINDER, "test", "GET", f"/snapshots/{snapshot_id}"),
            lambda answer: answer["snapshot"]["status"] == "available",
        )
        return snapshot_id

    # -- servers

    def spec(
        self, volumes: list[str], ports: list[str], *, uid: str = "", **metadata: str
    ) -> ServerSpec:
        return ServerSpec(
            name="contract",
            flavor_id=self.target.flavor_id(self.cloud),
            volume_ids=volumes,
            port_ids=ports,
            metadata={UID_KEY: uid or self.uid(), **metadata},
            user_data="#cloud-config\n",
        )

    def server(self, *, uid: str = "", **metadata: str) -> ServerSeen:
        """Make a running server with one volume and one port."""
        volume, port = self.volume(bootable=True), self.port()
        server_id = self.client.create_server(self.spec([volume.id], [port], uid=uid, **metadata))
        return self.server_when(server_id, "ACTIVE")

    def server_when(self, server_id: str, *statuses: str) -> ServerSeen:
        """Wait until the server is idle in one of these states; fails at once where it is in ERROR."""
        found = until(
            f"server {server_id} {statuses}",
            lambda: self.client.get_server(server_id),
            lambda seen: (
                seen is not None and seen.status in (*statuses, "ERROR") and seen.task_state is None
            ),
        )
        assert found is not None
        assert found.status in statuses, found.fault
        return found

    def delete_server(self, server_id: str) -> None:
        """Ask until it is gone: Nova ignores a DELETE in some task states."""
        until(
            f"end of server {server_id}",
            lambda: self.client.delete_server(server_id) and self.client.get_server(server_id),
            lambda seen: not seen,
        )

    # -- afterwards

    def clean(self) -> None:
        """Remove what any case made with this bench's uids, in both clouds and the storage."""
        benches = (self, self.other)
        for bench in benches:
            for server in bench._ours(bench.client.list_servers()):
                bench.delete_server(server.id)
        for bench in benches:
            for volume in bench._ours(bench.client.list_volumes()):
                bench._remove_volume(volume.id)
        for reference in self.references & self.target.stored():
            volume_id = self.take_in(reference)
            self.volume_when(volume_id, "available")
            self._remove_volume(volume_id)
        for bench in benches:
            for port in bench._ours(bench.client.list_ports()):
                bench.client.delete_port(port.id)
            for uid in self.network_uids:
                for subnet in bench.client.find_subnets(uid):
                    bench.client.delete_subnet(subnet.id)
                for network in bench.client.find_networks(uid):
                    bench.client.delete_network(network.id)
        for flavor in self.flavors:
            self.target.raw(self.cloud).delete(NOVA, "test", f"/flavors/{flavor}")

    def _ours(self, seen: Iterable[Marked]) -> list[Marked]:
        return [item for item in seen if item.uid in self.uids]

    def _remove_volume(self, volume_id: str) -> None:
        raw = self.target.raw(self.cloud)
        path = "/snapshots/detail"
        for snapshot in raw.pages(CINDER, "test", path, "snapshots", {"volume_id": volume_id}):
            raw.delete(CINDER, "test", f"/snapshots/{snapshot['id']}")
        until(
            f"end of snapshots of {volume_id}",
            lambda: self.client.count_snapshots(volume_id),
            lambda count: count == 0,
        )
        until(f"removal of {volume_id}", lambda: self._try_removal(volume_id), lambda gone: gone)

    def _try_removal(self, volume_id: str) -> bool:
        volume = self.client.get_volume(volume_id)
        if volume is None:
            return True
        try:
            if volume.status == "error" and volume.size_gib == 0:
                self.client.unmanage_volume(volume_id)
            elif volume.status in ("available", "error"):
                self.client.delete_volume(volume_id)
        except ProviderFault as fault:
            if fault.kind is not FaultKind.CONFLICT:
                raise
        return False


def sweep(target: Target, cloud: str) -> None:
    """Remove what a run that was killed left in the suite's own project."""
    raw, client = target.raw(cloud), target.client(cloud)
    for service, path in (
        (NOVA, "/os-quota-sets"),
        (CINDER, "/os-quota-sets"),
        (NEUTRON, "/quotas"),
    ):
        raw.delete(service, "test", f"{path}/{raw.project_id}")
    params = {"project_id": raw.project_id}
    networks = raw.pages(NEUTRON, "test", "/networks", "networks", params)
    left: list[ServerSeen | VolumeSeen | PortSeen] = [
        *client.list_servers(),
        *client.list_volumes(),
        *client.list_ports(),
    ]
    Bench(
        target,
        cloud,
        uids=[item.uid for item in left],
        network_uids=[uid_of_mark(network["description"]) for network in networks],
    ).clean()
