"""From a volume to its binding and provider row, and from their conditions to its own. Calls no cluster."""

from dataclasses import replace
from typing import Any

from catalog.selectors.clusters import OpenStackCluster
from catalog.selectors.placements import NoPlacement, choose_volume_placement, instance_placement
from compute.models import OpenStackVolume, Volume, VolumeBinding
from compute.reconcilers.wakeups import wake_binding, wake_openstack_instance, wake_openstack_volume
from compute.selectors.provider_rows import instance_of_volume
from cycloud.core.aip.operations import end_operations
from cycloud.core.changes.record import record_changed
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, find_condition
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome, Terminal
from cycloud.core.reconcile.plans import not_ready

__all__ = ["VolumeController"]


class VolumeController:
    """Key: uid of the Volume."""

    name = "volume"

    def reconcile(self, work: Work) -> Outcome:
        with work.publishing():
            volume = (
                Volume.objects.select_for_update(of=("self",))
                .select_related("project", "volume_type", "availability_zone", "image")
                .filter(uid=work.key)
                .first()
            )
            if volume is None:
                return Done()
            binding = _bind(volume)
            row, problem = _declare(volume, binding)
            _publish(volume, row, problem)
        return Terminal(problem) if problem else Done()


def _bind(volume: Volume) -> VolumeBinding:
    """Return the volume's binding, made now if it is new; keep its purge time and name in step."""
    binding, _ = VolumeBinding.objects.select_related("project", "cluster").get_or_create(
        volume_uid=volume.uid,
        defaults={
            "volume_name": volume.name,
            "project": volume.project,
            "purge_time": volume.purge_time,
        },
    )
    if binding.purge_time != volume.purge_time and binding.purge_begun is None:
        binding.purge_time = volume.purge_time
        binding.save(update_fields=["purge_time", "update_time"])
        wake_binding(binding)
    elif volume.purge_time is not None:
        wake_binding(binding)
    return binding


def _cluster_for(volume: Volume, binding: VolumeBinding) -> OpenStackCluster | None:
    """Where the volume is to be: with its instance, else where it is, else where its type is offered."""
    instance = instance_of_volume(volume.uid)
    if instance is not None:
        return instance.cluster
    attachment = getattr(volume, "attachment", None)
    if attachment is not None:
        owner = attachment.instance
        placed = instance_placement(owner.run_instance_type, owner.availability_zone)
        return placed.cluster if placed is not None else None
    if binding.cluster is not None:
        return binding.cluster
    placement = choose_volume_placement(volume.volume_type, volume.availability_zone)
    return None if isinstance(placement, NoPlacement) else placement.cluster


def _declare(volume: Volume, binding: VolumeBinding) -> tuple[OpenStackVolume | None, str]:
    row = (
        OpenStackVolume.objects.select_related("cluster", "binding__project")
        .filter(binding=binding)
        .first()
    )
    if row is not None and not row.wanted:
        return row, ""
    cluster = row.cluster if row is not None else None
    attached = getattr(volume, "attachment", None) is not None
    if row is None or attached:
        cluster = _cluster_for(volume, binding)
    if cluster is None:
        kind = volume.volume_type.resource_id
        return (
            row,
            f"The volume type {kind} is not offered in {volume.availability_zone.resource_id}.",
        )
    spec: dict[str, Any] = {"cluster": cluster, "size_gib": volume.size_gib}
    if row is None:
        row = OpenStackVolume.objects.create(
            binding=binding, volume_type=volume.volume_type, image=volume.image, **spec
        )
    elif any(getattr(row, field) != value for field, value in spec.items()):
        for field, value in spec.items():
            setattr(row, field, value)
        row.generation += 1
        row.revision += 1
        row.save(update_fields=[*spec, "generation", "revision", "update_time"])
    else:
        return row, ""
    wake_openstack_volume(row)
    instance = instance_of_volume(volume.uid)
    if instance is not None:
        wake_openstack_instance(instance)
    return row, ""


def _publish(volume: Volume, row: OpenStackVolume | None, problem: str) -> None:
    condition = _condition(volume, row, problem)
    condition = replace(condition, observed_generation=volume.generation)
    if volume.publish([condition], now()):
        record_changed(kind=Volume.kind, uid=volume.uid, project_id=volume.project_id)
    # a delete is done once it is written down: from then on only time passes
    deleted = volume.delete_time is not None
    end_operations(volume.uid, volume.generation, volume.condition_list(), gone=deleted)


def _condition(volume: Volume, row: OpenStackVolume | None, problem: str) -> Condition:
    if volume.delete_time is not None:
        return not_ready(
            "Deleting", "The volume is deleted; its data is kept until the purge time."
        )
    if problem:
        return not_ready("InvalidConfiguration", problem, terminal=True)
    ready = find_condition(row.condition_list(), READY) if row is not None else None
    if row is None or ready is None or ready.observed_generation < row.generation:
        return not_ready("VolumeBindingNotReady", "The volume is being made ready.")
    return ready
