"""Verbs on the keys of service accounts: tokens that a program signs in with, made by the project's administrators."""

from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import ApiToken
from cycloud.core.iam.selectors import find_key, get_service_account
from cycloud.core.iam.services.changes import DEFAULT_OPTIONS, run_change
from cycloud.core.iam.services.tokens import (
    CreatedToken,
    TokenInput,
    check_token,
    end_token,
    new_token,
)

__all__ = ["create_key", "delete_key"]


def create_key(
    *,
    actor: Actor,
    project_id: str,
    service_account_id: str,
    data: TokenInput,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> CreatedToken:
    """Make a key of a service account; its secret is returned this once.

    ``data`` names no owner. Raises InvalidArgument, NotFound, PermissionDenied.
    """
    project_for(actor, project_id, "iam.serviceAccountKeys.create")

    def write() -> CreatedToken:
        check_token(data)
        account = get_service_account(
            actor=actor, project_id=project_id, service_account_id=service_account_id
        )
        made = new_token(data, service_account=account)
        return CreatedToken(made.token) if options.validate_only else made

    return run_change(
        write,
        actor=actor,
        method="CreateServiceAccountKey",
        name=lambda made: _name(project_id, service_account_id, made.token),
        options=options,
    )


def delete_key(
    *,
    actor: Actor,
    project_id: str,
    service_account_id: str,
    key_id: str,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> ApiToken:
    """End a key at once; again is no error. Raises NotFound, PermissionDenied."""
    project = project_for(actor, project_id, "iam.serviceAccountKeys.delete")

    def write() -> ApiToken:
        key = find_key(project, service_account_id, key_id)
        end_token(key)
        return key

    return run_change(
        write,
        actor=actor,
        method="DeleteServiceAccountKey",
        name=lambda key: _name(project_id, service_account_id, key),
        options=options,
    )


def _name(project_id: str, service_account_id: str, key: ApiToken) -> str:
    return f"projects/{project_id}/serviceAccounts/{service_account_id}/keys/{key.uid}"
