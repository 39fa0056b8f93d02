"""One instance of the suites: its user's verbs, and the operator's view of what is behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.e2e.harness import pool
from tests.e2e.harness.clouds import UID_KEY, RealCloud, wait_for
from tests.e2e.harness.rest import Resource, Rest, condition, is_settled
from tests.e2e.harness.seed import IMAGE, PARENT, SUBNET, VOLUME_TYPE, ZONE

# past the first bytes of the image, and not at the start of one of Ceph's objects
OFFSET = (5 << 20) + 512


@dataclass(frozen=True)
class Identity:
    """What the user of an instance must find unchanged wherever it runs."""

    name: str
    uid: str
    ip_address: str
    mac_address: str
    volumes: tuple[tuple[str, str, str], ...]  # id, uid, size
    digests: tuple[str, ...]


class Machine:
    """An instance with volumes ``<id>-root``, ``<id>-data`` and one network interface.

    ``uids``: what the instance, its volumes and its network interface are known by in the clouds.
    """

    def __init__(self, user: Rest, clouds: Mapping[str, RealCloud], id_: str, address: str) -> None:
        self.user, self.clouds = user, clouds
        self.id, self.address = id_, address
        self.name = f"{PARENT}/instances/{id_}"
        self.volumes = [f"{id_}-root", f"{id_}-data"]
        self.interfaces: list[str] = []
        self.uids: dict[str, str] = {}

    # -- the user's verbs

    def create(self, instance_type: str = "m7a.small", image: str = IMAGE) -> Resource:
        """Ask for the instance; returns the operation."""
        root, data = self.volumes
        volume = {"volume_type": VOLUME_TYPE, "size": "1Gi"}
        body = {
            "instance_type": instance_type,
            "availability_zone": ZONE,
            "volumes": [
                {**volume, "volume_id": root, "image": image},
                {**volume, "volume_id": data},
            ],
            "network_interfaces": [{"subnet": SUBNET, "ip_address": self.address}],
        }
        operation = self.user.create(PARENT, "instances", self.id, body)
        instance = self.user.get(self.name)
        self.interfaces = [nic["id"] for nic in instance["network_interfaces"]]
        for name in [self.name, *self.volume_names, *self.interface_names]:
            self.uids[name] = self.user.get(name)["uid"]
        return operation

    @property
    def volume_names(self) -> list[str]:
        return [f"{PARENT}/volumes/{id_}" for id_ in self.volumes]

    @property
    def interface_names(self) -> list[str]:
        return [f"{PARENT}/networkInterfaces/{id_}" for id_ in self.interfaces]

    def declare_type(self, instance_type: str) -> None:
        """Ask for another type; it is taken at the next start."""
        self.user.patch(self.name, instance_type=instance_type)

    def stop(self) -> Resource:
        self.user.verb(self.name, "stop")
        return self.user.wait_state(self.name, "STOPPED")

    def start(self) -> Resource:
        self.user.verb(self.name, "start")
        return self.wait_running()

    def wait_running(self, seconds: float = 180) -> Resource:
        """Wait for Ready=True and RUNNING of the present generation."""
        return self.user.wait_for(
            self.name,
            "RUNNING and Ready",
            lambda found: (
                found["state"] == "RUNNING"
                and is_settled(found)
                and condition(found, "Ready").get("status") == "True"
            ),
            seconds,
        )

    def move(self, instance_type: str) -> Resource:
        """Take another type: declare, stop, start."""
        self.declare_type(instance_type)
        self.stop()
        return self.start()

    # -- what is behind it

    def servers(self, cloud: str) -> list[Any]:
        uid = self.uids[self.name]
        return [s for s in self.clouds[cloud].servers() if s.metadata.get(UID_KEY) == uid]

    def provider_volumes(self, cloud: str) -> dict[str, Any]:
        """Return cinder's records in that cloud by our volume ids; one for each is asserted."""
        found: dict[str, Any] = {}
        for id_, name in zip(self.volumes, self.volume_names, strict=True):
            for volume in self.clouds[cloud].volumes():
                if volume.metadata.get(UID_KEY) == self.uids[name]:
                    assert id_ not in found, f"two records of {id_} in {cloud}"
                    found[id_] = volume
        return found

    def ports(self, cloud: str) -> list[Any]:
        marks = {f"cycloud:{self.uids[name]}" for name in self.interface_names}
        return [port for port in self.clouds[cloud].ports() if port.description in marks]

    def inventory(self, cloud: str) -> dict[str, int]:
        """Count the servers, ports, volumes and attachments that belong to the instance there."""
        volumes = {volume.id for volume in self.provider_volumes(cloud).values()}
        attachments = self.clouds[cloud].attachments()
        return {
            "servers": len(self.servers(cloud)),
            "ports": len(self.ports(cloud)),
            "volumes": len(volumes),
            "attachments": len([a for a in attachments if a["volume_id"] in volumes]),
        }

    def images(self) -> dict[str, str]:
        """Return the names of the volumes' images in the pool, by our volume ids."""
        found = {}
        for cloud in self.clouds:
            for id_, volume in self.provider_volumes(cloud).items():
                assert id_ not in found, f"{id_} is in more than one cloud"
                found[id_] = pool.image_name(volume.id)
        return found

    def write(self, text: str = "bytes of") -> None:
        """Write other bytes into each volume, past OpenStack."""
        for id_, image in self.images().items():
            pool.write(image, OFFSET, f"{text} {id_}")

    def identity(self) -> Identity:
        instance = self.user.get(self.name)
        images = self.images()
        digests = pool.digests(images.values())
        nic = instance["network_interfaces"][0]
        return Identity(
            instance["name"],
            instance["uid"],
            nic["ip_address"],
            nic["mac_address"],
            tuple(
                (v["id"], self.user.get(f"{PARENT}/volumes/{v['id']}")["uid"], v["size"])
                for v in instance["volumes"]
            ),
            tuple(digests[images[id_]] for id_ in self.volumes),
        )

    # -- its end

    def remove(self) -> None:
        """Delete all of it and wait until no cloud and no pool has a trace of it."""
        self.user.delete(self.name)
        self.user.wait_gone(self.name)
        for name in [*self.volume_names, *self.interface_names]:
            self.user.delete(name)
        wait_for(f"end of what {self.id} had", self.traces, lambda found: not found, 90)

    def traces(self) -> dict[str, list[str]]:
        """Return all that the clouds and the pool have of it; empty where nothing is left."""
        known = set(self.uids.values())
        ours = {id_ for id_, uid in pool.lineage(UID_KEY).items() if uid in known}
        found = {"images": sorted({pool.image_name(id_) for id_ in ours} & pool.names())}
        for cloud, real in self.clouds.items():
            attachments = real.attachments()
            found |= {
                f"servers in {cloud}": [s.id for s in self.servers(cloud)],
                f"ports in {cloud}": [port.id for port in self.ports(cloud)],
                f"volumes in {cloud}": [
                    v.id for v in real.volumes() if v.metadata.get(UID_KEY) in known
                ],
                f"attachments in {cloud}": [a["id"] for a in attachments if a["volume_id"] in ours],
            }
        return {kind: ids for kind, ids in found.items() if ids}
