"""Which projects the one who looks can switch to."""

from django.db.models import QuerySet

from cycloud.core.iam.access import visible_project_ids
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project

__all__ = ["visible_projects"]


def visible_projects(actor: Actor) -> QuerySet[Project]:
    """Return the projects that the actor is a member of, by id; all of them for an operator."""
    ids = visible_project_ids(actor)
    rows = Project.objects.order_by("resource_id")
    return rows if ids is None else rows.filter(resource_id__in=ids)
