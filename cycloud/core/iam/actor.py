"""Who asks: a value that every service takes. Pure; made by the faces from a session or a token."""

from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """Roles in one project, each including the one before."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"


@dataclass(frozen=True)
class Actor:
    """A principal with its rights, read once per request.

    ``principal`` is ``users/<username>``, ``serviceAccounts/<project>/<id>`` or ``system/<controller>``.
    ``roles`` maps a project's id to the role there (already narrowed by the token's scopes).
    ``is_operator``: a platform operator, who may do everything in every project and write the catalog.
    ``is_narrowed``: the token has a scope; who holds it may not make a wider token.
    """

    principal: str
    is_operator: bool = False
    roles: dict[str, Role] = field(default_factory=dict)
    source_address: str = ""
    request_id: str = ""
    is_narrowed: bool = False


def system_actor(controller: str) -> Actor:
    """The actor of a reconciler or a command."""
    return Actor(principal=f"system/{controller}", is_operator=True)
