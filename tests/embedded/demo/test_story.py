"""The story against a small world in memory: it holds in a good one and ends at each broken promise."""

import io
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from cycloud.embedded.demo.clouds import SimulatedClouds, StoredObject
from cycloud.embedded.demo.failure import DemoFailed
from cycloud.embedded.demo.portal import PortalClient
from cycloud.embedded.demo.story import tell
from cycloud.embedded.terminal import Terminal

Resource = dict[str, Any]
MAC = "02:00:00:00:00:01"


@dataclass
class World:
    """Portal and clouds in one; ``broken`` names the promise that this world does not keep."""

    broken: str = ""
    parent: str = "projects/demo"
    resources: dict[str, Resource] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)
    bytes_: dict[str, str] = field(default_factory=dict)
    server: str = ""

    # -- the portal

    def get(self, name: str) -> Resource:
        if name not in self.resources:
            raise DemoFailed(f"GET {name} was refused: 404")
        return self.resources[name]

    def find(self, name: str) -> Resource | None:
        return self.resources.get(name)

    def list(self, collection: str) -> list[Resource]:
        return [r for n, r in self.resources.items() if f"/{collection}/" in n]

    def create(self, collection: str, id_field: str, resource_id: str, body: Resource) -> str:
        name = f"{self.parent}/{collection}/{resource_id}"
        self.resources[name] = {"name": name, "uid": f"uid-{resource_id}", **body}
        if collection == "volumes":
            self.homes[f"uid-{resource_id}"] = "a"
            self.bytes_[f"uid-{resource_id}"] = "empty"
            return name
        address = body["network_interfaces"][0]["ip_address"]
        interface = {"id": "ni-1", "ip_address": address, "mac_address": MAC}
        nic = f"{self.parent}/networkInterfaces/ni-1"
        self.resources[nic] = {"name": nic, "ip_address": address}
        sizes = [self.get(f"{self.parent}/volumes/{v['id']}")["size"] for v in body["volumes"]]
        volumes = [{"id": v["id"], "size": s} for v, s in zip(body["volumes"], sizes, strict=True)]
        self.resources[name].update(
            state="RUNNING", conditions=[], network_interfaces=[interface], volumes=volumes
        )
        self.server = "a"
        return name

    def update(self, name: str, changes: Resource) -> Resource:
        self.resources[name].update(changes)
        self.resources[name]["conditions"] = [
            {"type": "UpToDate", "status": "False", "reason": "RestartRequired"}
        ]
        if self.broken == "touched by the change":
            self.server = ""
        return {}

    def wait(self, name: str, what: str, holds: Any) -> Resource:
        assert holds(self.get(name))
        return self.get(name)

    def verb(self, name: str, verb: str) -> None:
        resource = self.get(name)
        if verb == "undelete":
            resource["delete_time"] = None
            if self.broken == "bytes after undelete":
                self.bytes_[resource["uid"]] = "empty"
        elif verb == "stop":
            resource["state"] = "ERROR" if self.broken == "stop" else "STOPPED"
        else:
            resource["state"] = "RUNNING"
            self._move(resource)

    def _move(self, resource: Resource) -> None:
        self.server = "a" if self.broken == "server stays" else "b"
        for uid in self.homes:
            self.homes[uid] = "a" if self.broken == "volumes stay" else "b"
        if self.broken == "mac":
            resource["network_interfaces"] = [
                {**resource["network_interfaces"][0], "mac_address": "02:00:00:00:00:02"}
            ]
        if self.broken == "bytes after the move":
            self.bytes_ = dict.fromkeys(self.bytes_, "empty")
        if self.broken == "uid":
            resource["uid"] = "another"

    def delete(self, name: str) -> None:
        if "/volumes/" in name:
            purge = None if self.broken == "purge time" else "2026-01-08T00:00:00Z"
            self.get(name).update(delete_time="2026-01-01T00:00:00Z", purge_time=purge)
            return
        self.resources.pop(name)
        if "/instances/" in name:
            self.server = "b" if self.broken == "server left behind" else ""

    def wait_gone(self, name: str) -> None:
        assert name not in self.resources

    # -- the clouds

    def servers_of(self, uid: str) -> dict[str, int]:
        return {cloud: int(self.server == cloud) for cloud in ("a", "b")}


class Clouds:
    def __init__(self, world: World) -> None:
        self.world = world

    def find(self, uid: str) -> StoredObject:
        return StoredObject(self.world.homes[uid], uid)

    def servers(self, uid: str) -> dict[str, int]:
        return self.world.servers_of(uid)

    def write(self, item: StoredObject, offset: int, data: bytes) -> None:
        self.world.bytes_[item.name] = data.hex()

    def digest(self, item: StoredObject) -> str:
        return self.world.bytes_[item.name]


def told(world: World) -> str:
    out = io.StringIO()
    tell(cast(PortalClient, world), cast(SimulatedClouds, Clouds(world)), Terminal(out))
    return out.getvalue()


def test_in_a_world_that_keeps_its_promises_it_holds_and_cleans_up() -> None:
    world = World()
    assert told(world).endswith("All of it held.\n")
    assert all(r.get("delete_time") for r in world.resources.values())


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("touched by the change", "servers: expected"),
        ("stop", "state: expected STOPPED, and it is ERROR"),
        ("server stays", "servers per cloud"),
        ("volumes stay", "clouds of the volumes after"),
        ("mac", "name, uid, addresses and volumes"),
        ("uid", "name, uid, addresses and volumes"),
        ("bytes after the move", "bytes of projects/demo/volumes"),
        ("server left behind", "servers: expected"),
        ("purge time", "no delete_time or purge_time"),
        ("bytes after undelete", "bytes of projects/demo/volumes"),
    ],
)
def test_a_promise_that_is_not_kept_ends_it_and_what_it_made_is_removed(
    broken: str, words: str
) -> None:
    world = World(broken)
    with pytest.raises(DemoFailed, match=words):
        told(world)
    assert world.list("instances") == world.list("networkInterfaces") == []


def test_a_full_subnet_is_told_before_anything_is_made() -> None:
    world = World()
    for last in range(64, 251):
        name = f"projects/demo/networkInterfaces/ni-{last}"
        world.resources[name] = {"name": name, "ip_address": f"10.0.1.{last}"}
    with pytest.raises(DemoFailed, match="no free address"):
        told(world)
    assert world.list("volumes") == []
