"""What the world looks like at the end of a story, in words that do not depend on ids and times."""

import re
from typing import Any

from catalog.models import OpenStackCluster
from compute.models import (
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    Volume,
    VolumeBinding,
)
from cycloud.core.aip.models import Operation
from cycloud.core.reconcile.models import DueRow
from cycloud.core.resources.models import Reconciled
from cycloud.simulator.cloud import Cloud
from networking.models import NetworkInterface, OpenStackSubnet
from tests.crash.world import World

State = dict[str, list[Any]]

_MADE_UP = re.compile(r"ni-[0-9a-f]{12}")


def end_state(world: World) -> State:
    """Everything in the clouds, the storage and the database that a story is to leave the same."""
    names = _names()
    state: State = {"objects in the storage": _objects(world)}
    for key, cloud in sorted(world.site.clouds.items()):
        state |= {f"{key}: {what}": rows for what, rows in _in_cloud(world, cloud, names).items()}
    state |= _in_database()
    return {what: sorted(map(_plain, rows)) for what, rows in state.items()}


def _plain(row: Any) -> str:
    """The row as text, without the names that the service made up."""
    return _MADE_UP.sub("ni", repr(row))


def differences(expected: State, found: State, ignored: frozenset[str]) -> list[str]:
    """Sentences about what is not as expected."""
    return [
        f"{what}: {found.get(what)} instead of {expected.get(what)}"
        for what in sorted((expected.keys() | found.keys()) - ignored)
        if expected.get(what) != found.get(what)
    ]


def not_as_declared(world: World) -> list[str]:
    """Sentences about what the clouds do not have as the user wants it; for the end without a hit."""
    found = [
        f"{row.resource_id} is not ready: {row.ready}"
        for row in [*Instance.objects.all(), *Volume.objects.filter(delete_time=None)]
        if not row.is_ready
    ]
    servers = {
        s.metadata["cycloud_uid"]: s for c in world.site.clouds.values() for s in c.servers.values()
    }
    for instance in Instance.objects.all():
        attached = instance.volume_attachments.order_by("device_index")
        wanted = [
            str(VolumeBinding.objects.get(volume_uid=a.volume.uid).provider_id) for a in attached
        ]
        server = servers.pop(str(instance.uid), None)
        has = [d.volume_id for d in server.devices] if server else []
        if has != wanted:
            found.append(f"{instance.resource_id} has the volumes {has} instead of {wanted}")
    found += [f"a server of no instance: {server}" for server in servers.values()]
    found += [
        f"the bytes of {name} are not purged"
        for name, text in world.precious.items()
        if world.may_go(name) and world.copies(text)
    ]
    found += [f"open: {o}" for o in Operation.objects.filter(done=False)]
    return found


def ran_twice(world: World) -> list[str]:
    """Sentences about guests that were started while another one of the instance ran."""
    running: set[str] = set()
    found = []
    for event in world.site.guest_events:
        if event["event"] in ("spawn", "power_on"):
            running.add(event["server"])
        elif event["event"] in ("power_off", "destroy"):
            running.discard(event["server"])
        if len(running) > 1:
            found.append(f"two guests at once: {event}")
    return found


def _names() -> dict[str, str]:
    rows = [*Instance.objects.all(), *Volume.objects.all(), *NetworkInterface.objects.all()]
    return {str(row.uid): row.resource_id for row in rows}


def _objects(world: World) -> list[Any]:
    storage = world.site.storage
    return [(storage.size(name), storage.digest(name)) for name in storage.names()]


def _in_cloud(world: World, cloud: Cloud, names: dict[str, str]) -> State:
    owners = {
        s.id: names.get(s.metadata.get("cycloud_uid", ""), "?") for s in cloud.servers.values()
    }
    macs = {str(n.uid): n.mac_address for n in NetworkInterface.objects.all()}
    volumes = {
        v.id: names.get(v.metadata.get("cycloud_uid", ""), "?") for v in cloud.volumes.values()
    }
    return {
        "servers": [
            (
                owners[s.id],
                s.status,
                s.task_state,
                s.flavor.name,
                s.metadata.get("cycloud_run"),
                tuple(volumes.get(d.volume_id, "gone") for d in s.devices),
                len(s.ports),
            )
            for s in cloud.servers.values()
        ],
        "volumes": [
            (
                volumes[v.id],
                v.name,
                v.status,
                v.size,
                v.bootable,
                v.volume_type,
                sorted(v.image_metadata),
                [owners.get(a.instance, "gone") for a in v.attachments.values()],
                world.site.storage.exists(v.backend_name),
            )
            for v in cloud.volumes.values()
        ],
        "ports": [
            (
                names.get(p.description.removeprefix("cycloud:"), "?"),
                [ip for _, ip in p.fixed_ips],
                p.mac_address == macs.get(p.description.removeprefix("cycloud:")),
                owners.get(p.device_id, p.device_id and "gone"),
                p.status,
            )
            for p in cloud.ports.values()
        ],
        "networks": [n.name for n in cloud.networks.values()],
        "subnets": [s.cidr for s in cloud.subnets.values()],
    }


def _in_database() -> State:
    clusters = {str(c.uid): c.resource_id for c in OpenStackCluster.objects.all()}
    return {
        "instances": [
            (i.resource_id, i.state, i.desired_state, i.run, *_status(i))
            for i in Instance.objects.all()
        ],
        "volume resources": [
            (v.resource_id, v.size_gib, v.delete_time is None, *_status(v))
            for v in Volume.objects.all()
        ],
        "network interfaces": [
            (n.resource_id, n.ip_address) for n in NetworkInterface.objects.all()
        ],
        "bindings": [
            (
                b.volume_name,
                b.cluster and b.cluster.resource_id,
                b.created,
                [clusters[c] for c in b.footprint],
                b.purge_begun is None,
                *_status(b),
            )
            for b in VolumeBinding.objects.all()
        ],
        "provider servers": [
            (
                r.instance.resource_id,
                r.cluster.resource_id,
                [clusters[c] for c in r.footprint],
                *_status(r),
            )
            for r in OpenStackInstance.objects.all()
        ],
        "provider volumes": [
            (r.binding.volume_name, r.cluster.resource_id, *_status(r))
            for r in OpenStackVolume.objects.all()
        ],
        "provider ports": [
            (
                r.network_interface.resource_id,
                r.cluster.resource_id,
                [clusters[c] for c in r.footprint],
                *_status(r),
            )
            for r in OpenStackNetworkInterface.objects.all()
        ],
        "provider subnets": [
            (r.subnet.resource_id, r.cluster.resource_id, *_status(r))
            for r in OpenStackSubnet.objects.all()
        ],
        "operations": [
            (o.verb, o.target_name, o.done, o.error and o.error.get("reason"))
            for o in Operation.objects.all()
        ],
        "open operations": [str(o) for o in Operation.objects.filter(done=False)],
        "rows still to be reconciled": [r.controller for r in DueRow.objects.all()],
    }


def _status(row: Reconciled) -> tuple[Any, ...]:
    conditions = [(c.type, str(c.status), c.reason, c.message) for c in row.condition_list()]
    return (row.observed_generation == row.generation, sorted(conditions))
