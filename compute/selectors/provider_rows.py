"""Provider rows by what they belong to; for controllers."""

from uuid import UUID

from compute.models import OpenStackInstance

__all__ = ["instance_of_volume"]


def instance_of_volume(volume_uid: UUID) -> OpenStackInstance | None:
    """Return the provider instance of the instance that the volume is attached to, if there is one."""
    return (
        OpenStackInstance.objects.select_related("cluster", "instance__project")
        .filter(instance__volume_attachments__volume__uid=volume_uid)
        .first()
    )
