"""Reading projects, members, service accounts and tokens, as far as an actor may see them."""

from uuid import UUID

from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.db.models.functions import Concat

from cycloud.core.aip.errors import NotFound
from cycloud.core.iam.access import project_for, visible_project_ids
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import ApiToken, Membership, Project, ServiceAccount

__all__ = [
    "SERVICE_ACCOUNT",
    "USER",
    "get_member",
    "get_service_account",
    "get_token",
    "list_members",
    "list_projects",
    "list_service_accounts",
    "list_tokens",
    "member_id_of",
    "principal_of",
]

USER = "user-"
SERVICE_ACCOUNT = "service-account-"
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


def list_members(*, actor: Actor, project_id: str) -> QuerySet[Membership]:
    """Return the project's members; every member may see them. Raises NotFound."""
    project = project_for(actor, project_id, Role.VIEWER)
    rows = Membership.objects.select_related("project", "user", "service_account")
    return rows.filter(project=project).annotate(member_key=_MEMBER_KEY)


def get_member(*, actor: Actor, project_id: str, member_id: str) -> Membership:
    """Return one membership; raises NotFound."""
    rows = list_members(actor=actor, project_id=project_id)
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
            f"List projects/{project_id}/members."
        )
    return found


def member_id_of(membership: Membership) -> str:
    """Return ``user-<username>`` or ``service-account-<id>``."""
    if membership.user is not None:
        return USER + membership.user.get_username()
    account = membership.service_account
    return SERVICE_ACCOUNT + (account.resource_id if account else "")


def list_service_accounts(*, actor: Actor, project_id: str) -> QuerySet[ServiceAccount]:
    """Return the project's service accounts; every member may see them. Raises NotFound."""
    project = project_for(actor, project_id, Role.VIEWER)
    return ServiceAccount.objects.select_related("project").filter(project=project)


def get_service_account(
    *, actor: Actor, project_id: str, service_account_id: str
) -> ServiceAccount:
    """Return one service account; raises NotFound."""
    rows = list_service_accounts(actor=actor, project_id=project_id)
    account = rows.filter(resource_id=service_account_id).first()
    if account is None:
        raise NotFound(
            f"There is no projects/{project_id}/serviceAccounts/{service_account_id[:80]}. "
            f"List projects/{project_id}/serviceAccounts."
        )
    return account


def list_tokens(*, actor: Actor) -> QuerySet[ApiToken]:
    """Return the actor's own tokens and those of service accounts in projects that they administer.

    For an operator: all. With a token that has a scope: none of a user's.
    """
    rows = ApiToken.objects.select_related("user", "service_account__project", "project")
    if actor.is_operator:
        return rows
    administered = [project for project, role in actor.roles.items() if role is Role.ADMIN]
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
    try:
        uid = UUID(token_uid)
    except ValueError:
        uid = UUID(int=0)
    token = list_tokens(actor=actor).filter(uid=uid).first()
    if token is None:
        raise NotFound(f"There is no tokens/{token_uid[:80]}. List tokens to see yours.")
    return token


def principal_of(token: ApiToken) -> str:
    """Return the principal that the token speaks for."""
    if token.user is not None:
        return f"users/{token.user.get_username()}"
    return str(token.service_account)
