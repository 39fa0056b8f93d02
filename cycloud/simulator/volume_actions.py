"""Cinder's actions on a volume."""

from __future__ import annotations

from collections.abc import Callable

from cycloud.simulator.block_storage import (
    PROJECT,
    check_free,
    check_quota,
    find_volume,
    routes,
    touch,
)
from cycloud.simulator.calls import Answer, Call, Json, api_error, check_strings, invalid
from cycloud.simulator.models.block_storage import Volume

Action = Callable[[Call, Volume, Json], Answer]


@routes("POST", f"{PROJECT}/volumes/{{id}}/action")
def action(call: Call) -> Answer:
    """One action by name."""
    volume = find_volume(call)
    try:
        ((name, args),) = call.data().items()
    except ValueError:
        raise api_error(400, "Malformed request body") from None
    if name not in ACTIONS:
        text = "Verify the request body and Content-Type header and try again."
        raise api_error(400, f"There is no such action: {name}. {text}")
    if name in ADMIN_ACTIONS and not call.is_admin:
        policy = ADMIN_ACTIONS[name]
        raise api_error(403, f"Policy doesn't allow {policy} to be performed.")
    answer = ACTIONS[name](call, volume, args if isinstance(args, dict) else {})
    touch(call, volume)
    return answer


def _unmanage(call: Call, volume: Volume, args: Json) -> Answer:
    if volume.encrypted:
        raise api_error(400, "Invalid volume: Unmanaging encrypted volumes is not supported.")
    check_free(call, volume)
    volume.previous_status = volume.status
    volume.status = "unmanaging"
    call.site.later(call.cloud, "unmanaging", "volume.unmanage", volume.id)
    return Answer(202, "")


def _extend(call: Call, volume: Volume, args: Json) -> Answer:
    new_size = args.get("new_size")
    if not str(new_size).isdigit():
        raise invalid("new_size", new_size, f"{new_size!r} does not match '^[0-9]+$'")
    new_size = int(str(new_size))
    if new_size <= volume.size:
        raise api_error(
            400,
            "Invalid input received: New size for extend must be greater than current size."
            f" (current: {volume.size}, extended: {new_size}).",
        )
    attached = volume.status == "in-use" and call.version >= (3, 42)
    expected = "in-use" if attached else "available"
    if volume.status != expected:
        raise api_error(
            400,
            f"Invalid volume: Volume {volume.id} status must be '{{'status': '{expected}'}}' to"
            f" extend, currently {volume.status}.",
        )
    check_quota(call, gigabytes=new_size - volume.size)
    volume.previous_status = volume.status
    volume.status = "extending"
    call.site.later(call.cloud, "extending", "volume.extend", volume.id, str(new_size))
    return Answer(202)


def _set_bootable(call: Call, volume: Volume, args: Json) -> Answer:
    if "bootable" not in args:
        raise invalid("os-set_bootable", args, "'bootable' is a required property")
    value = args["bootable"]
    volume.bootable = value is True or str(value).lower() in ("true", "1")
    return Answer(200)


def _set_image_metadata(call: Call, volume: Volume, args: Json) -> Answer:
    volume.image_metadata |= check_strings(args.get("metadata"), "metadata")
    return Answer(200, {"metadata": volume.image_metadata})


def _unset_image_metadata(call: Call, volume: Volume, args: Json) -> Answer:
    if args.get("key") not in volume.image_metadata:
        text = f"Glance metadata for volume/snapshot {volume.id} cannot be found."
        raise api_error(404, text)
    del volume.image_metadata[args["key"]]
    return Answer(200, "")


def _show_image_metadata(call: Call, volume: Volume, args: Json) -> Answer:
    return Answer(200, {"metadata": volume.image_metadata})


def _reset_status(call: Call, volume: Volume, args: Json) -> Answer:
    if "status" in args:
        volume.status = str(args["status"])
    if args.get("migration_status"):
        wanted = str(args["migration_status"])
        volume.migration_status = None if wanted == "none" else wanted
    if args.get("attach_status") == "detached":
        volume.attachments.clear()
    return Answer(202)


def _force_delete(call: Call, volume: Volume, args: Json) -> Answer:
    check_free(call, volume, force=True)
    volume.status = "deleting"
    call.site.later(call.cloud, "deleting", "volume.delete", volume.id)
    return Answer(202, "")


def _detach(call: Call, volume: Volume, args: Json) -> Answer:
    for attachment in volume.attachments.values():
        refuse_if_nova_uses(call, attachment.instance, volume.id)
    volume.attachments.clear()
    volume.status = "available"
    return Answer(202)


def refuse_if_nova_uses(call: Call, instance: str, volume_id: str) -> None:
    """409 while a server that nova knows has the volume (cinder asks nova)."""
    server = call.cloud.servers.get(instance)
    if server is not None and server.device_of(volume_id) is not None:
        text = f"Detach volume from instance {instance} using the Compute API"
        raise api_error(409, f"ConflictNovaUsingAttachment: {text}")


ACTIONS: dict[str, Action] = {
    "os-unmanage": _unmanage,
    "os-extend": _extend,
    "os-set_bootable": _set_bootable,
    "os-set_image_metadata": _set_image_metadata,
    "os-unset_image_metadata": _unset_image_metadata,
    "os-show_image_metadata": _show_image_metadata,
    "os-reset_status": _reset_status,
    "os-force_delete": _force_delete,
    "os-detach": _detach,
}
ADMIN_ACTIONS = {
    "os-unmanage": "volume_extension:volume_unmanage",
    "os-reset_status": "volume_extension:volume_admin_actions:reset_status",
    "os-force_delete": "volume_extension:volume_admin_actions:force_delete",
}
