"""Reading volumes, with what a page shows, in a constant number of queries."""

from uuid import UUID

from django.db.models import QuerySet

from compute.models import Instance, Volume
from cycloud.core.aip.errors import NotFound
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor, Role

__all__ = [
    "attached_instance",
    "get_volume",
    "list_volumes",
    "state_of_volume",
    "volume_by_uid",
    "volume_rows",
]


def volume_rows() -> QuerySet[Volume]:
    """All volumes with their type, zone, image and attachment; for callers that have checked the rights."""
    return Volume.objects.select_related(
        "project", "volume_type", "availability_zone", "image", "attachment__instance__project"
    )


def get_volume(*, actor: Actor, project_id: str, volume_id: str) -> Volume:
    """Return a volume, also a deleted one that is not purged yet.

    Raises NotFound, in the same words whether it does not exist or its project is not the actor's.
    """
    project = project_for(actor, project_id, Role.VIEWER)
    volume = volume_rows().filter(project=project, resource_id=volume_id).first()
    if volume is None:
        raise NotFound(
            f"There is no Volume projects/{project_id}/volumes/{volume_id[:80]}. "
            f"List projects/{project_id}/volumes to see what is there."
        )
    return volume


def list_volumes(*, actor: Actor, project_id: str, show_deleted: bool = False) -> QuerySet[Volume]:
    """Return the volumes of a project, newest first; deleted ones only where asked for."""
    project = project_for(actor, project_id, Role.VIEWER)
    rows = volume_rows().filter(project=project).order_by("-create_time", "-pk")
    return rows if show_deleted else rows.filter(delete_time__isnull=True)


def volume_by_uid(uid: UUID) -> Volume | None:
    """Return the volume with that uid, if it is not purged yet; for callers that have checked the rights."""
    return volume_rows().filter(uid=uid).first()


def attached_instance(volume: Volume) -> Instance | None:
    """Return the instance that has the volume. No query where :func:`volume_rows` loaded it."""
    return volume.attachment.instance if hasattr(volume, "attachment") else None


def state_of_volume(volume: Volume) -> str:
    """Return the AIP-216 state, for people: PENDING AVAILABLE IN_USE ERROR DELETED.

    A volume that is being grown or moved is PENDING until its controllers are done.
    """
    if volume.delete_time is not None:
        return "DELETED"
    if volume.is_ready:
        return "IN_USE" if hasattr(volume, "attachment") else "AVAILABLE"
    return "PENDING" if volume.reconciling else "ERROR"
