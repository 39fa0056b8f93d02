"""Who asks: from a request's bearer token or session to an Actor.

Every failure is the same Unauthenticated, whether the token is unknown, expired, revoked or its owner
disabled, so that an answer tells nothing about tokens.
"""

import re
import uuid
from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.http import HttpRequest

from cycloud.core.aip.errors import Unauthenticated
from cycloud.core.clock import now
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import (
    ApiToken,
    Membership,
    OidcIdentity,
    Project,
    ServiceAccount,
    User,
)
from cycloud.core.iam.oidc.config import oidc_config
from cycloud.core.iam.oidc.provider import looks_like_jwt, provider_for
from cycloud.core.iam.rate_limits import limit_failures, limit_principal
from cycloud.core.iam.services.oidc_identities import user_of_claims
from cycloud.core.iam.tokens import digest_of, looks_like_token

__all__ = [
    "actor_for_header",
    "actor_for_request",
    "actor_for_secret",
    "actor_for_service_account",
    "actor_for_user",
    "has_bearer_token",
    "request_id_of",
]

# last_used_time is for people who look for unused tokens: a write per call would be too much
LAST_USED_RESOLUTION = timedelta(minutes=1)
_ROLES = [Role.VIEWER, Role.EDITOR, Role.ADMIN]
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def actor_for_request(request: HttpRequest) -> Actor:
    """Return the actor of a request: its bearer token's, else its session's.

    Raises Unauthenticated where there is neither, or the token is not good. A wrong token is refused even
    where there is a good session. The caller checks CSRF for a session (:func:`has_bearer_token` is False).
    """
    address = str(request.META.get("REMOTE_ADDR") or "")[:64]
    request_id = request_id_of(request)
    header = request.META.get("HTTP_AUTHORIZATION")
    user = getattr(request, "user", None)
    if header is None and isinstance(user, User):
        actor = actor_for_user(user, source_address=address, request_id=request_id)
        limit_principal(actor.principal)
        return actor
    return actor_for_header(header, source_address=address, request_id=request_id)


def actor_for_header(
    header: str | None, *, source_address: str = "", request_id: str = ""
) -> Actor:
    """Return the actor of an ``authorization`` header or metadata: of an API token, or of an OIDC token.

    For both faces, so it also counts the call for the rate limits. Raises Unauthenticated, Unavailable where the
    identity provider does not answer, ResourceExhausted (RATE_LIMITED) for too many calls of a principal, or
    too many failures from an address.
    """
    try:
        actor = _actor_of(header, source_address, request_id)
    except Unauthenticated:
        limit_failures(source_address)
        raise
    limit_principal(actor.principal)
    return actor


def _actor_of(header: str | None, source_address: str, request_id: str) -> Actor:
    if header is None:
        raise Unauthenticated(
            "Sign in, or send an API token as 'Authorization: Bearer <token>'.",
            reason="CREDENTIALS_MISSING",
        )
    scheme, _, secret = header.partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer":
        raise Unauthenticated(
            "The Authorization header must be 'Bearer <token>'. Send an API token that way.",
            reason="CREDENTIALS_INVALID",
        )
    config = oidc_config() if looks_like_jwt(secret) else None
    if config is None:
        return actor_for_secret(secret, source_address=source_address, request_id=request_id)
    user = user_of_claims(config, provider_for(config).verify(secret))
    return actor_for_user(user, source_address=source_address, request_id=request_id)


def has_bearer_token(request: HttpRequest) -> bool:
    """Tell whether a request authenticates by its header, which a foreign page cannot forge."""
    return "HTTP_AUTHORIZATION" in request.META


def request_id_of(request: HttpRequest) -> str:
    """Return the id that this request has in answers, logs and the audit log: the caller's, or a new one."""
    known = getattr(request, "cycloud_request_id", None)
    if isinstance(known, str):
        return known
    given = request.META.get("HTTP_X_REQUEST_ID", "")
    request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
    request.cycloud_request_id = request_id  # type: ignore[attr-defined]
    return request_id


def actor_for_user(
    user: User | AnonymousUser, *, source_address: str = "", request_id: str = ""
) -> Actor:
    """Return the actor of a signed-in user, with the memberships as they are now.

    Raises Unauthenticated for an anonymous or disabled user.
    """
    if not isinstance(user, User) or not user.is_active:
        raise Unauthenticated("Sign in with an active account.", reason="CREDENTIALS_MISSING")
    return Actor(
        principal=f"users/{user.get_username()}",
        is_operator=user.is_staff,
        roles=_user_roles(user),
        source_address=source_address,
        request_id=request_id,
    )


def actor_for_service_account(account: ServiceAccount) -> Actor:
    """Return the actor of a service account in its own project, as it is now.

    For what acts on its behalf without a token. Raises Unauthenticated for a disabled one.
    """
    if account.disabled:
        raise Unauthenticated(f"{account} is disabled. Enable it, or use another one.")
    own = account.project.resource_id
    held = _roles(Q(service_account=account)).get(own)
    return Actor(
        principal=str(account), roles={} if held is None else {own: held}, is_narrowed=True
    )


def actor_for_secret(secret: str, *, source_address: str = "", request_id: str = "") -> Actor:
    """Return the actor of an API token: its owner's rights, narrowed by the token's project and role.

    Raises Unauthenticated. Notes the time of use, at most once a minute.
    """
    token = _good_token(secret)
    owner = token.user or token.service_account
    if owner is None:  # a database constraint forbids it
        raise _refused()
    is_operator = token.user is not None and token.user.is_staff
    if token.user is not None:
        principal, roles = f"users/{token.user.get_username()}", _user_roles(token.user)
    else:
        principal, roles = str(owner), _roles(Q(service_account=token.service_account))
    narrowed = token.project is not None or bool(token.role)
    if is_operator and narrowed:
        roles = _all_projects(token)
    return Actor(
        principal=principal,
        is_operator=is_operator and not narrowed,
        roles=_narrow(roles, token) if narrowed else roles,
        is_narrowed=narrowed,
        source_address=source_address,
        request_id=request_id,
    )


def _good_token(secret: str) -> ApiToken:
    if not looks_like_token(secret):
        raise _refused()
    token = (
        ApiToken.objects.select_related("user", "service_account__project", "project")
        .filter(digest=digest_of(secret))
        .first()
    )
    time = now()
    if token is None or token.revoke_time is not None or token.expire_time <= time:
        raise _refused()
    if not _is_enabled(token.user, token.service_account):
        raise _refused()
    if token.last_used_time is None or token.last_used_time <= time - LAST_USED_RESOLUTION:
        stale = Q(last_used_time=None) | Q(last_used_time__lte=time - LAST_USED_RESOLUTION)
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_time=time)
    return token


def _is_enabled(user: User | None, service_account: ServiceAccount | None) -> bool:
    if user is not None:
        return user.is_active
    return service_account is not None and not service_account.disabled


def _refused() -> Unauthenticated:
    return Unauthenticated(
        "The API token is not valid: it is unknown, expired or revoked, or its owner is disabled. "
        "Make a new token.",
        reason="CREDENTIALS_INVALID",
    )


def _roles(owned: Q) -> dict[str, Role]:
    rows = Membership.objects.filter(owned).values_list("project__resource_id", "role")
    return {project: Role(role) for project, role in rows}


def _user_roles(user: User) -> dict[str, Role]:
    """Return a user's roles: as a member, and of the provider's groups; the greater one where both give one."""
    roles = _roles(Q(user=user))
    config = oidc_config()
    if config is None or not config.groups:
        return roles
    identities = OidcIdentity.objects.filter(user=user, issuer=config.issuer)
    groups = {group for told in identities.values_list("groups", flat=True) for group in told}
    for rights in config.groups:
        if rights.role is None or rights.group not in groups:
            continue
        held = roles.get(rights.project_id, rights.role)
        roles[rights.project_id] = max(held, rights.role, key=_ROLES.index)
    return roles


def _all_projects(token: ApiToken) -> dict[str, Role]:
    """An operator's token with a scope acts as a member of what the scope names, not as an operator."""
    if token.project is not None:
        return {token.project.resource_id: Role.ADMIN}
    ids = Project.objects.values_list("resource_id", flat=True)
    return dict.fromkeys(ids, Role.ADMIN)


def _narrow(roles: dict[str, Role], token: ApiToken) -> dict[str, Role]:
    if token.project is not None:
        held = roles.get(token.project.resource_id)
        roles = {} if held is None else {token.project.resource_id: held}
    if not token.role:
        return roles
    limit = _ROLES.index(Role(token.role))
    return {project: _ROLES[min(_ROLES.index(role), limit)] for project, role in roles.items()}
