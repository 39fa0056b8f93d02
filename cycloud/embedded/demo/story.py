"""The story: create, change the type, stop, start on the other generation, delete, undelete.

Each step checks what it promises; the first promise that does not hold ends the story with DemoFailed.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cycloud.embedded.demo.clouds import SimulatedClouds, StoredObject
from cycloud.embedded.demo.failure import DemoFailed
from cycloud.embedded.demo.portal import PortalClient, condition
from cycloud.embedded.seed_catalog import IMAGE, SHORT_VOLUME_TYPE, ZONE
from cycloud.embedded.terminal import Terminal

__all__ = ["tell"]

Resource = dict[str, Any]
SUBNET = "default"
# the addresses of the seeded subnet that the story picks from
ADDRESSES = [f"10.0.1.{last}" for last in range(64, 251)]
OLD_TYPE, NEW_TYPE = "m7a.small", "m8a.medium"
MARKED_OFFSET = 1 << 20


@dataclass
class Cast:
    """What takes part in the story. ``facts`` are what must stay the same."""

    portal: PortalClient
    clouds: SimulatedClouds
    suffix: str
    address: str
    volumes: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    facts: Resource = field(default_factory=dict)

    @property
    def instance(self) -> str:
        return f"{self.portal.parent}/instances/demo-{self.suffix}"

    def stored(self, role: str) -> StoredObject:
        return self.clouds.find(self.portal.get(self.volumes[role])["uid"])


def tell(portal: PortalClient, clouds: SimulatedClouds, terminal: Terminal) -> None:
    """Tell the whole story and clean up; raises DemoFailed at the first thing that did not hold."""
    cast = Cast(portal, clouds, secrets.token_hex(3), _free_address(portal))
    terminal.line(f"The story of {cast.instance}")
    with _cleaned_up(cast, terminal):
        for text, act in STORY:
            with terminal.step(text) as step:
                step.detail = act(cast)
    terminal.line("All of it held.")


def _create(cast: Cast) -> str:
    portal = cast.portal
    for role, size in (("root", "3Gi"), ("data", "5Gi")):
        body: Resource = {
            "volume_type": SHORT_VOLUME_TYPE,
            "availability_zone": ZONE,
            "size": size,
        }
        if role == "root":
            body["image"] = IMAGE
        resource_id = f"demo-{cast.suffix}-{role}"
        cast.volumes[role] = f"{portal.parent}/volumes/{resource_id}"
        portal.create("volumes", "volume_id", resource_id, body)
    portal.create(
        "instances",
        "instance_id",
        cast.instance.rpartition("/")[2],
        {
            "instance_type": OLD_TYPE,
            "availability_zone": ZONE,
            "network_interfaces": [{"subnet": SUBNET, "ip_address": cast.address}],
            "volumes": [{"id": name.rpartition("/")[2]} for name in cast.volumes.values()],
        },
    )
    instance = portal.get(cast.instance)
    _same("state", instance["state"], "RUNNING")
    cast.facts = _facts(cast)
    _same("address", cast.facts["interfaces"][0][1], cast.address)
    return f"{OLD_TYPE}, {cast.address}, {instance['state']}"


def _write_bytes(cast: Cast) -> str:
    for role in cast.volumes:
        item = cast.stored(role)
        cast.clouds.write(item, MARKED_OFFSET, secrets.token_bytes(64 * 1024))
        cast.digests[role] = cast.clouds.digest(item)
    _same("the digests of both volumes differ", len(set(cast.digests.values())), 2)
    return "64 KiB of random bytes in each volume"


def _change_type(cast: Cast) -> str:
    before = cast.clouds.servers(cast.facts["uid"])
    cast.portal.update(cast.instance, {"instance_type": NEW_TYPE})
    instance = cast.portal.wait(
        cast.instance,
        "UpToDate=False with reason RestartRequired",
        lambda seen: condition(seen, "UpToDate").get("reason") == "RestartRequired",
    )
    _same("UpToDate", str(condition(instance, "UpToDate")["status"]), "False")
    _same("state", instance["state"], "RUNNING")
    _same("servers", cast.clouds.servers(cast.facts["uid"]), before)
    return f"to {NEW_TYPE}: still RUNNING, UpToDate=False RestartRequired"


def _stop(cast: Cast) -> str:
    cast.portal.verb(cast.instance, "stop")
    _same("state", cast.portal.get(cast.instance)["state"], "STOPPED")
    return "STOPPED"


def _start(cast: Cast) -> str:
    before = {role: cast.stored(role) for role in cast.volumes}
    cast.portal.verb(cast.instance, "start")
    instance = cast.portal.get(cast.instance)
    _same("state", instance["state"], "RUNNING")
    _same("instance type", _last(instance["instance_type"]), NEW_TYPE)
    _same("name, uid, addresses and volumes", _facts(cast), cast.facts)
    servers = cast.clouds.servers(cast.facts["uid"])
    _same("servers per cloud", servers, {"a": 0, "b": 1})
    after = {role: cast.stored(role) for role in cast.volumes}
    _same("clouds of the volumes before", {item.cloud for item in before.values()}, {"a"})
    _same("clouds of the volumes after", {item.cloud for item in after.values()}, {"b"})
    _check_bytes(cast)
    _, address, mac = cast.facts["interfaces"][0]
    return f"RUNNING in the new generation; same {address}, {mac}, volumes and bytes"


def _delete_instance(cast: Cast) -> str:
    cast.portal.delete(cast.instance)
    cast.portal.wait_gone(cast.instance)
    _same("servers", cast.clouds.servers(cast.facts["uid"]), {"a": 0, "b": 0})
    _check_bytes(cast)
    return "gone; its volumes and their bytes are there"


def _delete_volume(cast: Cast) -> str:
    cast.portal.delete(cast.volumes["data"])
    volume = cast.portal.get(cast.volumes["data"])
    if not volume.get("delete_time") or not volume.get("purge_time"):
        raise DemoFailed(f"The deleted volume has no delete_time or purge_time: {volume}")
    return f"the data is kept until {volume['purge_time']}"


def _undelete(cast: Cast) -> str:
    before = cast.facts["volume_uids"]["data"]
    cast.portal.verb(cast.volumes["data"], "undelete")
    volume = cast.portal.get(cast.volumes["data"])
    _same("delete_time", volume.get("delete_time"), None)
    _same("uid", volume["uid"], before)
    _check_bytes(cast)
    return "same name, uid and bytes"


STORY: tuple[tuple[str, Callable[[Cast], str]], ...] = (
    ("Create an instance with two volumes and a chosen address", _create),
    ("Write into its volumes", _write_bytes),
    ("Change its type while it runs", _change_type),
    ("Stop it", _stop),
    ("Start it", _start),
    ("Delete the instance", _delete_instance),
    ("Delete a volume", _delete_volume),
    ("Undelete the volume", _undelete),
)


def _facts(cast: Cast) -> Resource:
    """What a move must leave as it is."""
    instance = cast.portal.get(cast.instance)
    return {
        "name": instance["name"],
        "uid": instance["uid"],
        "interfaces": [
            (_last(item["id"]), item["ip_address"], item["mac_address"])
            for item in instance["network_interfaces"]
        ],
        "volumes": [(_last(item["id"]), item["size"]) for item in instance["volumes"]],
        "volume_uids": {role: cast.portal.get(name)["uid"] for role, name in cast.volumes.items()},
    }


def _check_bytes(cast: Cast) -> None:
    for role, digest in cast.digests.items():
        _same(f"bytes of {cast.volumes[role]}", cast.clouds.digest(cast.stored(role)), digest)


def _same(what: str, seen: object, wanted: object) -> None:
    if seen != wanted:
        raise DemoFailed(f"{what}: expected {wanted}, and it is {seen}")


def _last(name: str) -> str:
    """The id at the end of a full name; an id as it is."""
    return name.rpartition("/")[2]


def _free_address(portal: PortalClient) -> str:
    used = {interface["ip_address"] for interface in portal.list("networkInterfaces")}
    free = [address for address in ADDRESSES if address not in used]
    if not free:
        raise DemoFailed(
            f"The subnet {SUBNET} has no free address left between {ADDRESSES[0]} and "
            f"{ADDRESSES[-1]}. Delete network interfaces that nobody uses."
        )
    return secrets.choice(free)


@contextmanager
def _cleaned_up(cast: Cast, terminal: Terminal) -> Iterator[None]:
    """Delete what the story made, however it ends; what cannot be deleted is named."""
    try:
        yield
    except DemoFailed:
        try:
            _clean_up(cast)
        except DemoFailed as error:
            # the story's own failure is what counts
            terminal.line(f"  Something of the story was left behind: {error}")
        raise
    with terminal.step("Clean up") as step:
        step.detail = _clean_up(cast)


def _clean_up(cast: Cast) -> str:
    portal = cast.portal
    if portal.find(cast.instance) is not None:
        portal.delete(cast.instance)
        portal.wait_gone(cast.instance)
    for interface in portal.list("networkInterfaces"):
        if interface["ip_address"] == cast.address:
            portal.delete(interface["name"])
    for name in cast.volumes.values():
        volume = portal.find(name)
        if volume is not None and not volume.get("delete_time"):
            portal.delete(name)
    return "nothing left but the volumes, which are purged in two minutes"
