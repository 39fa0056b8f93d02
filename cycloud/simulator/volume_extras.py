"""The rest of cinder: snapshots, attachments, types, pools, quotas, services."""

from __future__ import annotations

from cycloud.simulator.block_storage import (
    PROJECT,
    body_of,
    check_quota,
    needs,
    require_admin,
    routes,
    type_of,
    used,
)
from cycloud.simulator.calls import (
    Answer,
    Call,
    Json,
    api_error,
    check_strings,
    next_page,
    stamp,
)
from cycloud.simulator.cloud import new_id
from cycloud.simulator.models.block_storage import Attachment, Snapshot, Volume
from cycloud.simulator.volume_actions import refuse_if_nova_uses
from cycloud.simulator.volume_views import attachment_view, snapshot_view, type_view

# -- snapshots


@routes("POST", f"{PROJECT}/snapshots")
def create_snapshot(call: Call) -> Answer:
    """A snapshot record; of a volume in use with force (or from 3.66 on)."""
    body = body_of(call, "snapshot")
    volume = call.cloud.volumes.get(str(body.get("volume_id")))
    if volume is None or not call.sees(volume.project_id):
        raise api_error(404, f"Volume {body.get('volume_id')} could not be found.")
    forced = bool(body.get("force")) or call.version >= (3, 66)
    if volume.status != "available" and not (forced and volume.status == "in-use"):
        text = f"Volume {volume.id} status must be available, but current status is:"
        raise api_error(400, f"Invalid volume: {text} {volume.status}.")
    limit = call.cloud.quotas.volume["snapshots"]
    if 0 <= limit <= used(call, call.project_id)["snapshots"]:
        text = f"SnapshotLimitExceeded: Maximum number of snapshots allowed ({limit}) exceeded"
        raise api_error(413, text)
    check_quota(call, gigabytes=volume.size)
    snapshot = Snapshot(
        new_id(),
        volume.id,
        call.project_id,
        call.user.user.id,
        volume.size,
        call.site.now(),
        name=body.get("name"),
        description=body.get("description"),
        metadata=check_strings(body.get("metadata") or {}, "metadata"),
    )
    call.cloud.snapshots[snapshot.id] = snapshot
    call.site.later(call.cloud, "creating", "snapshot.create", snapshot.id)
    return Answer(202, {"snapshot": snapshot_view(call, snapshot, full=False)})


@routes("GET", f"{PROJECT}/snapshots")
def snapshots_brief(call: Call) -> Answer:
    """The same in short."""
    answer = snapshots(call)
    more = ("user_id", "group_snapshot_id")
    answer.body["snapshots"] = [
        {k: v for k, v in s.items() if k not in more and ":" not in k}
        for s in answer.body["snapshots"]
    ]
    return answer


@routes("GET", f"{PROJECT}/snapshots/detail")
def snapshots(call: Call) -> Answer:
    """Snapshots by volume, name and status."""
    keys = ("volume_id", "name", "status")
    found = [
        s
        for s in reversed(call.cloud.snapshots.values())
        if call.lists(s.project_id) and all(getattr(s, k) == v for k, v in call.query if k in keys)
    ]
    missing = api_error(404, f"Snapshot {call.arg('marker')} could not be found.")
    url = f"{call.base}/volume/v3/{call.project_id}/snapshots/detail"
    page, links = next_page(call, found, lambda s: s.id, url, missing)
    body: Json = {"snapshots": [snapshot_view(call, s) for s in page]}
    if links:
        body["snapshots_links"] = links
    return Answer(200, body)


def _snapshot(call: Call) -> Snapshot:
    snapshot = call.cloud.snapshots.get(call.params["id"])
    if snapshot is None or not call.sees(snapshot.project_id):
        raise api_error(404, f"Snapshot {call.params['id']} could not be found.")
    return snapshot


@routes("GET", f"{PROJECT}/snapshots/{{id}}")
def show_snapshot(call: Call) -> Answer:
    """One snapshot."""
    return Answer(200, {"snapshot": snapshot_view(call, _snapshot(call))})


@routes("DELETE", f"{PROJECT}/snapshots/{{id}}")
def delete_snapshot(call: Call) -> Answer:
    """Remove a snapshot."""
    snapshot = _snapshot(call)
    snapshot.status = "deleting"
    call.site.later(call.cloud, "deleting", "snapshot.delete", snapshot.id)
    return Answer(202, "")


# -- attachments


def _attachments(call: Call) -> list[Attachment]:
    return [
        a
        for v in call.cloud.volumes.values()
        if call.lists(v.project_id)
        for a in v.attachments.values()
        if call.arg("instance_id") in ("", a.instance)
        and call.arg("volume_id") in ("", a.volume_id)
        and call.arg("status") in ("", a.status)
    ]


@routes("GET", f"{PROJECT}/attachments")
def attachments(call: Call) -> Answer:
    """Attachments by server and volume, reserved ones too."""
    needs(call, (3, 27))
    listed = [attachment_view(a, full=False) for a in _attachments(call)]
    return Answer(200, {"attachments": listed})


@routes("GET", f"{PROJECT}/attachments/detail")
def attachments_detail(call: Call) -> Answer:
    """The same in full."""
    needs(call, (3, 27))
    return Answer(200, {"attachments": [attachment_view(a) for a in _attachments(call)]})


def _attachment(call: Call) -> tuple[Volume, Attachment]:
    needs(call, (3, 27))
    for volume in call.cloud.volumes.values():
        if call.params["id"] in volume.attachments and call.sees(volume.project_id):
            return volume, volume.attachments[call.params["id"]]
    text = f"Volume attachment could not be found with filter: attachment_id = {call.params['id']}."
    raise api_error(404, text)


@routes("GET", f"{PROJECT}/attachments/{{id}}")
def show_attachment(call: Call) -> Answer:
    """One attachment."""
    return Answer(200, {"attachment": attachment_view(_attachment(call)[1])})


@routes("DELETE", f"{PROJECT}/attachments/{{id}}")
def delete_attachment(call: Call) -> Answer:
    """Free a volume whose server is gone; 409 while nova still uses it."""
    volume, attachment = _attachment(call)
    refuse_if_nova_uses(call, attachment.instance, volume.id)
    del volume.attachments[attachment.id]
    if not volume.attachments:
        volume.status = "available"
    volume.updated = call.site.now()
    left = [attachment_view(a, full=False) for a in volume.attachments.values()]
    return Answer(200, {"attachments": left})


# -- types, pools, services, quotas, messages


@routes("GET", f"{PROJECT}/types")
def types(call: Call) -> Answer:
    """Volume types."""
    return Answer(200, {"volume_types": [type_view(t) for t in call.cloud.volume_types.values()]})


@routes("GET", f"{PROJECT}/types/{{id}}")
def show_type(call: Call) -> Answer:
    """One type by id ("default": the default one)."""
    ident = call.params["id"]
    kind = type_of(call, None) if ident == "default" else call.cloud.volume_types.get(ident)
    if kind is None:
        raise api_error(404, f"Volume type {ident} could not be found.")
    return Answer(200, {"volume_type": type_view(kind)})


@routes("GET", f"{PROJECT}/scheduler-stats/get_pools")
def pools(call: Call) -> Answer:
    """Pools, with what they can do if asked for detail."""
    require_admin(call, "scheduler_extension:scheduler_stats:get_pools")
    listed: list[Json] = []
    for name in call.cloud.pools():
        pool: Json = {"name": name}
        if call.flag("detail"):
            pool["capabilities"] = {
                "vendor_name": "Open Source",
                "driver_version": "1.3.0",
                "storage_protocol": "ceph",
                "total_capacity_gb": 10000.0,
                "free_capacity_gb": 10000.0,
                "reserved_percentage": 0,
                "multiattach": True,
                "thin_provisioning_support": True,
                "max_over_subscription_ratio": "20.0",
                "location_info": f"ceph:/etc/ceph/ceph.conf:simulated:{name.partition('#')[2]}",
                "backend_state": "up",
                "volume_backend_name": name.partition("#")[2],
                "replication_enabled": False,
                "timestamp": stamp(call.site.now(), micro=True),
            }
        listed.append(pool)
    return Answer(200, {"pools": listed})


@routes("GET", f"{PROJECT}/os-services")
def services(call: Call) -> Answer:
    """cinder-volume for each backend and the scheduler."""
    require_admin(call, "volume_extension:services:index")
    now = stamp(call.site.now(), micro=True)
    hosts = [p.partition("#")[0] for p in call.cloud.pools()]
    listed = [("cinder-volume", h) for h in hosts]
    listed.append(("cinder-scheduler", f"cinder-{call.cloud.name}"))
    body = [
        {
            "binary": binary,
            "host": host,
            "zone": "nova",
            "status": "enabled",
            "state": "up",
            "updated_at": now,
            "disabled_reason": None,
        }
        for binary, host in listed
    ]
    return Answer(200, {"services": body})


@routes("GET", f"{PROJECT}/os-availability-zone")
def zones(call: Call) -> Answer:
    """The only zone."""
    zone = {"zoneName": "nova", "zoneState": {"available": True}}
    return Answer(200, {"availabilityZoneInfo": [zone]})


@routes("GET", f"{PROJECT}/messages")
def messages(call: Call) -> Answer:
    """None: what fails here leaves no message with the real ones either."""
    needs(call, (3, 3))
    return Answer(200, {"messages": []})


@routes("GET", f"{PROJECT}/limits")
def limits(call: Call) -> Answer:
    """Limits and use of the caller's project."""
    quota, now = call.cloud.quotas.volume, used(call, call.project_id)
    absolute = {
        "maxTotalVolumes": quota["volumes"],
        "maxTotalSnapshots": quota["snapshots"],
        "maxTotalVolumeGigabytes": quota["gigabytes"],
        "maxTotalBackups": quota["backups"],
        "maxTotalBackupGigabytes": quota["backup_gigabytes"],
        "totalVolumesUsed": now["volumes"],
        "totalGigabytesUsed": now["gigabytes"],
        "totalSnapshotsUsed": now["snapshots"],
        "totalBackupsUsed": 0,
        "totalBackupGigabytesUsed": 0,
    }
    return Answer(200, {"limits": {"rate": [], "absolute": absolute}})


@routes("GET", f"{PROJECT}/os-quota-sets/{{id}}")
def quota_set(call: Call) -> Answer:
    """Limits of a project, with use if asked for."""
    limits_now, now = _all_limits(call), used(call, call.params["id"])
    body: Json = dict(limits_now)
    if call.flag("usage"):
        body = {
            k: {"limit": v, "in_use": now.get(k, 0), "reserved": 0} for k, v in limits_now.items()
        }
    return Answer(200, {"quota_set": {**body, "id": call.params["id"]}})


def _all_limits(call: Call) -> dict[str, int]:
    names = [t.name for t in call.cloud.volume_types.values()]
    kinds = ("volumes", "gigabytes", "snapshots")
    unlimited = {f"{kind}_{name}": -1 for name in names for kind in kinds}
    return {**unlimited, **call.cloud.quotas.volume}


@routes("PUT", f"{PROJECT}/os-quota-sets/{{id}}")
def set_quota(call: Call) -> Answer:
    """Change limits (of every project here)."""
    require_admin(call, "volume_extension:quotas:update")
    for key, value in body_of(call, "quota_set").items():
        if key in ("tenant_id", "id", "force"):
            continue
        if key not in _all_limits(call):
            raise api_error(400, f"Invalid input received: Bad key(s) in quota set: {key}")
        call.cloud.quotas.volume[key] = int(value)
    return Answer(200, {"quota_set": _all_limits(call)})
