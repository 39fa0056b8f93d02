"""The one permission check, and the audit row that every write leaves."""

from typing import Any

from django.db.models import Q, QuerySet

from cycloud.core.aip.errors import CycloudError, NotFound, PermissionDenied
from cycloud.core.clock import now
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import AuditEntry, Project
from cycloud.core.iam.permissions import Holder, holder_of, role_has

__all__ = [
    "WILDCARD",
    "audit",
    "audit_refusal",
    "has_permission",
    "held_projects",
    "in_projects",
    "project_for",
    "projects_for",
    "require_permission",
    "visible_project_ids",
]

# AIP-159: instead of a project's id, "in all of mine"
WILDCARD = "-"


def has_permission(actor: Actor, permission: str, project_id: str = "") -> bool:
    """Tell whether ``actor`` has a permission, in a project if it is one of a project. No query.

    Raises KeyError for a permission that the table does not have.
    """
    held = actor.roles.get(project_id)
    return role_has(held, permission) or actor.is_operator


def project_for(actor: Actor, project_id: str, permission: str) -> Project:
    """Return the project if ``actor`` has ``permission`` in it.

    Raises NotFound for who is no member (in the same words as for a project that does not exist),
    PermissionDenied for a member whose role is too small, KeyError for an unknown permission.
    """
    project = Project.objects.filter(resource_id=project_id).first()
    held = actor.roles.get(project_id)
    if project is None or (held is None and not actor.is_operator):
        raise NotFound(
            f"There is no project {project_id[:80]!r}, or you are not a member of it. Check the name, or "
            "ask an administrator of the project for access.",
            resource=f"projects/{project_id[:80]}",
            reason="PROJECT_NOT_FOUND",
        )
    if has_permission(actor, permission, project_id):
        return project
    role = holder_of(permission)
    if role is Holder.OPERATOR:
        raise _operators_only(permission)
    raise PermissionDenied(
        f"This needs the role {role} in projects/{project_id}; you have {held}. Ask an administrator "
        "of the project for that role.",
        resource=f"projects/{project_id}",
        metadata={"permission": permission, "role": role.value},
    )


def require_permission(actor: Actor, permission: str) -> None:
    """Raise PermissionDenied unless ``actor`` has a permission outside projects, such as on the catalog."""
    if not has_permission(actor, permission):
        raise _operators_only(permission)


def held_projects(actor: Actor, permission: str) -> set[str] | None:
    """Return the ids of the projects in which ``actor`` has a permission; None means all. No query."""
    if actor.is_operator:
        return None
    return {project for project, role in actor.roles.items() if role_has(role, permission)}


def projects_for(actor: Actor, permission: str) -> QuerySet[Project]:
    """Return the projects in which ``actor`` has a permission: those that a ``-`` for the parent means."""
    held = held_projects(actor, permission)
    rows = Project.objects.order_by("resource_id")
    return rows if held is None else rows.filter(resource_id__in=held)


def in_projects(actor: Actor, project_id: str, permission: str) -> Q:
    """Return the condition for a list of rows that have a ``project``: of one, or (AIP-159) of all with ``-``.

    Raises what :func:`project_for` raises. With ``-``, projects where the actor lacks the permission are
    left out without a word.
    """
    if project_id != WILDCARD:
        return Q(project=project_for(actor, project_id, permission))
    held = held_projects(actor, permission)
    return Q() if held is None else Q(project__resource_id__in=held)


def _operators_only(permission: str) -> PermissionDenied:
    return PermissionDenied(
        "Only platform operators may do this. Ask your platform team.",
        metadata={"permission": permission, "role": Holder.OPERATOR.value},
    )


def visible_project_ids(actor: Actor) -> set[str] | None:
    """Return the ids of the projects that the actor may see; None means all."""
    return None if actor.is_operator else set(actor.roles)


def audit(actor: Actor, method: str, resource_name: str, **detail: Any) -> None:
    """Write the audit row of what was done, in the caller's transaction. ``detail`` must hold no secret.

    ``method`` is the RPC's name, such as CreateInstance.
    """
    _entry(actor, method, resource_name, detail=detail).save()


def audit_refusal(actor: Actor, method: str, resource_name: str, error: CycloudError) -> None:
    """Write the audit row of a refusal: code and stable reason.

    The message is left out: it repeats what the caller sent, which may be a secret in the wrong field.
    """
    entry = _entry(actor, method, resource_name)
    entry.outcome, entry.reason = error.code.name, error.reason[:64]
    entry.save()


def _entry(actor: Actor, method: str, resource_name: str, **fields: Any) -> AuditEntry:
    parts = resource_name.split("/")
    return AuditEntry(
        time=now(),
        principal=actor.principal,
        method=method,
        resource_name=resource_name,
        project=parts[1][:63] if parts[0] == "projects" and len(parts) > 1 else "",
        source_address=actor.source_address,
        request_id=actor.request_id,
        **fields,
    )
