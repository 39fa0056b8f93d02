"""Verbs on service accounts. A project's administrators and operators only."""

from collections.abc import Mapping
from typing import Any

from cycloud.core.aip.errors import AlreadyExists
from cycloud.core.aip.names import check_resource_id, generated_id
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import ServiceAccount
from cycloud.core.iam.selectors import get_service_account
from cycloud.core.iam.services.changes import DEFAULT_OPTIONS, run_change
from cycloud.core.resources.metadata import check_display_name

__all__ = ["create_service_account", "delete_service_account", "update_service_account"]


def create_service_account(
    *,
    actor: Actor,
    project_id: str,
    service_account_id: str | None = None,
    display_name: str = "",
    disabled: bool = False,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> ServiceAccount:
    """Make a program's identity, without a role yet. Raises AlreadyExists, InvalidArgument and access errors."""
    project = project_for(actor, project_id, "iam.serviceAccounts.create")

    def write() -> ServiceAccount:
        resource_id = service_account_id or generated_id("sa")
        check_resource_id(resource_id, "service_account_id")
        check_display_name(display_name)
        if ServiceAccount.objects.filter(project=project, resource_id=resource_id).exists():
            raise AlreadyExists(
                f"{project.name}/serviceAccounts/{resource_id} exists already. Choose another id.",
                resource=f"{project.name}/serviceAccounts/{resource_id}",
            )
        return ServiceAccount.objects.create(
            project=project, resource_id=resource_id, display_name=display_name, disabled=disabled
        )

    return run_change(
        write, actor=actor, method="CreateServiceAccount", name=_name, options=options
    )


def update_service_account(
    *,
    actor: Actor,
    project_id: str,
    service_account_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = DEFAULT_OPTIONS,
) -> ServiceAccount:
    """Change ``display_name`` or ``disabled``, as ``changes`` names them. Disabled: its tokens fail at once."""
    project_for(actor, project_id, "iam.serviceAccounts.update")

    def write() -> ServiceAccount:
        account = get_service_account(
            actor=actor, project_id=project_id, service_account_id=service_account_id
        )
        if "display_name" in changes:
            account.display_name = check_display_name(changes["display_name"])
        if "disabled" in changes:
            account.disabled = bool(changes["disabled"])
        account.save(update_fields=["display_name", "disabled"])
        return account

    return run_change(
        write,
        actor=actor,
        method="UpdateServiceAccount",
        name=_name,
        options=options,
        detail={"fields": sorted(changes)},
    )


def delete_service_account(
    *,
    actor: Actor,
    project_id: str,
    service_account_id: str,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> ServiceAccount:
    """Delete a service account with its roles and tokens."""
    project_for(actor, project_id, "iam.serviceAccounts.delete")

    def write() -> ServiceAccount:
        account = get_service_account(
            actor=actor, project_id=project_id, service_account_id=service_account_id
        )
        key = account.pk
        account.delete()
        account.pk = key
        return account

    return run_change(
        write, actor=actor, method="DeleteServiceAccount", name=_name, options=options
    )


def _name(account: ServiceAccount) -> str:
    return f"{account.project.name}/serviceAccounts/{account.resource_id}"
