"""From the claims of an OpenID provider to a user of Cycloud."""

import logging

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from cycloud.core.aip.errors import AlreadyExists, InvalidArgument, Unauthenticated
from cycloud.core.iam.access import audit, require_permission
from cycloud.core.iam.actor import Actor, system_actor
from cycloud.core.iam.models import OidcIdentity, User
from cycloud.core.iam.oidc.config import OidcConfig
from cycloud.core.iam.oidc.provider import Claims
from cycloud.core.iam.services.changes import DEFAULT_OPTIONS, run_change

__all__ = ["link_identity", "unlink_identity", "user_of_claims"]

logger = logging.getLogger(__name__)
_MOST_GROUPS = 500


def user_of_claims(config: OidcConfig, claims: Claims) -> User:
    """Return the user of an identity, making both at the first sign-in where the settings allow it.

    An identity is found by issuer and subject alone: names and addresses can be given to another person. A
    user who is there already is never taken over by name; an operator links them in the admin. Raises
    Unauthenticated for an unknown (USER_UNKNOWN) or disabled user, a name that is in use (USERNAME_TAKEN) or
    is no user name (USERNAME_INVALID).
    """
    identity = _identity(claims)
    if identity is None:
        identity = _new_identity(config, claims)
    if not identity.user.is_active:
        raise Unauthenticated(
            "This account is disabled. Ask your platform team.", reason="CREDENTIALS_INVALID"
        )
    _take_groups(config, identity, claims)
    return identity.user


def link_identity(*, actor: Actor, user: User, issuer: str, subject: str) -> OidcIdentity:
    """Let an account that is there already belong to a person of the provider.

    Raises AlreadyExists if the person has an account, InvalidArgument, PermissionDenied.
    """
    require_permission(actor, "iam.oidcIdentities.create")

    def write() -> OidcIdentity:
        for field, value in (("issuer", issuer), ("subject", subject)):
            if not 0 < len(value) <= 255:
                raise InvalidArgument.field(field, "must have 1 to 255 characters.")
        if OidcIdentity.objects.filter(issuer=issuer, subject=subject).exists():
            raise AlreadyExists(
                f"{subject!r} of {issuer} has an account already. Remove that identity first."
            )
        return OidcIdentity.objects.create(user=user, issuer=issuer, subject=subject)

    return run_change(
        write,
        actor=actor,
        method="CreateOidcIdentity",
        name=lambda identity: f"users/{identity.user.get_username()}",
        options=DEFAULT_OPTIONS,
        detail={"issuer": issuer, "subject": subject},
    )


def unlink_identity(*, actor: Actor, identity: OidcIdentity) -> None:
    """Take an account from a person of the provider; the account stays. Raises PermissionDenied."""
    require_permission(actor, "iam.oidcIdentities.delete")

    def write() -> OidcIdentity:
        key = identity.pk
        identity.delete()
        identity.pk = key
        return identity

    run_change(
        write,
        actor=actor,
        method="DeleteOidcIdentity",
        name=lambda gone: f"users/{gone.user.get_username()}",
        options=DEFAULT_OPTIONS,
        detail={"issuer": identity.issuer, "subject": identity.subject},
    )


def _identity(claims: Claims) -> OidcIdentity | None:
    rows = OidcIdentity.objects.select_related("user")
    return rows.filter(issuer=claims.issuer, subject=claims.subject).first()


def _new_identity(config: OidcConfig, claims: Claims) -> OidcIdentity:
    if not config.create_users:
        raise Unauthenticated(
            "The identity provider knows you, but Cycloud does not. Ask your platform team for an account.",
            reason="USER_UNKNOWN",
        )
    username = _username(config, claims)
    try:
        with transaction.atomic():
            identity = _make_user(username, claims)
    except IntegrityError:
        # the same person's first requests in parallel: one of them was first
        found = _identity(claims)
        if found is not None:
            return found
        raise Unauthenticated(
            f"The user name {username!r} belongs to another account. Ask your platform team to link it to your "
            "identity.",
            reason="USERNAME_TAKEN",
        ) from None
    logger.info("made the user %s at the first sign-in", username)
    return identity


def _make_user(username: str, claims: Claims) -> OidcIdentity:
    """Insert both rows. Raises IntegrityError for a user name or a person that is there already."""
    # the database tells names apart by case; people do not
    if User.objects.filter(username__iexact=username).exists():
        raise IntegrityError
    user = User(
        username=username,
        email=claims.text("email")[:254],
        first_name=claims.text("given_name")[:150],
        last_name=claims.text("family_name")[:150],
    )
    user.set_unusable_password()
    user.save()
    identity = OidcIdentity.objects.create(user=user, issuer=claims.issuer, subject=claims.subject)
    audit(system_actor("oidc"), "CreateUser", f"users/{username}", issuer=claims.issuer)
    return identity


def _username(config: OidcConfig, claims: Claims) -> str:
    username = claims.text(config.username_claim)
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError:
        username = ""
    if not username or len(username) > 150:
        raise Unauthenticated(
            f"The identity provider's claim {config.username_claim!r} holds no user name: up to 150 letters, digits "
            "and @ . + - _ . Ask your platform team to correct it.",
            reason="USERNAME_INVALID",
        )
    return username


def _take_groups(config: OidcConfig, identity: OidcIdentity, claims: Claims) -> None:
    """Keep the groups that mean something here, as the provider last told them."""
    if not config.groups:
        return
    told = set(claims.texts(config.groups_claim)[:_MOST_GROUPS])
    groups = sorted(told & {rights.group for rights in config.groups})
    user = identity.user
    operator = user.is_staff
    if config.decides_operators:
        operator = any(rights.is_operator and rights.group in groups for rights in config.groups)
    if groups == identity.groups and operator == user.is_staff:
        return
    name = f"users/{user.get_username()}"
    with transaction.atomic():
        identity.groups = groups
        identity.save(update_fields=["groups"])
        user.is_staff = user.is_superuser = operator
        user.save(update_fields=["is_staff", "is_superuser"])
        audit(system_actor("oidc"), "UpdateUser", name, groups=groups, is_operator=operator)
    logger.info("%s is now in the groups %s", name, ", ".join(groups) or "none")
