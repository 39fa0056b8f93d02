"""One cloud: its release, its quotas and everything that its services know."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from cycloud.simulator.models.block_storage import Snapshot, Volume, VolumeType
from cycloud.simulator.models.compute import Flavor, Server
from cycloud.simulator.models.identity import Project, Token, User
from cycloud.simulator.models.image import Image
from cycloud.simulator.models.network import Network, Port, Subnet

Version = tuple[int, int]


def new_id() -> str:
    """A random UUID, as every service gives its objects."""
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Release:
    """What tells one OpenStack release from another here: its newest microversions."""

    name: str
    compute: Version
    volume: Version
    placement: Version = (1, 39)


EPOXY = Release("2025.1", compute=(2, 100), volume=(3, 71))
HIBISCUS = Release("2026.2", compute=(2, 104), volume=(3, 71))


@dataclass
class Quotas:
    """Limits of each project, -1 for none; sizes in GiB, memory in MiB."""

    compute: dict[str, int] = field(
        default_factory=lambda: {
            "cores": 400,
            "instances": 200,
            "key_pairs": 100,
            "metadata_items": 128,
            "ram": 800000,
            "server_group_members": 10,
            "server_groups": 10,
        }
    )
    volume: dict[str, int] = field(
        default_factory=lambda: {
            "volumes": 300,
            "per_volume_gigabytes": -1,
            "snapshots": 300,
            "gigabytes": 5000,
            "backups": 10,
            "backup_gigabytes": 1000,
            "groups": 10,
        }
    )
    network: dict[str, int] = field(
        default_factory=lambda: {
            "network": -1,
            "subnet": -1,
            "subnetpool": -1,
            "port": -1,
            "router": 10,
            "floatingip": 50,
            "rbac_policy": 10,
            "security_group": 10,
            "security_group_rule": 100,
        }
    )

    def of(self, service: str) -> dict[str, int]:
        """The limits of a service by its type ("compute", "block-storage", "network")."""
        table = {"compute": self.compute, "network": self.network, "block-storage": self.volume}
        return table["block-storage" if service == "volume" else service]


@dataclass
class Cloud:
    """All state of one cloud, but for the bytes of volumes and images."""

    name: str
    release: Release
    users: dict[str, User]
    tokens: dict[str, Token] = field(default_factory=dict)
    quotas: Quotas = field(default_factory=Quotas)
    flavors: dict[str, Flavor] = field(default_factory=dict)
    servers: dict[str, Server] = field(default_factory=dict)
    deleted_servers: dict[str, Server] = field(default_factory=dict)
    volumes: dict[str, Volume] = field(default_factory=dict)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    volume_types: dict[str, VolumeType] = field(default_factory=dict)
    networks: dict[str, Network] = field(default_factory=dict)
    subnets: dict[str, Subnet] = field(default_factory=dict)
    ports: dict[str, Port] = field(default_factory=dict)
    macs: dict[tuple[str, str], str] = field(default_factory=dict)
    images: dict[str, Image] = field(default_factory=dict)
    host_vcpus: int = 1024
    volume_service_id: str = field(default_factory=new_id)
    compute_service_id: str = field(default_factory=new_id)
    security_group_id: str = field(default_factory=new_id)
    server_count: int = 0
    requests: int = 0

    @property
    def compute_host(self) -> str:
        """The name of the only hypervisor."""
        return f"cmp-{self.name}"

    @property
    def projects(self) -> dict[str, Project]:
        """Projects by id."""
        return {u.project.id: u.project for u in self.users.values()}

    @property
    def project_id(self) -> str:
        """The id of the project "cycloud"."""
        return self.users["cycloud"].project.id

    def pools(self) -> list[str]:
        """Full names of cinder's pools ("host@backend#pool")."""
        backends = sorted({t.backend for t in self.volume_types.values()})
        return [f"cinder-{self.name}@{b}#{b}" for b in backends]

    def flavor_id(self, name: str) -> str:
        """The id of a flavor (KeyError names the flavor)."""
        return _id_of(self.flavors, name)

    def image_id(self, name: str) -> str:
        """The id of an image (KeyError names the image)."""
        return _id_of(self.images, name)

    def volume_type_id(self, name: str) -> str:
        """The id of a volume type (KeyError names the type)."""
        return _id_of(self.volume_types, name)

    def ports_of(self, server_id: str) -> list[Port]:
        """The ports that are bound to a server, oldest first."""
        return [p for p in self.ports.values() if p.device_id == server_id]


def _id_of(things: dict[str, Flavor] | dict[str, Image] | dict[str, VolumeType], name: str) -> str:
    for thing in things.values():
        if thing.name == name:
            return thing.id
    raise KeyError(name)
