"""From an instance to its provider rows, and from their conditions to its own. Calls no cluster."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import F

from catalog.selectors.placements import InstancePlacement, instance_placement
from compute.domain.instance import ProviderView, conditions_of, state_of, still_holds
from compute.domain.progress import progress_of
from compute.models import (
    DesiredState,
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    Volume,
)
from compute.reconcilers.wakeups import (
    wake_openstack_instance,
    wake_openstack_network_interface,
    wake_openstack_volume,
    wake_volume,
)
from compute.selectors.progress import seen_of
from cycloud.core.aip.operations import end_operations
from cycloud.core.aip.progress import Progress
from cycloud.core.changes.record import record_changed, record_gone
from cycloud.core.clock import now
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome, Terminal
from networking.services.network_interfaces import finish_network_interface_delete

__all__ = ["InstanceController"]

_SERVER_FIRST = timedelta(seconds=2)


class InstanceController:
    """Key: uid of the Instance."""

    name = "instance"

    def reconcile(self, work: Work) -> Outcome:
        with work.publishing():
            instance = (
                Instance.objects.select_for_update(of=("self",))
                .select_related(
                    "project", "run_instance_type", "instance_type", "availability_zone"
                )
                .filter(uid=work.key)
                .first()
            )
            if instance is None:
                return Done()
            if instance.delete_time is not None:
                return _delete(instance)
            placement = instance_placement(instance.run_instance_type, instance.availability_zone)
            row = _declare(instance, placement)
            problem = _problem(instance, placement)
            _publish(instance, row, problem)
        return Terminal(problem) if problem else Done()


def _problem(instance: Instance, placement: InstancePlacement | None) -> str:
    """A hole in the catalog that keeps the controllers from declaring a server, or ""."""
    if placement is not None:
        return ""
    kind = instance.run_instance_type.resource_id
    return f"The instance type {kind} is not offered in {instance.availability_zone.resource_id}."


def _declare(instance: Instance, placement: InstancePlacement | None) -> OpenStackInstance | None:
    """Write the provider rows' specs where they differ, and wake their controllers."""
    row = OpenStackInstance.objects.select_related("cluster").filter(instance=instance).first()
    if row is None and placement is None:
        return None
    spec: dict[str, Any] = {
        "running": instance.desired_state == DesiredState.RUNNING,
        "instance_generation": instance.generation,
    }
    if placement is not None and (row is None or row.run != instance.run):
        # cluster and flavor are taken at the start of a run, and only then
        spec |= {
            "run": instance.run,
            "cluster": placement.cluster,
            "flavor_id": placement.provider_id,
        }
    spec |= _next(instance)
    if row is None:
        row = OpenStackInstance.objects.create(instance=instance, **spec)
        wake_openstack_instance(row)
    elif _differs(row, spec):
        _change(row, spec)
        wake_openstack_instance(row)
        _release_ports(instance)
    parts_changed = _declare_ports(instance, row) | _declare_volumes(instance, row)
    if parts_changed:
        wake_openstack_instance(row)
    return row


def _next(instance: Instance) -> dict[str, Any]:
    """Where the declared type would be, while it differs from the one of this run."""
    placement = None
    if instance.instance_type_id != instance.run_instance_type_id:
        placement = instance_placement(instance.instance_type, instance.availability_zone)
    if placement is None:
        return {"next_cluster": None, "next_flavor_id": ""}
    return {"next_cluster": placement.cluster, "next_flavor_id": placement.provider_id}


def _differs(row: Any, spec: Mapping[str, Any]) -> bool:
    return any(getattr(row, field) != value for field, value in spec.items())


def _change(row: Any, spec: Mapping[str, Any]) -> None:
    for field, value in spec.items():
        setattr(row, field, value)
    row.generation += 1
    row.revision += 1
    row.save(update_fields=[*spec, "generation", "revision", "update_time"])


def _delay(row: OpenStackInstance) -> timedelta:
    """How soon a part that is to follow the server is looked at by itself.

    A server that is elsewhere has the part, and is to be taken down first: its controller wakes the part then.
    """
    elsewhere = bool(row.server_id) and row.server_cluster_id != row.cluster_id
    return _SERVER_FIRST if elsewhere else timedelta()


def _declare_ports(instance: Instance, row: OpenStackInstance) -> bool:
    attachments = instance.network_attachments.select_related(
        "network_interface__provider_interface__cluster", "network_interface__project"
    )
    changed = False
    for attachment in attachments:
        nic = attachment.network_interface
        port = getattr(nic, "provider_interface", None)
        spec = {"cluster": row.cluster, "wanted": True}
        if port is None:
            port = OpenStackNetworkInterface.objects.create(network_interface=nic, **spec)
        elif _differs(port, spec):
            _change(port, spec)
        else:
            continue
        changed = True
        wake_openstack_network_interface(port, delay=_delay(row))
    return changed


def _release_ports(instance: Instance) -> None:
    """Network interfaces of the project that belong to no instance any more need no port."""
    ports = OpenStackNetworkInterface.objects.select_related(
        "cluster", "network_interface__project"
    ).filter(
        network_interface__project=instance.project_id,
        network_interface__attachment__isnull=True,
        wanted=True,
    )
    for port in ports:
        _change(port, {"wanted": False})
        wake_openstack_network_interface(port)


def _declare_volumes(instance: Instance, row: OpenStackInstance) -> bool:
    """Draw the volumes to the server's cluster. Their rows are made by the volume controller."""
    uids = instance.volume_attachments.values("volume__uid")
    volumes = OpenStackVolume.objects.select_related("binding__project", "cluster").filter(
        binding__volume_uid__in=uids
    )
    changed = False
    for volume in volumes:
        if volume.cluster_id == row.cluster_id:
            continue
        _change(volume, {"cluster": row.cluster})
        wake_openstack_volume(volume, delay=_delay(row))
        wake_volume(volume.binding)
        changed = True
    return changed


def _publish(instance: Instance, row: OpenStackInstance | None, problem: str) -> None:
    view = None
    if row is not None:
        ready = row.ready
        current = ready is not None and ready.observed_generation >= row.generation
        view = ProviderView(row.condition_list(), current, row.server_status)
        if not problem and still_holds(view, instance.desired_state == DesiredState.RUNNING):
            return
    conditions = conditions_of(
        view,
        problem=problem,
        deleting=False,
        running=instance.desired_state == DesiredState.RUNNING,
        generation=instance.generation,
    )
    state = state_of(conditions, row.server_status if row is not None else "")
    if instance.publish(conditions, now(), state=state):
        record_changed(kind=Instance.kind, uid=instance.uid, project_id=instance.project_id)
    _show_progress(instance, row)


def _show_progress(instance: Instance, row: OpenStackInstance | None) -> None:
    """End the operations whose generation is settled; tell of the others how far they are."""

    def progress(verb: str, steps_before: int) -> Progress:
        return progress_of(verb, seen_of(instance, row), steps_before)

    conditions = instance.condition_list()
    end_operations(instance.uid, instance.generation, conditions, progress=progress)


def _delete(instance: Instance) -> Outcome:
    """Take everything down in order: the server, then its ports, then the row. Volumes and addresses stay."""
    conditions = conditions_of(
        None, problem="", deleting=True, running=False, generation=instance.generation
    )
    if instance.publish(conditions, now(), state="DELETING"):
        record_changed(kind=Instance.kind, uid=instance.uid, project_id=instance.project_id)
    row = OpenStackInstance.objects.select_related("cluster").filter(instance=instance).first()
    _show_progress(instance, row)
    if row is not None:
        if row.wanted:
            _change(row, {"wanted": False, "running": False})
            wake_openstack_instance(row)
        return Done()
    ports = OpenStackNetworkInterface.objects.select_related(
        "cluster", "network_interface__project"
    ).filter(network_interface__attachment__instance=instance)
    waiting = False
    for port in ports:
        waiting = True
        if port.wanted:
            _change(port, {"wanted": False})
            wake_openstack_network_interface(port)
    if waiting:
        return Done()
    _remove(instance)
    return Done()


def _remove(instance: Instance) -> None:
    end_operations(instance.uid, instance.generation, (), gone=True)
    record_gone(kind=Instance.kind, uid=instance.uid, project_id=instance.project_id)
    bindings = OpenStackVolume.objects.select_related("binding__project").filter(
        binding__volume_uid__in=instance.volume_attachments.values("volume__uid")
    )
    freed = [v.binding for v in bindings]
    interfaces = [
        a.network_interface
        for a in instance.network_attachments.select_related("network_interface__project")
    ]
    volumes = Volume.objects.filter(attachment__instance=instance)
    for uid in volumes.values_list("uid", flat=True):
        record_changed(kind=Volume.kind, uid=uid, project_id=instance.project_id)
    for nic in interfaces:
        record_changed(kind=nic.kind, uid=nic.uid, project_id=nic.project_id)
    volumes.update(revision=F("revision") + 1)
    instance.delete()
    for binding in freed:
        wake_volume(binding)
    for nic in interfaces:
        if nic.delete_time is not None:
            finish_network_interface_delete(nic)
