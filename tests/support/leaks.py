"""What users must never see, and a visitor who looks at everything that a user can see."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from catalog.models import OpenStackCluster
from compute.models import OpenStackInstance, VolumeBinding
from cycloud.core.changes.models import Change
from cycloud.simulator.cloud import Cloud
from cycloud.urls import COLLECTIONS
from tests.support.clouds import PROJECT, Clouds

__all__ = ["SENTINEL", "Secrets", "Visitor"]

# is in the text of every error that the clouds of these tests are told to answer
SENTINEL = "zzleak-rack17.internal.example"
_ZONE = "zzleak-cluster-"
_OPENSTACK = re.compile(
    r"\b(nova|cinder|neutron|keystone|glance|openstack|libvirt|qemu|ceph|hypervisor|flavor)\b", re.I
)
_TABLES = (
    "servers",
    "deleted_servers",
    "volumes",
    "snapshots",
    "volume_types",
    "networks",
    "subnets",
    "ports",
    "images",
    "flavors",
    "projects",
)


@dataclass
class Secrets:
    """Words by what they are. ``gather`` adds what has come up since; nothing is ever taken out."""

    clouds: Clouds
    words: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.words[SENTINEL] = "text of a cloud's error"
        for cluster in OpenStackCluster.objects.all():
            old = cluster.resource_id
            cluster.resource_id = f"{_ZONE}{old}"
            cluster.display_name = f"{_ZONE}{old} in hall 3"
            cluster.save()
            self.words |= {
                cluster.resource_id: "cluster's id",
                cluster.display_name: "cluster's name",
                cluster.controller_name: "cluster's queue",
                str(cluster.uid): "cluster's uid",
                cluster.auth_url.split("/")[2]: "endpoint",
            }
        self.gather()

    def gather(self) -> None:
        for cloud in (self.clouds.a, self.clouds.b):
            self.words |= dict.fromkeys(_names_of(cloud), f"name or id in cloud {cloud.name}")
        rows = [
            *VolumeBinding.objects.values_list("provider_id", "backend_reference"),
            *OpenStackInstance.objects.values_list("server_id", "flavor_id"),
        ]
        self.words |= {word: "id that a controller keeps" for row in rows for word in row if word}

    def found_in(self, text: str) -> list[str]:
        """Return what of it, or what word of OpenStack, is in the text, with a little of what is around it."""
        found = self.names_in(text)
        match = _OPENSTACK.search(text)
        if match:
            found.append(
                f"a word of OpenStack: …{text[max(match.start() - 80, 0) : match.end() + 40]}…"
            )
        return found

    def names_in(self, text: str) -> list[str]:
        """Return what of it is in the text, without the words of OpenStack."""
        return [
            f"{kind} {word!r}: …{text[max(at - 80, 0) : at + len(word) + 40]}…"
            for word, kind in self.words.items()
            if (at := text.find(word)) >= 0
        ]


def _names_of(cloud: Cloud) -> Iterator[str]:
    yield cloud.compute_host
    yield f"cinder-{cloud.name}"
    yield from cloud.pools()
    for table in _TABLES:
        # a snapshot of these tests has a short id
        yield from (ident for ident in getattr(cloud, table) if len(ident) > 8)
    for server in cloud.servers.values():
        yield server.id


@dataclass
class Visitor:
    """A member of the project who reads all of REST and the console. ``seen`` is what, by where."""

    client: Client
    secret: str
    seen: dict[str, str] = field(default_factory=dict)

    def call(self, method: str, path: str, body: Any = None, *, language: str = "en") -> Any:
        """Call REST and keep the answer with its headers; return its JSON."""
        data = b"" if body is None else json.dumps(body).encode()
        answer = Client(raise_request_exception=False).generic(
            method,
            f"/v1/{path}",
            data,
            "application/json",
            headers={"Authorization": f"Bearer {self.secret}", "Accept-Language": language},
        )
        text = f"{answer.content.decode()}\n{dict(answer.headers)}"
        self.seen[f"{method} {path} ({answer.status_code})"] = text
        return answer.json() if answer.content else None

    def read_everything(self) -> None:
        """Read every list and every member of it, the feed of changes, and the pages of the console."""
        for path in _lists():
            lists = [self.call("GET", f"{path}{query}") for query in ("", "?show_deleted=true")]
            names = {
                item["name"]
                for answer in lists
                for items in answer.values()
                for item in (items if isinstance(items, list) else [])
            }
            for name in sorted(names):
                self.call("GET", name, language="ja")
        for change in Change.objects.filter(project__resource_id=PROJECT):
            self.seen[f"change {change.version}"] = json.dumps(change.body, ensure_ascii=False)
        for page in self._pages():
            answer = self.client.get(page)
            self.seen[f"page {page} ({answer.status_code})"] = answer.content.decode()

    def try_everything(self) -> None:
        """Ask for all that could be refused, without keeping any of it."""
        dry = {"validate_only": True}
        for instance in self.call("GET", f"projects/{PROJECT}/instances")["instances"]:
            name = instance["name"]
            for verb in ("start", "stop", "restart"):
                self.call("POST", f"{name}:{verb}", dry)
            for volume in instance["volumes"]:
                for verb in ("attachVolume", "detachVolume"):
                    self.call("POST", f"{name}:{verb}", {**dry, "volume": volume["id"]})
            for kind in ("m7a.small", "m8a.small", "m8a.large", "none"):
                for query in ("", "&update_mask=instance_type"):
                    path = f"{name}?validate_only=true{query}"
                    self.call("PATCH", path, {"instance_type": kind}, language="ja")
            self.call("DELETE", f"{name}?validate_only=true")
            self.call("POST", f"projects/{PROJECT}/instances?validate_only=true", instance)
        for volume in self.call("GET", f"projects/{PROJECT}/volumes?show_deleted=true")["volumes"]:
            self.call("POST", f"{volume['name']}:undelete", dry)
            self.call("PATCH", f"{volume['name']}?validate_only=true", {"size": "400Gi"})
            self.call("DELETE", f"{volume['name']}?validate_only=true")
        for operation in self.call("GET", f"projects/{PROJECT}/operations")["operations"]:
            self.call("POST", f"{operation['name']}:cancel", dry)
        for path in ("openStackClusters", "openStackClusters/x", "projects/other/instances"):
            self.call("GET", path)

    def _pages(self) -> Iterable[str]:
        home = f"/projects/{PROJECT}/"
        yield from ("/", "/projects/", "/healthz", "/readyz", "/metrics")
        for word in ("instances", "volumes", "network-interfaces", "subnets", "operations"):
            yield f"{home}{word}/"
        for word in ("instances", "volumes"):
            for item in self.call("GET", f"projects/{PROJECT}/{word}?show_deleted=true")[word]:
                yield f"{home}{word}/{item['name'].rpartition('/')[2]}/"
            yield f"{home}{word}/new/"


def _lists() -> Iterator[str]:
    """Yield the paths of all lists that need no other parent than the project."""
    for collection in COLLECTIONS:
        if collection.supports("rows") and not collection.within:
            yield (
                f"projects/{PROJECT}/{collection.name}"
                if collection.in_project
                else collection.name
            )
