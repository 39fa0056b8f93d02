"""Verbs on availability zones. Operators only."""

from collections.abc import Mapping
from typing import Any

from catalog.domain.availability_zone import AvailabilityZoneInput
from catalog.domain.fields import with_changes
from catalog.models import AvailabilityZone
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
    "AvailabilityZoneInput",
    "create_availability_zone",
    "delete_availability_zone",
    "update_availability_zone",
]

_DEFAULT = WriteOptions()


def create_availability_zone(
    *, actor: Actor, resource_id: str, data: AvailabilityZoneInput, options: WriteOptions = _DEFAULT
) -> AvailabilityZone:
    """Offer a new zone. Raises AlreadyExists, InvalidArgument, PermissionDenied."""

    def write() -> AvailabilityZone:
        check_new_id(AvailabilityZone, resource_id, "availability_zone_id")
        data.check()
        return AvailabilityZone.objects.create(
            resource_id=resource_id, display_name=data.display_name
        )

    return run_change(
        write,
        actor=actor,
        permission="catalog.availabilityZones.create",
        method="CreateAvailabilityZone",
        options=options,
    )


def update_availability_zone(
    *,
    actor: Actor,
    resource_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = _DEFAULT,
) -> AvailabilityZone:
    """Change the fields of AvailabilityZoneInput that ``changes`` names."""

    def write() -> AvailabilityZone:
        zone = lock_resource(AvailabilityZone, resource_id, options)
        data = with_changes(AvailabilityZoneInput(zone.display_name), changes)
        data.check()
        zone.display_name = data.display_name
        save_changed(zone)
        return zone

    return run_change(
        write,
        actor=actor,
        permission="catalog.availabilityZones.update",
        method="UpdateAvailabilityZone",
        options=options,
        detail={"fields": sorted(changes)},
    )


def delete_availability_zone(
    *, actor: Actor, resource_id: str, options: WriteOptions = _DEFAULT
) -> AvailabilityZone:
    """Withdraw a zone that nothing is in. Raises FailedPrecondition otherwise."""
    return delete_resource(AvailabilityZone, actor=actor, resource_id=resource_id, options=options)
