"""The one permission check, and the audit row that every write leaves."""

from typing import Any

from cycloud.core.aip.errors import NotFound, PermissionDenied
from cycloud.core.clock import now
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry, Project

__all__ = ["audit", "project_for", "require_operator", "visible_project_ids"]

_ORDER = [Role.VIEWER, Role.EDITOR, Role.ADMIN]


def project_for(actor: Actor, project_id: str, role: Role) -> Project:
    """Return the project if ``actor`` has at least ``role`` in it.

    Raises NotFound for who is no member (in the same words as for a project that does not exist),
    PermissionDenied for a member whose role is too small.
    """
    project = Project.objects.filter(resource_id=project_id).first()
    held = actor.roles.get(project_id)
    if project is None or (held is None and not actor.is_operator):
        raise NotFound(
            f"There is no project {project_id[:80]!r}, or you are not a member of it. Check the name, or "
            "ask an administrator of the project for access.",
            reason="PROJECT_NOT_FOUND",
        )
    if not actor.is_operator and (held is None or _ORDER.index(held) < _ORDER.index(role)):
        raise PermissionDenied(
            f"This needs the role {role} in projects/{project_id}; you have {held}. Ask an administrator "
            "of the project for that role.",
            metadata={"role": role.value},
        )
    return project


def require_operator(actor: Actor) -> None:
    """Raise PermissionDenied unless ``actor`` is a platform operator."""
    if not actor.is_operator:
        raise PermissionDenied("Only platform operators may do this. Ask your platform team.")


def visible_project_ids(actor: Actor) -> set[str] | None:
    """Return the ids of the projects that the actor may see; None means all."""
    return None if actor.is_operator else set(actor.roles)


def audit(actor: Actor, method: str, resource_name: str, **detail: Any) -> None:
    """Write the audit row, in the caller's transaction. ``detail`` must hold no secret."""
    AuditEntry.objects.create(
        time=now(),
        principal=actor.principal,
        method=method,
        resource_name=resource_name,
        detail=detail,
        source_address=actor.source_address,
        request_id=actor.request_id,
    )
