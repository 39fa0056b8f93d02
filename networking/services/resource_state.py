"""What the verbs on VPCs, subnets and network interfaces have in common.

These resources need no controller: they are ready when their row is stored.
"""

from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import UUID

from cycloud.core.aip.errors import AlreadyExists, FailedPrecondition, InvalidArgument
from cycloud.core.aip.masks import MapPatch
from cycloud.core.aip.names import check_resource_id, generated_id
from cycloud.core.changes.record import record_added, record_changed
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status, merge_conditions, to_json
from cycloud.core.iam.models import Project
from cycloud.core.resources.metadata import check_annotations, check_display_name, check_labels
from cycloud.core.resources.models import ProjectResource

__all__ = [
    "apply_metadata",
    "find_by_uid",
    "mark_deleting",
    "new_resource_id",
    "refuse_if_deleting",
    "save_as_available",
]

R = TypeVar("R", bound=ProjectResource)
_METADATA = {
    "display_name": check_display_name,
    "labels": check_labels,
    "annotations": check_annotations,
}


def new_resource_id(
    model: type[R], project: Project, resource_id: str | None, *, prefix: str, field: str
) -> str:
    """Return the id that was asked for, or a new one; raise InvalidArgument or AlreadyExists."""
    if not resource_id:
        return generated_id(prefix)
    check_resource_id(resource_id, field)
    if model._default_manager.filter(project=project, resource_id=resource_id).exists():
        raise AlreadyExists(
            f"{project.name}/{model.collection}/{resource_id} exists already. Choose another id.",
            resource=f"{project.name}/{model.collection}/{resource_id}",
        )
    return resource_id


def apply_metadata(resource: ProjectResource, changes: Mapping[str, Any]) -> None:
    """Set the display name, labels and annotations that ``changes`` holds.

    Raises InvalidArgument for a bad value, and for a field that cannot be changed.
    """
    for field, value in changes.items():
        check = _METADATA.get(field)
        if check is None:
            raise InvalidArgument.field(
                "update_mask",
                f"{field[:80]!r} of a {resource.kind} cannot be changed. These can: "
                f"{', '.join(sorted(_METADATA))}.",
                "IMMUTABLE",
            )
        if isinstance(value, MapPatch):
            value = value.applied_to(getattr(resource, field))
        setattr(resource, field, check(value))


def save_as_available(resource: ProjectResource) -> None:
    """Store the resource with Ready=True for its generation, and record the change."""
    ready = Condition(READY, Status.TRUE, "Available", observed_generation=resource.generation)
    _save(resource, ready)


def mark_deleting(resource: ProjectResource, message: str) -> None:
    """Store that the resource is to go: ``delete_time``, a new generation, Ready=False Deleting."""
    resource.delete_time = now()
    resource.generation += 1
    ready = Condition(
        READY, Status.FALSE, "Deleting", message, observed_generation=resource.generation
    )
    _save(resource, ready)


def refuse_if_deleting(resource: ProjectResource) -> None:
    """Raise FailedPrecondition if the resource is being deleted."""
    if resource.delete_time is not None:
        raise FailedPrecondition(
            f"{resource.name} is being deleted. Use another one.",
            resource=resource.name,
            reason="DELETING",
        )


def find_by_uid(model: type[R], uid: UUID) -> R | None:
    """Return the resource with that uid, if it is still there."""
    return model._default_manager.select_related("project").filter(uid=uid).first()


def _save(resource: ProjectResource, ready: Condition) -> None:
    conditions = merge_conditions(resource.condition_list(), [ready], now())
    resource.conditions = to_json(conditions)
    resource.observed_generation = resource.generation
    record = record_added if resource.pk is None else record_changed
    if resource.pk is not None:
        resource.revision += 1
    resource.save()
    record(kind=resource.kind, uid=resource.uid, project_id=resource.project_id)
