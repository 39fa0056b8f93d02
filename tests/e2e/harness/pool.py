"""The shared Ceph pool and the guests' event log, seen past OpenStack."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.e2e.harness.testbed import CLOUDS, RUN, osbed, sql

# kept by cinder in its database also for volumes that it unmanaged or deleted
LINEAGE_QUERY = """
SELECT volume_id, value FROM {cloud}_cinder.volume_metadata WHERE `key` = '{key}'
"""


def image_name(volume_id: str) -> str:
    """Return the name that cinder's RBD driver gives to the image of a volume."""
    return f"volume-{volume_id}"


def names() -> set[str]:
    """Return the names of all images in the pool."""
    return set(osbed("rbd", "ls").split())


def info(name: str) -> dict[str, Any]:
    """Return size (bytes), id (it survives a rename), watchers, snapshots and parent."""
    facts: dict[str, Any] = json.loads(osbed("rbd", "info", name))
    return facts


def write(name: str, offset: int, text: str) -> None:
    """Write ASCII text at a byte offset."""
    osbed("rbd", "write", name, offset, text)


def read(name: str, offset: int, length: int) -> str:
    """Read ``length`` bytes at a byte offset as text."""
    return osbed("rbd", "read", name, offset, length).removesuffix("\n")


def digests(images: Iterable[str]) -> dict[str, str]:
    """Return a SHA-256 over size and all bytes of each image. Holes equal written zeros."""
    digest: dict[str, str] = json.loads(osbed("rbd", "digest", *images))
    return digest


def digest(name: str) -> str:
    """Return the digest of one image."""
    return digests([name])[name]


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Take an image out of OpenStack's sight for a while, as if its data were lost."""
    away = f"hidden-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    osbed("rbd", "rename", name, away)
    try:
        yield
    finally:
        osbed("rbd", "rename", away, name)


@dataclass(frozen=True, order=True)
class GuestEvent:
    """One line of a hypervisor's log. ``time`` is seconds since the epoch, one clock for all."""

    time: float
    cloud: str
    event: str
    server: str
    volumes: tuple[str, ...]


def guest_events(since: float = 0.0) -> list[GuestEvent]:
    """Return what happened to guests of all clouds, in the order of time."""
    events = []
    for cloud in CLOUDS:
        log = RUN / "clouds" / cloud / "data/nova/guest-events.jsonl"
        for line in log.read_text().splitlines() if log.exists() else []:
            record = json.loads(line)
            volumes = tuple(_volume_id(volume) for volume in record["volumes"])
            events.append(
                GuestEvent(record["time"], cloud, record["event"], record["server"], volumes)
            )
    return sorted(event for event in events if event.time >= since)


def _volume_id(backend: str) -> str:
    """Read the volume's id out of ``volumes/volume-<id>``."""
    return backend.rpartition("/")[2].removeprefix("volume-")


def lineage(key: str) -> dict[str, str]:
    """Return volume id -> the uid that the portal wrote into its metadata under ``key``.

    Manage gives a volume a new id and its image a new name; the uid tells that the bytes are the
    same. Volumes that are unmanaged or deleted by now are included.
    """
    rows = [row for cloud in CLOUDS for row in sql(LINEAGE_QUERY.format(cloud=cloud, key=key))]
    return {row[0]: row[1] for row in rows}


def doubles(events: Iterable[GuestEvent], same: Mapping[str, str]) -> list[str]:
    """Return a sentence for each moment at which bytes were in two running guests at once.

    ``same`` maps a volume's id to what names its bytes (see ``lineage``); a volume that is not
    in it stands for itself.
    """
    volumes: dict[str, set[str]] = {}
    running: set[str] = set()
    found = []
    for event in sorted(events):
        here = {same.get(volume, volume) for volume in event.volumes}
        match event.event:
            case "spawn" | "power_on":
                running.add(event.server)
                # the list of a start is complete
                volumes[event.server] = here
            case "attach":
                volumes.setdefault(event.server, set()).update(here)
            case "detach":
                volumes.setdefault(event.server, set()).difference_update(here)
                continue
            case "power_off":
                running.discard(event.server)
                continue
            case "destroy":
                running.discard(event.server)
                volumes.pop(event.server, None)
                continue
            case _:
                continue
        if event.server not in running:
            continue
        for other in sorted(running - {event.server}):
            both = volumes[event.server] & volumes.get(other, set())
            found += [
                f"{data} is in {event.server} ({event.cloud}, {event.event} at {event.time}) "
                f"and in {other}, which still runs"
                for data in sorted(both)
            ]
    return found
