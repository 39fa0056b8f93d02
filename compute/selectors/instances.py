"""Reading instances, with what a page shows, in a constant number of queries."""

from uuid import UUID

from django.db.models import Prefetch, QuerySet

from compute.models import Instance, NetworkAttachment, VolumeAttachment
from cycloud.core.aip.errors import NotFound
from cycloud.core.iam.access import in_projects, project_for
from cycloud.core.iam.actor import Actor

__all__ = ["get_instance", "instance_by_uid", "instance_rows", "list_instances"]


def instance_rows() -> QuerySet[Instance]:
    """All instances with types, zone, volumes and addresses; for callers that have checked the rights."""
    return Instance.objects.select_related(
        "project", "instance_type", "run_instance_type", "availability_zone"
    ).prefetch_related(
        Prefetch(
            "volume_attachments",
            VolumeAttachment.objects.select_related("volume__volume_type").order_by("device_index"),
        ),
        Prefetch(
            "network_attachments",
            NetworkAttachment.objects.select_related("network_interface__subnet").order_by(
                "device_index"
            ),
        ),
    )


def get_instance(*, actor: Actor, project_id: str, instance_id: str) -> Instance:
    """Return an instance, also one that is being deleted.

    Raises NotFound, in the same words whether it does not exist or its project is not the actor's.
    """
    project = project_for(actor, project_id, "compute.instances.get")
    instance = instance_rows().filter(project=project, resource_id=instance_id).first()
    if instance is None:
        raise NotFound(
            f"There is no Instance projects/{project_id}/instances/{instance_id[:80]}. "
            f"List projects/{project_id}/instances to see what is there.",
            resource=f"projects/{project_id}/instances/{instance_id[:80]}",
        )
    return instance


def list_instances(*, actor: Actor, project_id: str) -> QuerySet[Instance]:
    """Return the instances of a project (``-``: of all), newest first, those that are being deleted included."""
    wanted = in_projects(actor, project_id, "compute.instances.list")
    return instance_rows().filter(wanted).order_by("-create_time", "-pk")


def instance_by_uid(uid: UUID) -> Instance | None:
    """Return the instance with that uid, if it is not gone; for callers that have checked the rights."""
    return instance_rows().filter(uid=uid).first()
