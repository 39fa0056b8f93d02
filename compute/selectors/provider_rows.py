"""Provider rows by what they belong to; for controllers."""

from uuid import UUID

from compute.models import OpenStackInstance

__all__ = ["instance_of_volume", "is_leaving", "is_moving"]

# what a server row says while its server is being taken down
_LEAVING = frozenset({"Moving", "Updating", "Deleting"})


def instance_of_volume(volume_uid: UUID) -> OpenStackInstance | None:
    """Return the provider instance of the instance that the volume is attached to, if there is one."""
    return (
        OpenStackInstance.objects.select_related("cluster", "instance__project")
        .filter(instance__volume_attachments__volume__uid=volume_uid)
        .first()
    )


def is_leaving(row: OpenStackInstance | None) -> bool:
    """Whether the server is being taken down, so that its volumes and ports will be free in a moment."""
    ready = row.ready if row is not None else None
    return ready is not None and ready.reason in _LEAVING


def is_moving(row: OpenStackInstance | None) -> bool:
    """Whether the server's own controller follows a server that is being taken down in another cluster."""
    ready = row.ready if row is not None else None
    return ready is not None and ready.reason == "Moving"
