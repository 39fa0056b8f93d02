"""Cinder: manage objects of the storage that it does not know yet."""

from __future__ import annotations

import json

from cycloud.simulator.block_storage import (
    PROJECT,
    body_of,
    check_quota,
    needs,
    require_admin,
    routes,
    type_of,
)
from cycloud.simulator.calls import (
    Answer,
    Call,
    Json,
    api_error,
    check_keys,
    check_strings,
    invalid,
    page_limit,
)
from cycloud.simulator.cloud import new_id
from cycloud.simulator.models.block_storage import Volume
from cycloud.simulator.storage import GIB
from cycloud.simulator.volume_views import volume_brief

MANAGE_KEYS = {
    "name",
    "description",
    "volume_type",
    "metadata",
    "availability_zone",
    "bootable",
    "host",
    "cluster",
    "ref",
}


@routes("POST", f"{PROJECT}/manageable_volumes")
def manage(call: Call) -> Answer:
    """Take an object of the storage as a volume. What is wrong with it shows later, as "error"."""
    needs(call, (3, 8))
    return manage_old(call)


@routes("POST", f"{PROJECT}/os-volume-manage")
def manage_old(call: Call) -> Answer:
    """The same under its old path."""
    require_admin(call, "volume_extension:volume_manage")
    body = body_of(call, "volume")
    check_keys("volume", body, MANAGE_KEYS)
    if not isinstance(body.get("ref"), dict):
        raise invalid("volume", body, "'ref' is a required property")
    host, ref = body.get("host"), body["ref"]
    if not host:
        text = "One and only one of cluster and host must be set."
        text = text if call.version >= (3, 16) else "Host field is missing."
        raise api_error(400, f"Invalid input received: {text}")
    kind = type_of(call, body.get("volume_type"))
    if kind is None:
        text = f"Cannot find requested '{body['volume_type']}' volume type"
        raise api_error(400, f"Invalid volume type: {text}")
    name = str(ref.get("source-name", ""))
    if name.removeprefix("volume-") in call.cloud.volumes and name.startswith("volume-"):
        text = "Unable to manage existing volume. The volume is already managed"
        raise api_error(400, text)
    pools = call.cloud.pools()
    if host not in pools and host not in [p.partition("#")[0] for p in pools]:
        raise api_error(400, f"Host '{host}' not found")
    metadata = check_strings(body.get("metadata") or {}, "metadata")
    check_quota(call, volumes=1)
    volume = Volume(
        new_id(),
        call.project_id,
        call.user.user.id,
        0,
        kind.name,
        host,
        call.site.now(),
        name=body.get("name"),
        description=body.get("description"),
        availability_zone=body.get("availability_zone") or "nova",
        metadata=metadata,
        bootable=body.get("bootable") in (True, "true", "True", "1"),
    )
    call.cloud.volumes[volume.id] = volume
    call.site.later(call.cloud, "managing", "volume.manage", volume.id, name)
    return Answer(202, {"volume": volume_brief(call, volume)})


@routes("GET", f"{PROJECT}/manageable_volumes")
def manageable(call: Call) -> Answer:
    """Objects of a backend, without what cinder knows about them."""
    answer = manageable_detail(call)
    keep = ("reference", "size", "safe_to_manage")
    listed = answer.body["manageable-volumes"]
    return Answer(200, {"manageable-volumes": [{k: v[k] for k in keep} for v in listed]})


@routes("GET", f"{PROJECT}/manageable_volumes/detail")
def manageable_detail(call: Call) -> Answer:
    """Objects of a backend. Those of another cloud look free: cinder knows only its own."""
    needs(call, (3, 8))
    require_admin(call, "volume_extension:list_manageable")
    host = call.arg("host")
    if not host:
        text = "One and only one of cluster and host must be set."
        raise api_error(400, f"Invalid input received: {text}")
    pools = {p.partition("#")[0]: p.partition("#")[2] for p in call.cloud.pools()}
    backend = pools.get(host.partition("#")[0])
    if backend is None:
        raise api_error(404, f"Service cinder-volume could not be found on host {host}.")
    listed: list[Json] = []
    for name in reversed(call.site.storage.names(backend)):
        ident = name.removeprefix("volume-")
        ours = ident if ident in call.cloud.volumes else None
        listed.append(
            {
                "reference": {"source-name": name},
                "size": -(-call.site.storage.size(name) // GIB),
                "safe_to_manage": ours is None,
                "reason_not_safe": "already managed" if ours else None,
                "cinder_id": ours,
                "extra_info": None,
            }
        )
    start = _start(call, listed)
    return Answer(200, {"manageable-volumes": listed[start : start + page_limit(call)]})


def _start(call: Call, listed: list[Json]) -> int:
    """Where the page begins: the marker is the last reference of the page before, as JSON."""
    marker = call.arg("marker")
    if not marker:
        return 0
    try:
        reference = json.loads(marker)
    except ValueError:
        text = f"marker {marker} can not be analysed, please use json like format"
        raise api_error(400, f"Invalid input received: {text}") from None
    places = [n for n, entry in enumerate(listed) if entry["reference"] == reference]
    if not places:
        raise api_error(400, f"Invalid input received: marker not found: {reference}")
    return places[0] + 1
