"""Cinder: volumes, their metadata and actions."""

from __future__ import annotations

import ast
import json

from cycloud.simulator.calls import (
    Answer,
    Call,
    Json,
    Routes,
    api_error,
    check_keys,
    check_strings,
    invalid,
    next_page,
)
from cycloud.simulator.cloud import Version, new_id
from cycloud.simulator.models.block_storage import Volume, VolumeType
from cycloud.simulator.volume_views import volume_view

routes = Routes()
PROJECT = "/v3/{project}"

MALFORMED = (
    "The server could not comply with the request since it is either malformed or otherwise"
    " incorrect."
)
NOT_FREE = (
    "Invalid volume: Volume status must be available or error or error_restoring or"
    " error_extending or error_managing and must not be migrating, attached, belong to a group,"
    " have snapshots, awaiting a transfer, or be disassociated from snapshots after volume"
    " transfer."
)
NEW_VOLUME = {
    "name",
    "display_name",
    "description",
    "display_description",
    "volume_type",
    "metadata",
    "snapshot_id",
    "source_volid",
    "consistencygroup_id",
    "size",
    "availability_zone",
    "multiattach",
    "image_id",
    "imageRef",
    "group_id",
    "backup_id",
}
FREE_STATES = {"available", "error", "error_restoring", "error_extending", "error_managing"}


@routes("GET", "/")
def versions(call: Call) -> Answer:
    """300 with the only version."""
    return Answer(300, {"versions": [_version(call)]})


@routes("GET", "/v3")
def version(call: Call) -> Answer:
    """The same with 200."""
    return Answer(200, {"versions": [_version(call)]})


def _version(call: Call) -> Json:
    major, minor = call.cloud.release.volume
    return {
        "id": "v3.0",
        "status": "CURRENT",
        "version": f"{major}.{minor}",
        "min_version": "3.0",
        "updated": "2023-08-31T00:00:00Z",
        "links": [
            {"rel": "describedby", "type": "text/html", "href": "https://docs.openstack.org/"},
            {"rel": "self", "href": f"{call.base}/volume/v3/"},
        ],
        "media-types": [
            {
                "base": "application/json",
                "type": "application/vnd.openstack.volume+json;version=3",
            }
        ],
    }


def needs(call: Call, version: Version) -> None:
    """A resource that an older microversion does not have is not found."""
    if call.version < version:
        raise api_error(404, "The resource could not be found.")


def require_admin(call: Call, policy: str) -> None:
    """403 in cinder's words for a member."""
    if not call.is_admin:
        raise api_error(403, f"Policy doesn't allow {policy} to be performed.")


def find_volume(call: Call) -> Volume:
    """The volume that the path names (404)."""
    volume = call.cloud.volumes.get(call.params["id"])
    if volume is None or not call.sees(volume.project_id):
        raise api_error(404, f"Volume {call.params['id']} could not be found.")
    return volume


def body_of(call: Call, key: str) -> Json:
    """The object under `key` in the body (400)."""
    try:
        value = call.data().get(key)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise api_error(400, f"'{key}' is a required property")
    return value


def type_of(call: Call, wanted: str | None) -> VolumeType | None:
    """A volume type by id or name; the default one (shared) for None."""
    types = call.cloud.volume_types
    if not wanted:
        return next((t for t in types.values() if t.name == "shared"), None)
    return types.get(wanted) or next((t for t in types.values() if t.name == wanted), None)


def used(call: Call, project: str) -> dict[str, int]:
    """Numbers and GiB of a project's volumes and snapshots."""
    volumes = [v for v in call.cloud.volumes.values() if v.project_id == project]
    snapshots = [s for s in call.cloud.snapshots.values() if s.project_id == project]
    return {
        "volumes": len(volumes),
        "snapshots": len(snapshots),
        "gigabytes": sum(v.size for v in volumes) + sum(s.size for s in snapshots),
    }


def check_quota(call: Call, *, volumes: int = 0, gigabytes: int = 0) -> None:
    """413 in cinder's words if the project would go over a limit."""
    limits, now = call.cloud.quotas.volume, used(call, call.project_id)
    if gigabytes and 0 <= limits["gigabytes"] < now["gigabytes"] + gigabytes:
        raise api_error(
            413,
            "VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed"
            f" gigabytes quota. Requested {gigabytes}G, quota is {limits['gigabytes']}G and"
            f" {now['gigabytes']}G has been consumed.",
        )
    if volumes and 0 <= limits["volumes"] < now["volumes"] + volumes:
        raise api_error(
            413,
            "VolumeLimitExceeded: Maximum number of volumes allowed"
            f" ({limits['volumes']}) exceeded for quota 'volumes'.",
        )


def touch(call: Call, volume: Volume) -> None:
    """Note the change."""
    volume.updated = call.site.now()


# -- volumes


@routes("POST", f"{PROJECT}/volumes")
def create(call: Call) -> Answer:
    """A volume, empty or with an image's bytes; "creating" at first."""
    body = body_of(call, "volume")
    check_keys("volume", body, NEW_VOLUME)
    metadata = check_strings(body.get("metadata") or {}, "metadata")
    _check_source(body)
    kind = type_of(call, body.get("volume_type"))
    if kind is None:
        text = f"Volume type with name {body['volume_type']} could not be found."
        raise api_error(404, text)
    if body.get("availability_zone") not in (None, "nova"):
        raise api_error(400, f"Availability zone '{body['availability_zone']}' is invalid.")
    image = call.cloud.images.get(body["imageRef"]) if body.get("imageRef") else None
    if body.get("imageRef") and (image is None or image.status != "active"):
        raise api_error(400, "Invalid image identifier or unable to access requested image.")
    check_quota(call, volumes=1, gigabytes=int(body["size"]))
    volume = Volume(
        new_id(),
        call.project_id,
        call.user.user.id,
        int(body["size"]),
        kind.name,
        next(p for p in call.cloud.pools() if p.endswith(f"#{kind.backend}")),
        call.site.now(),
        name=body.get("name"),
        description=body.get("description"),
        metadata=metadata,
        multiattach=bool(body.get("multiattach")),
    )
    call.cloud.volumes[volume.id] = volume
    call.site.later(call.cloud, "creating", "volume.create", volume.id, body.get("imageRef") or "")
    return Answer(202, {"volume": volume_view(call, volume, full=False)})


def _check_source(body: Json) -> None:
    """400 without a whole size; 404 for a snapshot or volume as source: none is simulated."""
    for key, kind in (("snapshot_id", "Snapshot"), ("source_volid", "Volume")):
        if body.get(key):
            raise api_error(404, f"{kind} {body[key]} could not be found.")
    size = body.get("size")
    if size is None:
        raise api_error(400, MALFORMED)
    if not str(size).isdigit():
        raise invalid("size", size, f"{size!r} does not match '^[0-9]+$'")
    if int(size) < 1:
        raise invalid("size", size, f"{size} is less than the minimum of 1")


@routes("GET", f"{PROJECT}/volumes/{{id}}")
def show(call: Call) -> Answer:
    """One volume."""
    return Answer(200, {"volume": volume_view(call, find_volume(call))})


@routes("PUT", f"{PROJECT}/volumes/{{id}}")
def update(call: Call) -> Answer:
    """Change name, description or all metadata."""
    volume = find_volume(call)
    body = body_of(call, "volume")
    if not body:
        raise invalid("volume", body, "{} is not valid under any of the given schemas")
    volume.name = body.get("name", volume.name)
    volume.description = body.get("description", volume.description)
    if "metadata" in body:
        volume.metadata = check_strings(body["metadata"], "metadata")
    touch(call, volume)
    return Answer(200, {"volume": volume_view(call, volume, full=False)})


@routes("DELETE", f"{PROJECT}/volumes/{{id}}")
def delete(call: Call) -> Answer:
    """Destroy a volume and its bytes; 400 while it is in use or has snapshots."""
    volume = find_volume(call)
    if call.flag("cascade"):
        for snapshot in [s for s in call.cloud.snapshots.values() if s.volume_id == volume.id]:
            del call.cloud.snapshots[snapshot.id]
    check_free(call, volume)
    volume.status = "deleting"
    touch(call, volume)
    call.site.later(call.cloud, "deleting", "volume.delete", volume.id)
    return Answer(202, "")


def check_free(call: Call, volume: Volume, *, force: bool = False) -> None:
    """400 unless the volume may be deleted or unmanaged (cinder has one text for all)."""
    bound = (
        volume.attachments
        or volume.group_id
        or volume.consistencygroup_id
        or volume.migration_status not in (None, "deleting", "error", "success")
        or any(s.volume_id == volume.id for s in call.cloud.snapshots.values())
    )
    if force and bound:
        raise api_error(400, "Invalid volume: Volume " + NOT_FREE[NOT_FREE.index(" must not") :])
    if bound or (volume.status not in FREE_STATES and not force):
        raise api_error(400, NOT_FREE)


@routes("GET", f"{PROJECT}/volumes")
def list_brief(call: Call) -> Answer:
    """Ids and names."""
    answer = list_detail(call)
    keep = ("id", "name", "links")
    answer.body["volumes"] = [{k: v[k] for k in keep} for v in answer.body["volumes"]]
    return answer


@routes("GET", f"{PROJECT}/volumes/detail")
def list_detail(call: Call) -> Answer:
    """Volumes, newest first, by name, status, metadata ({"k": "v"}), bootable and so on."""
    found = [
        v
        for v in reversed(call.cloud.volumes.values())
        if call.lists(v.project_id) and all(_matches(v, key, value) for key, value in call.query)
    ]
    missing = api_error(404, f"Volume {call.arg('marker')} could not be found.")
    url = f"{call.base}/volume/v3/{call.project_id}/volumes/detail"
    page, links = next_page(call, found, lambda v: v.id, url, missing)
    body: Json = {"volumes": [volume_view(call, v) for v in page]}
    if links:
        body["volumes_links"] = links
    if call.flag("with_count") and call.version >= (3, 45):
        body["count"] = len(found)
    return Answer(200, body)


def _matches(volume: Volume, key: str, value: str) -> bool:
    if key == "metadata":
        wanted = parse_dict(value)
        # As the real cinder: what it cannot parse matches nothing, without an error.
        return wanted is not None and wanted.items() <= volume.metadata.items()
    if key == "project_id":
        return volume.project_id == value
    if key in ("name", "status", "availability_zone", "group_id", "migration_status"):
        return bool(getattr(volume, key) == value)
    if key in ("bootable", "multiattach"):
        return bool(getattr(volume, key)) == (value.lower() in ("true", "1"))
    return True


def parse_dict(text: str) -> dict[str, str] | None:
    """A dict in a query, as JSON or as Python writes it; None if it is neither."""
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return None
    if not isinstance(value, dict):
        return None
    return {str(k): str(v) for k, v in value.items()}


# -- metadata


@routes("GET", f"{PROJECT}/volumes/{{id}}/metadata")
def metadata(call: Call) -> Answer:
    """All metadata."""
    return Answer(200, {"metadata": find_volume(call).metadata})


@routes("POST", f"{PROJECT}/volumes/{{id}}/metadata")
def add_metadata(call: Call) -> Answer:
    """Add to the metadata."""
    volume = find_volume(call)
    volume.metadata |= check_strings(body_of(call, "metadata"), "metadata")
    touch(call, volume)
    return Answer(200, {"metadata": volume.metadata})


@routes("PUT", f"{PROJECT}/volumes/{{id}}/metadata")
def replace_metadata(call: Call) -> Answer:
    """Replace all metadata."""
    volume = find_volume(call)
    volume.metadata = check_strings(body_of(call, "metadata"), "metadata")
    touch(call, volume)
    return Answer(200, {"metadata": volume.metadata})


@routes("PUT", f"{PROJECT}/volumes/{{id}}/metadata/{{key}}")
def set_metadata_item(call: Call) -> Answer:
    """Set one key."""
    volume = find_volume(call)
    meta = check_strings(body_of(call, "meta"), "meta")
    volume.metadata |= meta
    touch(call, volume)
    return Answer(200, {"meta": meta})


@routes("DELETE", f"{PROJECT}/volumes/{{id}}/metadata/{{key}}")
def delete_metadata_item(call: Call) -> Answer:
    """Forget one key (404)."""
    volume = find_volume(call)
    if call.params["key"] not in volume.metadata:
        text = f"Volume {volume.id} has no metadata with key {call.params['key']}."
        raise api_error(404, text)
    del volume.metadata[call.params["key"]]
    touch(call, volume)
    return Answer(200, "")
