"""What the settings say about the OpenID provider."""

from dataclasses import dataclass, field

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from cycloud.core.iam.actor import Role

__all__ = ["GroupRights", "OidcConfig", "oidc_config", "oidc_login_config"]

OPERATOR = "operator"


@dataclass(frozen=True)
class GroupRights:
    """What the members of one of the provider's groups may do: a role in a project, or (no project) operator."""

    group: str
    project_id: str = ""
    role: Role | None = None

    @property
    def is_operator(self) -> bool:
        return self.role is None


@dataclass(frozen=True)
class OidcConfig:
    """``audiences``: a token must be for one of them. ``jwks_url`` empty: the discovery document tells it.

    ``client_id`` empty: bearer tokens only, no signing in. ``leeway`` in seconds.
    """

    issuer: str
    audiences: tuple[str, ...]
    jwks_url: str = ""
    username_claim: str = "preferred_username"
    groups_claim: str = "groups"
    groups: tuple[GroupRights, ...] = ()
    create_users: bool = False
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    scopes: str = "openid profile email"
    leeway: float = 30.0

    @property
    def decides_operators(self) -> bool:
        """Whether a group makes operators: then who is not in it is none, as far as the provider knows them."""
        return any(rights.is_operator for rights in self.groups)


def oidc_config() -> OidcConfig | None:
    """Return the configuration; None where no provider is set. Raises ImproperlyConfigured for a wrong mapping."""
    if not settings.CYCLOUD_OIDC_ISSUER:
        return None
    client_id = settings.CYCLOUD_OIDC_CLIENT_ID
    audiences = tuple(settings.CYCLOUD_OIDC_AUDIENCE) or ((client_id,) if client_id else ())
    if not audiences:
        raise ImproperlyConfigured(
            "CYCLOUD_OIDC_ISSUER is set, but neither CYCLOUD_OIDC_AUDIENCE nor CYCLOUD_OIDC_CLIENT_ID: say for "
            "whom tokens must be."
        )
    return OidcConfig(
        issuer=settings.CYCLOUD_OIDC_ISSUER,
        audiences=audiences,
        jwks_url=settings.CYCLOUD_OIDC_JWKS_URL,
        username_claim=settings.CYCLOUD_OIDC_USERNAME_CLAIM,
        groups_claim=settings.CYCLOUD_OIDC_GROUPS_CLAIM,
        groups=tuple(_group_rights(text) for text in settings.CYCLOUD_OIDC_GROUPS),
        create_users=settings.CYCLOUD_OIDC_CREATE_USERS,
        client_id=client_id,
        client_secret=settings.CYCLOUD_OIDC_CLIENT_SECRET,
        scopes=settings.CYCLOUD_OIDC_SCOPES,
        leeway=settings.CYCLOUD_OIDC_LEEWAY_SECONDS,
    )


def oidc_login_config() -> OidcConfig | None:
    """Return the configuration if people can sign in with the provider."""
    config = oidc_config()
    return config if config is not None and config.client_id else None


def _group_rights(text: str) -> GroupRights:
    """Read ``group=operator`` or ``group=project:role``."""
    group, _, rights = text.rpartition("=")
    if group and rights == OPERATOR:
        return GroupRights(group)
    project_id, _, role = rights.rpartition(":")
    if not group or not project_id or role not in {known.value for known in Role}:
        known = ", ".join(known.value for known in Role)
        raise ImproperlyConfigured(
            f"CYCLOUD_OIDC_GROUPS: {text!r} is neither 'group=operator' nor 'group=project:role' with a role of "
            f"{known}."
        )
    return GroupRights(group, project_id, Role(role))
