"""How cinder shows its objects."""

from __future__ import annotations

from cycloud.simulator.calls import Call, Json, stamp
from cycloud.simulator.models.block_storage import Attachment, Snapshot, Volume, VolumeType


def volume_brief(call: Call, volume: Volume) -> Json:
    """A volume as manage shows it: without what newer microversions added."""
    project = call.project_id
    return {
        "id": volume.id,
        "status": volume.status,
        "size": volume.size,
        "availability_zone": volume.availability_zone,
        "created_at": stamp(volume.created, micro=True),
        "updated_at": stamp(volume.updated, micro=True),
        "name": volume.name,
        "description": volume.description,
        "volume_type": volume.volume_type,
        "snapshot_id": volume.snapshot_id,
        "source_volid": volume.source_volid,
        "metadata": dict(volume.metadata),
        "links": [
            {"rel": "self", "href": f"{call.base}/volume/v3/{project}/volumes/{volume.id}"},
            {"rel": "bookmark", "href": f"{call.base}/volume/{project}/volumes/{volume.id}"},
        ],
        "user_id": volume.user_id,
        "bootable": "true" if volume.bootable else "false",
        "encrypted": volume.encrypted,
        "replication_status": volume.replication_status,
        "consistencygroup_id": volume.consistencygroup_id,
        "multiattach": volume.multiattach,
        "attachments": [
            {
                "id": volume.id,
                "attachment_id": a.id,
                "volume_id": volume.id,
                "server_id": a.instance,
                "host_name": a.host_name,
                "device": a.device,
                "attached_at": stamp(a.attached_at, micro=True),
            }
            for a in volume.attachments.values()
            if a.status == "attached"
        ],
        "migration_status": volume.migration_status,
    }


def volume_view(call: Call, volume: Volume, *, full: bool = True) -> Json:
    """A volume; `full` adds what only GET shows."""
    body = volume_brief(call, volume)
    if call.version >= (3, 13):
        body["group_id"] = volume.group_id
    if call.version >= (3, 21):
        body["provider_id"] = None
    if call.version >= (3, 48):
        body["shared_targets"] = volume.shared_targets
        body["service_uuid"] = volume.service_uuid
    if full:
        body["os-vol-tenant-attr:tenant_id"] = volume.project_id
        if call.is_admin:
            body["os-vol-mig-status-attr:migstat"] = volume.migration_status
            body["os-vol-mig-status-attr:name_id"] = None
            body["os-vol-host-attr:host"] = volume.host
        if volume.image_metadata:
            body["volume_image_metadata"] = dict(volume.image_metadata)
    return body


def snapshot_view(call: Call, snapshot: Snapshot, *, full: bool = True) -> Json:
    """A snapshot."""
    body: Json = {
        "id": snapshot.id,
        "created_at": stamp(snapshot.created, micro=True),
        "updated_at": stamp(snapshot.updated, micro=True),
        "name": snapshot.name,
        "description": snapshot.description,
        "volume_id": snapshot.volume_id,
        "status": snapshot.status,
        "size": snapshot.size,
        "metadata": dict(snapshot.metadata),
        "user_id": snapshot.user_id,
    }
    if call.version >= (3, 14):
        body["group_snapshot_id"] = None
    if full:
        body["os-extended-snapshot-attributes:project_id"] = snapshot.project_id
        body["os-extended-snapshot-attributes:progress"] = "100%"
    return body


def attachment_view(attachment: Attachment, *, full: bool = True) -> Json:
    """An attachment."""
    body: Json = {
        "id": attachment.id,
        "status": attachment.status,
        "instance": attachment.instance,
        "volume_id": attachment.volume_id,
    }
    if full:
        body |= {
            "attached_at": stamp(attachment.attached_at, micro=True) or "",
            "detached_at": "",
            "attach_mode": "rw" if attachment.status == "attached" else None,
            "connection_info": {
                "driver_volume_type": "rbd",
                "name": f"volumes/volume-{attachment.volume_id}",
            }
            if attachment.status == "attached"
            else {},
        }
    return body


def type_view(kind: VolumeType) -> Json:
    """A volume type."""
    return {
        "id": kind.id,
        "name": kind.name,
        "is_public": True,
        "description": None,
        "extra_specs": {"volume_backend_name": kind.backend},
        "qos_specs_id": None,
        "os-volume-type-access:is_public": True,
    }
