"""Reading projects, members, service accounts and tokens, as far as an actor may see them."""

from uuid import UUID

from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.db.models.functions import Concat

from cycloud.core.aip.errors import InvalidArgument, NotFound
from cycloud.core.iam.access import (
    has_permission,
    held_projects,
    in_projects,
    project_for,
    visible_project_ids,
)
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import ApiToken, AuditEntry, Membership, Project, ServiceAccount
from cycloud.core.iam.permissions import PERMISSIONS

__all__ = [
    "SERVICE_ACCOUNT",
    "USER",
    "find_key",
    "get_audit_entry",
    "get_key",
    "get_member",
    "get_service_account",
    "get_token",
    "held_permissions",
    "list_audit_entries",
    "list_keys",
    "list_members",
    "list_projects",
    "list_service_accounts",
    "list_tokens",
    "member_id_of",
    "principal_of",
]

USER = "user-"
SERVICE_ACCOUNT = "service-account-"
# AIP gives no number; a page of permissions fits
_MOST_PERMISSIONS = 100
# the member's id as a column: lists are ordered by it
_MEMBER_KEY = Case(
    When(user__isnull=False, then=Concat(Value(USER), F("user__username"))),
    default=Concat(Value(SERVICE_ACCOUNT), F("service_account__resource_id")),
    output_field=CharField(),
)


def list_projects(*, actor: Actor) -> QuerySet[Project]:
    """Return the projects that the actor is a member of; for an operator all."""
    visible = visible_project_ids(actor)
    rows = Project.objects.order_by("resource_id")
    return rows if visible is None else rows.filter(resource_id__in=visible)


def held_permissions(*, actor: Actor, project_id: str, permissions: tuple[str, ...]) -> list[str]:
    """Return those of ``permissions`` that the actor has in a project, in the order asked, each once.

    None in a project that does not exist or that the actor may not know of: there is no telling these apart.
    Raises InvalidArgument for a permission that there is not, none at all, or more than 100 of them.
    """
    if not permissions:
        raise InvalidArgument.field("permissions", "is missing; name at least one.", "REQUIRED")
    if len(permissions) > _MOST_PERMISSIONS:
        raise InvalidArgument.field(
            "permissions", f"are {len(permissions)}; ask for at most {_MOST_PERMISSIONS} at once."
        )
    for index, permission in enumerate(permissions):
        if permission not in PERMISSIONS:
            raise InvalidArgument.field(
                f"permissions[{index}]",
                f"{permission[:80]!r} is no permission. See the table in the guide to access.",
                "UNKNOWN_PERMISSION",
            )
    known = Project.objects.filter(resource_id=project_id).exists()
    if not known or (project_id not in actor.roles and not actor.is_operator):
        return []
    return [
        permission
        for permission in dict.fromkeys(permissions)
        if has_permission(actor, permission, project_id)
    ]


def list_members(*, actor: Actor, project_id: str) -> QuerySet[Membership]:
    """Return the project's members. Raises NotFound."""
    project = project_for(actor, project_id, "iam.members.list")
    rows = Membership.objects.select_related("project", "user", "service_account")
    return rows.filter(project=project).annotate(member_key=_MEMBER_KEY)


def get_member(*, actor: Actor, project_id: str, member_id: str) -> Membership:
    """Return one membership; raises NotFound."""
    project = project_for(actor, project_id, "iam.members.get")
    rows = Membership.objects.select_related("project", "user", "service_account")
    rows = rows.filter(project=project)
    if member_id.startswith(USER):
        rows = rows.filter(user__username=member_id.removeprefix(USER))
    elif member_id.startswith(SERVICE_ACCOUNT):
        rows = rows.filter(service_account__resource_id=member_id.removeprefix(SERVICE_ACCOUNT))
    else:
        rows = rows.none()
    found = rows.first()
    if found is None:
        raise NotFound(
            f"There is no projects/{project_id}/members/{member_id[:80]}. "
            f"List projects/{project_id}/members.",
            resource=f"projects/{project_id}/members/{member_id[:80]}",
        )
    return found


def member_id_of(membership: Membership) -> str:
    """Return ``user-<username>`` or ``service-account-<id>``."""
    if membership.user is not None:
        return USER + membership.user.get_username()
    account = membership.service_account
    return SERVICE_ACCOUNT + (account.resource_id if account else "")


def list_service_accounts(*, actor: Actor, project_id: str) -> QuerySet[ServiceAccount]:
    """Return the service accounts of a project (``-``: of all). Raises NotFound."""
    wanted = in_projects(actor, project_id, "iam.serviceAccounts.list")
    return ServiceAccount.objects.select_related("project").filter(wanted)


def get_service_account(
    *, actor: Actor, project_id: str, service_account_id: str
) -> ServiceAccount:
    """Return one service account; raises NotFound."""
    project = project_for(actor, project_id, "iam.serviceAccounts.get")
    rows = ServiceAccount.objects.select_related("project")
    account = rows.filter(project=project, resource_id=service_account_id).first()
    if account is None:
        raise _no_account(project, service_account_id)
    return account


def list_keys(*, actor: Actor, project_id: str, service_account_id: str) -> QuerySet[ApiToken]:
    """Return the keys of a service account, ended ones included. Raises NotFound, PermissionDenied."""
    project = project_for(actor, project_id, "iam.serviceAccountKeys.list")
    account = ServiceAccount.objects.filter(project=project, resource_id=service_account_id).first()
    if account is None:
        raise _no_account(project, service_account_id)
    return _keys().filter(service_account=account)


def get_key(*, actor: Actor, project_id: str, service_account_id: str, key_id: str) -> ApiToken:
    """Return one key. Raises NotFound, PermissionDenied."""
    project = project_for(actor, project_id, "iam.serviceAccountKeys.get")
    return find_key(project, service_account_id, key_id)


def find_key(project: Project, service_account_id: str, key_id: str) -> ApiToken:
    """Return a key of an account of the project, for callers that have checked the rights. Raises NotFound."""
    rows = _keys().filter(
        service_account__project=project, service_account__resource_id=service_account_id
    )
    key = rows.filter(uid=_uid(key_id)).first()
    if key is None:
        parent = f"{project.name}/serviceAccounts/{service_account_id[:80]}/keys"
        raise NotFound(
            f"There is no {parent}/{key_id[:80]}. List {parent}.",
            resource=f"{parent}/{key_id[:80]}",
        )
    return key


def list_audit_entries(*, actor: Actor, project_id: str) -> QuerySet[AuditEntry]:
    """Return what was done and refused in a project, newest first. Raises NotFound, PermissionDenied."""
    project = project_for(actor, project_id, "iam.auditEntries.list")
    return AuditEntry.objects.filter(project=project.resource_id).order_by("-time", "-uid")


def get_audit_entry(*, actor: Actor, project_id: str, entry_id: str) -> AuditEntry:
    """Return one row of a project's audit log. Raises NotFound, PermissionDenied."""
    project = project_for(actor, project_id, "iam.auditEntries.get")
    entry = AuditEntry.objects.filter(project=project.resource_id, uid=_uid(entry_id)).first()
    if entry is None:
        parent = f"{project.name}/auditEntries"
        raise NotFound(
            f"There is no {parent}/{entry_id[:80]}. List {parent}.",
            resource=f"{parent}/{entry_id[:80]}",
        )
    return entry


def list_tokens(*, actor: Actor) -> QuerySet[ApiToken]:
    """Return the actor's own tokens and those of service accounts in projects that they administer.

    For an operator: all. With a token that has a scope: none of a user's.
    """
    rows = ApiToken.objects.select_related("user", "service_account__project", "project")
    if actor.is_operator:
        return rows
    administered = held_projects(actor, "iam.serviceAccountKeys.list") or set()
    condition = Q(service_account__project__resource_id__in=administered)
    kind, _, rest = actor.principal.partition("/")
    if kind == "users" and not actor.is_narrowed:
        condition |= Q(user__username=rest)
    elif kind == "serviceAccounts" and not actor.is_narrowed:
        project_id, _, account_id = rest.partition("/")
        condition |= Q(
            service_account__project__resource_id=project_id,
            service_account__resource_id=account_id,
        )
    return rows.filter(condition)


def get_token(*, actor: Actor, token_uid: str) -> ApiToken:
    """Return one token that the actor may see; raises NotFound, in the same words for a foreign one."""
    token = list_tokens(actor=actor).filter(uid=_uid(token_uid)).first()
    if token is None:
        raise NotFound(
            f"There is no tokens/{token_uid[:80]}. List tokens to see yours.",
            resource=f"tokens/{token_uid[:80]}",
        )
    return token


def principal_of(token: ApiToken) -> str:
    """Return the principal that the token speaks for."""
    if token.user is not None:
        return f"users/{token.user.get_username()}"
    return str(token.service_account)


def _keys() -> QuerySet[ApiToken]:
    return ApiToken.objects.select_related("service_account__project", "project")


def _uid(text: str) -> UUID:
    """Return the uid that a name ends with; for what is none, one that nothing has."""
    try:
        return UUID(text)
    except ValueError:
        return UUID(int=0)


def _no_account(project: Project, service_account_id: str) -> NotFound:
    parent = f"{project.name}/serviceAccounts"
    return NotFound(
        f"There is no {parent}/{service_account_id[:80]}. List {parent}.",
        resource=f"{parent}/{service_account_id[:80]}",
    )
