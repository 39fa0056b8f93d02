"""Verbs on instance families. Operators only."""

from collections.abc import Mapping
from typing import Any

from catalog.domain.fields import with_changes
from catalog.domain.instance_type import InstanceFamilyInput
from catalog.models import InstanceFamily
from catalog.services.changes import (
    check_new_id,
    delete_resource,
    lock_resource,
    run_change,
    save_changed,
)
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor

__all__ = [
    "InstanceFamilyInput",
    "create_instance_family",
    "delete_instance_family",
    "update_instance_family",
]

_DEFAULT = WriteOptions()


def create_instance_family(
    *, actor: Actor, resource_id: str, data: InstanceFamilyInput, options: WriteOptions = _DEFAULT
) -> InstanceFamily:
    """Offer a new family. Raises AlreadyExists, InvalidArgument, PermissionDenied."""

    def write() -> InstanceFamily:
        check_new_id(InstanceFamily, resource_id, "instance_family_id")
        data.check()
        return InstanceFamily.objects.create(
            resource_id=resource_id, display_name=data.display_name
        )

    return run_change(
        write,
        actor=actor,
        permission="catalog.instanceFamilies.create",
        method="CreateInstanceFamily",
        options=options,
    )


def update_instance_family(
    *,
    actor: Actor,
    resource_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = _DEFAULT,
) -> InstanceFamily:
    """Change the fields of InstanceFamilyInput that ``changes`` names."""

    def write() -> InstanceFamily:
        family = lock_resource(InstanceFamily, resource_id, options)
        data = with_changes(InstanceFamilyInput(family.display_name), changes)
        data.check()
        family.display_name = data.display_name
        save_changed(family)
        return family

    return run_change(
        write,
        actor=actor,
        permission="catalog.instanceFamilies.update",
        method="UpdateInstanceFamily",
        options=options,
        detail={"fields": sorted(changes)},
    )


def delete_instance_family(
    *, actor: Actor, resource_id: str, options: WriteOptions = _DEFAULT
) -> InstanceFamily:
    """Withdraw a family without types. Raises FailedPrecondition otherwise."""
    return delete_resource(InstanceFamily, actor=actor, resource_id=resource_id, options=options)
