"""Reading volumes, with what a page shows, in a constant number of queries."""

from uuid import UUID

from django.db.models import Case, Q, QuerySet, Value, When

from compute.models import Instance, Volume
from cycloud.core.aip.errors import NotFound
from cycloud.core.conditions import Status
from cycloud.core.iam.access import in_projects, project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.resources.ready import failed_for_good, holds

__all__ = [
    "attached_instance",
    "get_volume",
    "list_volumes",
    "state_expression",
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
    project = project_for(actor, project_id, "compute.volumes.get")
    volume = volume_rows().filter(project=project, resource_id=volume_id).first()
    if volume is None:
        raise NotFound(
            f"There is no Volume projects/{project_id}/volumes/{volume_id[:80]}. "
            f"List projects/{project_id}/volumes to see what is there.",
            resource=f"projects/{project_id}/volumes/{volume_id[:80]}",
        )
    return volume


def list_volumes(*, actor: Actor, project_id: str, show_deleted: bool = False) -> QuerySet[Volume]:
    """Return the volumes of a project (``-``: of all), newest first; deleted ones only where asked for.

    The rows can be filtered by ``state``, which :func:`state_of_volume` tells of each.
    """
    wanted = in_projects(actor, project_id, "compute.volumes.list")
    rows = volume_rows().filter(wanted).order_by("-create_time", "-pk")
    rows = rows.alias(state=state_expression())
    return rows if show_deleted else rows.filter(delete_time__isnull=True)


def volume_by_uid(uid: UUID) -> Volume | None:
    """Return the volume with that uid, if it is not purged yet; for callers that have checked the rights."""
    return volume_rows().filter(uid=uid).first()


def attached_instance(volume: Volume) -> Instance | None:
    """Return the instance that has the volume. No query where :func:`volume_rows` loaded it."""
    return volume.attachment.instance if hasattr(volume, "attachment") else None


def state_of_volume(volume: Volume) -> str:
    """Return the AIP-216 state, for people: PENDING AVAILABLE IN_USE ERROR DELETED.

    A volume that is being grown or moved is PENDING until its controllers are done. The same rule for
    queries is :func:`state_expression`.
    """
    if volume.delete_time is not None:
        return "DELETED"
    if volume.is_ready:
        return "IN_USE" if hasattr(volume, "attachment") else "AVAILABLE"
    return "PENDING" if volume.reconciling else "ERROR"


def state_expression() -> Case:
    """Return :func:`state_of_volume` as an expression, for filters; the database works it out row by row."""
    attached = Q(attachment__isnull=False)
    return Case(
        When(Q(delete_time__isnull=False), then=Value("DELETED")),
        When(holds(Status.TRUE) & attached, then=Value("IN_USE")),
        When(holds(Status.TRUE), then=Value("AVAILABLE")),
        When(failed_for_good(), then=Value("ERROR")),
        default=Value("PENDING"),
    )
