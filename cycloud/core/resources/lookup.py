"""Finding a resource for an actor: what is not the actor's does not exist for them."""

from typing import TypeVar

from cycloud.core.aip.errors import NotFound
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.resources.models import ProjectResource

__all__ = ["find_resource"]

R = TypeVar("R", bound=ProjectResource)


def find_resource(
    model: type[R],
    *,
    actor: Actor,
    project_id: str,
    resource_id: str,
    permission: str,
    for_update: bool = False,
) -> R:
    """Return the resource (deleted ones too) if the actor has ``permission`` in its project.

    ``for_update`` locks its row and wants a transaction. Raises NotFound or PermissionDenied.
    """
    project = project_for(actor, project_id, permission)
    rows = model._default_manager.filter(project=project, resource_id=resource_id)
    if for_update:
        rows = rows.select_for_update(of=("self",))
    resource = rows.select_related("project").first()
    if resource is None:
        raise NotFound(
            f"There is no {model.kind} projects/{project_id}/{model.collection}/{resource_id[:80]}. "
            f"List projects/{project_id}/{model.collection} to see what is there.",
            resource=f"projects/{project_id}/{model.collection}/{resource_id[:80]}",
        )
    return resource
