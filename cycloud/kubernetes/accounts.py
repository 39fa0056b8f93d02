"""Making the service account as which a project's objects are taken in."""

from contextlib import suppress

from cycloud.core.aip.errors import AlreadyExists
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.selectors import SERVICE_ACCOUNT
from cycloud.core.iam.services.members import add_member
from cycloud.core.iam.services.service_accounts import create_service_account

__all__ = ["make_account"]


def make_account(*, actor: Actor, project_id: str, service_account_id: str) -> None:
    """Make a service account with the role editor in its project; one that is there keeps the role that it has.

    It needs no key: nobody signs in as it. Raises InvalidArgument, NotFound, PermissionDenied.
    """
    with suppress(AlreadyExists):
        create_service_account(
            actor=actor,
            project_id=project_id,
            service_account_id=service_account_id,
            display_name="Objects in Kubernetes",
        )
    with suppress(AlreadyExists):
        add_member(
            actor=actor,
            project_id=project_id,
            member_id=SERVICE_ACCOUNT + service_account_id,
            role=Role.EDITOR.value,
        )
