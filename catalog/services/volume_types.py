"""Verbs on volume types and their placements. Operators only."""

from collections.abc import Mapping
from typing import Any

from django.db.models import prefetch_related_objects

from catalog.domain.fields import with_changes
from catalog.domain.volume_type import VolumePlacementInput, VolumeTypeInput
from catalog.models import VolumePlacement, VolumeType
from catalog.services.changes import (
    check_new_id,
    delete_resource,
    lock_resource,
    run_change,
    save_changed,
)
from catalog.services.references import clusters_by_id
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor

__all__ = [
    "VolumePlacementInput",
    "VolumeTypeInput",
    "create_volume_type",
    "delete_volume_type",
    "update_volume_type",
]

_DEFAULT = WriteOptions()


def create_volume_type(
    *, actor: Actor, resource_id: str, data: VolumeTypeInput, options: WriteOptions = _DEFAULT
) -> VolumeType:
    """Offer a new type. Raises AlreadyExists, InvalidArgument, PermissionDenied."""

    def write() -> VolumeType:
        check_new_id(VolumeType, resource_id, "volume_type_id")
        data.check()
        volume_type = VolumeType(resource_id=resource_id, managed_by=options.manager)
        _assign(volume_type, data)
        volume_type.save()
        _save_placements(volume_type, data.placements)
        return _loaded(volume_type)

    return run_change(
        write,
        actor=actor,
        permission="catalog.volumeTypes.create",
        method="CreateVolumeType",
        options=options,
    )


def update_volume_type(
    *,
    actor: Actor,
    resource_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = _DEFAULT,
) -> VolumeType:
    """Change the fields of VolumeTypeInput that ``changes`` names; ``placements`` are replaced as a whole.

    A shorter retention does not touch purge times that were promised already.
    """

    def write() -> VolumeType:
        volume_type = lock_resource(VolumeType, resource_id, options)
        data = with_changes(_input_of(volume_type), changes)
        data.check()
        _assign(volume_type, data)
        save_changed(volume_type)
        if "placements" in changes:
            _save_placements(volume_type, data.placements)
        return _loaded(volume_type)

    return run_change(
        write,
        actor=actor,
        permission="catalog.volumeTypes.update",
        method="UpdateVolumeType",
        options=options,
        detail={"fields": sorted(changes)},
    )


def delete_volume_type(
    *, actor: Actor, resource_id: str, options: WriteOptions = _DEFAULT
) -> VolumeType:
    """Withdraw a type that no volume has. Raises FailedPrecondition otherwise."""
    return delete_resource(VolumeType, actor=actor, resource_id=resource_id, options=options)


def _input_of(volume_type: VolumeType) -> VolumeTypeInput:
    return VolumeTypeInput(
        minimum_gib=volume_type.minimum_gib,
        maximum_gib=volume_type.maximum_gib,
        granularity_gib=volume_type.granularity_gib,
        retention_seconds=volume_type.retention_seconds,
        display_name=volume_type.display_name,
        placements=tuple(
            VolumePlacementInput(
                p.cluster.resource_id, p.provider_id, p.provider_type, p.backend_host
            )
            for p in volume_type.placements.select_related("cluster")
        ),
    )


def _assign(volume_type: VolumeType, data: VolumeTypeInput) -> None:
    volume_type.minimum_gib = data.minimum_gib
    volume_type.maximum_gib = data.maximum_gib
    volume_type.granularity_gib = data.granularity_gib
    volume_type.retention_seconds = data.retention_seconds
    volume_type.display_name = data.display_name


def _save_placements(volume_type: VolumeType, placements: tuple[VolumePlacementInput, ...]) -> None:
    clusters = clusters_by_id((p.cluster for p in placements), "placements.cluster")
    volume_type.placements.exclude(cluster__in=clusters.values()).delete()
    for placement in placements:
        VolumePlacement.objects.update_or_create(
            volume_type=volume_type,
            cluster=clusters[placement.cluster],
            defaults={
                "provider_id": placement.provider_id,
                "provider_type": placement.provider_type,
                "backend_host": placement.backend_host,
            },
        )


def _loaded(volume_type: VolumeType) -> VolumeType:
    """Read the relations within the transaction: after a dry run they are gone."""
    prefetch_related_objects([volume_type], "placements__cluster__availability_zone")
    return volume_type
