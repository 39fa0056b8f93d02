"""Verbs on API tokens. A secret is returned once, at creation, and never again."""

from dataclasses import dataclass, field
from datetime import timedelta

from cycloud.core.aip.errors import InvalidArgument, NotFound, PermissionDenied
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.clock import now
from cycloud.core.iam.access import project_for, require_permission
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import ApiToken, Project, ServiceAccount, User
from cycloud.core.iam.selectors import get_token
from cycloud.core.iam.services.changes import DEFAULT_OPTIONS, run_change
from cycloud.core.iam.tokens import PREFIX_LENGTH, digest_of, new_secret
from cycloud.core.resources.metadata import check_display_name

__all__ = [
    "CreatedToken",
    "TokenInput",
    "check_token",
    "create_token",
    "end_token",
    "new_token",
    "revoke_token",
]

DEFAULT_LIFE = timedelta(days=30)
MAX_LIFE = timedelta(days=366)


@dataclass(frozen=True)
class TokenInput:
    """``owner``: ``users/<username>`` or ``serviceAccounts/<project>/<id>``; empty: the caller.

    ``project_id`` and ``role``, if set, narrow what the token may do. An operator's token with one of them is
    no operator's. ``life`` counts from now.
    """

    owner: str = ""
    display_name: str = ""
    project_id: str = ""
    role: str = ""
    life: timedelta = DEFAULT_LIFE


@dataclass(frozen=True)
class CreatedToken:
    """``secret`` is in no repr; it is empty for a dry run."""

    token: ApiToken
    secret: str = field(default="", repr=False)


def create_token(
    *, actor: Actor, data: TokenInput, options: WriteOptions = DEFAULT_OPTIONS
) -> CreatedToken:
    """Make a token for oneself, a service account of a project one administers, or (operators) anybody.

    A token with a scope makes no token for its own owner: that could be wider. Raises InvalidArgument,
    NotFound, PermissionDenied.
    """

    def write() -> CreatedToken:
        check_token(data)
        user, account = _owner(actor, data.owner)
        project = (
            project_for(actor, data.project_id, "iam.projects.get") if data.project_id else None
        )
        made = new_token(data, user=user, service_account=account, project=project)
        return CreatedToken(made.token) if options.validate_only else made

    return run_change(
        write,
        actor=actor,
        method="CreateToken",
        name=lambda made: f"tokens/{made.token.uid}",
        options=options,
        detail={"owner": data.owner or actor.principal},
    )


def revoke_token(
    *, actor: Actor, token_uid: str, options: WriteOptions = DEFAULT_OPTIONS
) -> ApiToken:
    """End a token at once; again is no error. Who may see a token may revoke it. Raises NotFound."""

    def write() -> ApiToken:
        token = get_token(actor=actor, token_uid=token_uid)
        end_token(token)
        return token

    return run_change(
        write,
        actor=actor,
        method="DeleteToken",
        name=lambda token: f"tokens/{token.uid}",
        options=options,
    )


def check_token(data: TokenInput) -> None:
    """Raise InvalidArgument for a wrong display name, role or life."""
    check_display_name(data.display_name)
    if data.role and data.role not in {role.value for role in Role}:
        known = ", ".join(role.value for role in Role)
        raise InvalidArgument.field("role", f"{data.role[:40]!r} is none of {known}.")
    if not timedelta() < data.life <= MAX_LIFE:
        raise InvalidArgument.field(
            "life_seconds", f"must be above 0 and at most {MAX_LIFE.days} days."
        )


def new_token(
    data: TokenInput,
    *,
    user: User | None = None,
    service_account: ServiceAccount | None = None,
    project: Project | None = None,
) -> CreatedToken:
    """Store a token of one principal, in the caller's transaction and with its rights checked."""
    secret = new_secret()
    time = now()
    token = ApiToken.objects.create(
        display_name=data.display_name,
        user=user,
        service_account=service_account,
        project=project,
        role=data.role,
        prefix=secret[:PREFIX_LENGTH],
        digest=digest_of(secret),
        create_time=time,
        expire_time=time + data.life,
    )
    return CreatedToken(token, secret)


def end_token(token: ApiToken) -> None:
    """Make a token fail from now on; one that ended already keeps its time."""
    if token.revoke_time is None:
        token.revoke_time = now()
        token.save(update_fields=["revoke_time"])


def _owner(actor: Actor, owner: str) -> tuple[User | None, ServiceAccount | None]:
    kind, _, rest = (owner or actor.principal).partition("/")
    if kind == "serviceAccounts":
        return None, _account(actor, rest)
    if owner not in ("", actor.principal):
        require_permission(actor, "iam.tokens.createForOthers")
    _refuse_if_narrowed(actor)
    user = User.objects.filter(username=rest, is_active=True).first() if kind == "users" else None
    if user is None:
        raise InvalidArgument.field(
            "owner",
            f"{owner[:80]!r} is nobody who can have a token. Use users/<name> or "
            "serviceAccounts/<project>/<id>.",
            "UNKNOWN_PRINCIPAL",
        )
    return user, None


def _account(actor: Actor, path: str) -> ServiceAccount:
    project_id, _, resource_id = path.partition("/")
    own = actor.principal == f"serviceAccounts/{path}"
    if own:
        _refuse_if_narrowed(actor)
    else:
        project_for(actor, project_id, "iam.serviceAccountKeys.create")
    account = ServiceAccount.objects.filter(
        project__resource_id=project_id, resource_id=resource_id
    ).first()
    if account is None:
        raise NotFound(
            f"There is no service account {resource_id[:80]!r} in projects/{project_id}. "
            f"List projects/{project_id}/serviceAccounts.",
            resource=f"projects/{project_id}/serviceAccounts/{resource_id[:80]}",
        )
    return account


def _refuse_if_narrowed(actor: Actor) -> None:
    if actor.is_narrowed:
        raise PermissionDenied(
            "A token with a scope cannot make other tokens for its owner. Sign in, or use one without a scope.",
            reason="TOKEN_NARROWED",
        )
