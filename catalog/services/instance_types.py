"""Verbs on instance types and their placements. Operators only."""

from collections.abc import Mapping
from typing import Any

from django.db.models import prefetch_related_objects

from catalog.domain.fields import with_changes
from catalog.domain.instance_type import InstancePlacementInput, InstanceTypeInput
from catalog.models import InstancePlacement, InstanceType, OpenStackCluster
from catalog.services.changes import (
    check_new_id,
    delete_resource,
    lock_resource,
    run_change,
    save_changed,
)
from catalog.services.references import clusters_by_id, family_by_id
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor

__all__ = [
    "InstancePlacementInput",
    "InstanceTypeInput",
    "create_instance_type",
    "delete_instance_type",
    "update_instance_type",
]

_DEFAULT = WriteOptions()


def create_instance_type(
    *, actor: Actor, resource_id: str, data: InstanceTypeInput, options: WriteOptions = _DEFAULT
) -> InstanceType:
    """Offer a new type. Raises AlreadyExists, InvalidArgument, PermissionDenied."""

    def write() -> InstanceType:
        check_new_id(InstanceType, resource_id, "instance_type_id")
        data.check()
        instance_type = InstanceType(resource_id=resource_id, managed_by=options.manager)
        _assign(instance_type, data)
        instance_type.save()
        _save_placements(instance_type, data.placements)
        return _loaded(instance_type)

    return run_change(
        write,
        actor=actor,
        permission="catalog.instanceTypes.create",
        method="CreateInstanceType",
        options=options,
    )


def update_instance_type(
    *,
    actor: Actor,
    resource_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = _DEFAULT,
) -> InstanceType:
    """Change the fields of InstanceTypeInput that ``changes`` names; ``placements`` are replaced as a whole."""

    def write() -> InstanceType:
        instance_type = lock_resource(InstanceType, resource_id, options)
        data = with_changes(_input_of(instance_type), changes)
        data.check()
        _assign(instance_type, data)
        save_changed(instance_type)
        if "placements" in changes:
            _save_placements(instance_type, data.placements)
        return _loaded(instance_type)

    return run_change(
        write,
        actor=actor,
        permission="catalog.instanceTypes.update",
        method="UpdateInstanceType",
        options=options,
        detail={"fields": sorted(changes)},
    )


def delete_instance_type(
    *, actor: Actor, resource_id: str, options: WriteOptions = _DEFAULT
) -> InstanceType:
    """Withdraw a type that no instance has. Raises FailedPrecondition otherwise."""
    return delete_resource(InstanceType, actor=actor, resource_id=resource_id, options=options)


def _input_of(instance_type: InstanceType) -> InstanceTypeInput:
    placements = instance_type.placements.select_related("cluster", "availability_zone")
    return InstanceTypeInput(
        family=instance_type.family.resource_id,
        vcpus=instance_type.vcpus,
        memory_mib=instance_type.memory_mib,
        display_name=instance_type.display_name,
        placements=tuple(
            InstancePlacementInput(
                p.cluster.resource_id, p.provider_id, p.availability_zone.resource_id
            )
            for p in placements
        ),
    )


def _assign(instance_type: InstanceType, data: InstanceTypeInput) -> None:
    instance_type.family = family_by_id(data.family, "family")
    instance_type.vcpus = data.vcpus
    instance_type.memory_mib = data.memory_mib
    instance_type.display_name = data.display_name


def _save_placements(
    instance_type: InstanceType, placements: tuple[InstancePlacementInput, ...]
) -> None:
    clusters = clusters_by_id((p.cluster for p in placements), "placements.cluster")
    zones: dict[int, InstancePlacementInput] = {}
    for placement in placements:
        cluster = clusters[placement.cluster]
        zone = cluster.availability_zone
        _check_zone(placement, cluster)
        if zone.pk in zones:
            raise InvalidArgument.field(
                "placements", f"there are two entries for the zone {zone.resource_id}."
            )
        zones[zone.pk] = placement
    instance_type.placements.exclude(availability_zone__in=zones).delete()
    for zone_pk, placement in zones.items():
        InstancePlacement.objects.update_or_create(
            instance_type=instance_type,
            availability_zone_id=zone_pk,
            defaults={
                "cluster": clusters[placement.cluster],
                "provider_id": placement.provider_id,
            },
        )


def _check_zone(placement: InstancePlacementInput, cluster: OpenStackCluster) -> None:
    zone = cluster.availability_zone.resource_id
    if placement.availability_zone and placement.availability_zone != zone:
        raise InvalidArgument.field(
            "placements.availability_zone",
            f"the cluster {placement.cluster} is in {zone}, not in {placement.availability_zone[:80]}.",
        )


def _loaded(instance_type: InstanceType) -> InstanceType:
    """Read the relations within the transaction: after a dry run they are gone."""
    prefetch_related_objects(
        [instance_type], "placements__cluster", "placements__availability_zone"
    )
    return instance_type
