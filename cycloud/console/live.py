"""Which group of hints a subscription of a page means, after checking that the page may have it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from compute.selectors.instances import list_instances
from compute.selectors.volumes import list_volumes
from cycloud.core.aip.errors import InvalidArgument, NotFound
from cycloud.core.changes.hints import group_for_project, group_for_resource
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor, Role
from networking.selectors.networks import list_network_interfaces, list_subnets, list_vpcs

__all__ = ["KINDS", "group_for"]


def _volumes(*, actor: Actor, project_id: str) -> QuerySet[Any]:
    return list_volumes(actor=actor, project_id=project_id, show_deleted=True)


KINDS: dict[str, Callable[..., QuerySet[Any]]] = {
    "Instance": list_instances,
    "Volume": _volumes,
    "NetworkInterface": list_network_interfaces,
    "Subnet": list_subnets,
    "Vpc": list_vpcs,
}


def group_for(actor: Actor, project_id: str, kind: str, uid: UUID | None) -> str:
    """Return the channel group for all resources of ``kind`` in the project, or for the one with ``uid``.

    Raises NotFound where the project is not the actor's, or the resource is not in that project;
    InvalidArgument for a kind that pages do not show.
    """
    project = project_for(actor, project_id, Role.VIEWER)
    listing = KINDS.get(kind)
    if listing is None:
        raise InvalidArgument.field("kind", f"use one of {', '.join(KINDS)}.")
    if uid is None:
        return group_for_project(project.pk, kind)
    if not listing(actor=actor, project_id=project_id).filter(uid=uid).exists():
        raise NotFound(f"There is no {kind} with the uid {uid} in projects/{project_id}.")
    return group_for_resource(uid)
