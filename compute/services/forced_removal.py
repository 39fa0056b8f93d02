"""The operator's way out where something can never be removed in order: its cluster is gone for good, say.

A row that is being deleted stays as long as its finalizers hold it: the entries of its list, and the provider rows,
each of which waits until its object is really gone. This takes them away without that wait. Nothing is deleted in any
cluster by it: **what still exists there stays, and nobody looks after it any more**. So a reason is asked for, and the
audit log keeps it with the ids of what may be left.

| kind                      | held by                         | afterwards                                       |
|---------------------------|---------------------------------|--------------------------------------------------|
| Instance                  | its server, then its ports      | its controller removes it and frees its volumes  |
| Volume, its purge begun   | its data in cluster and storage | its controller removes it with its binding       |
| OpenStackInstance         | the server                      | the instance's controller goes on                |
| OpenStackVolume           | the data in cluster and storage | as Volume                                        |
| OpenStackNetworkInterface | the port                        | the instance's controller goes on, or a deleted  |
|                           |                                 | interface goes, and its address is free          |
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from catalog.selectors.clusters import list_clusters
from compute.models import (
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    Volume,
    VolumeBinding,
)
from cycloud.core.aip.errors import FailedPrecondition, NotFound
from cycloud.core.iam.access import audit, require_permission
from cycloud.core.iam.actor import Actor
from cycloud.core.reconcile.queue import enqueue, in_order, queue_for
from cycloud.core.resources.reasons import check_reason
from networking.services.network_interfaces import finish_network_interface_delete

__all__ = ["force_removal", "is_held"]

_PERMISSION: Final = "compute.finalizers.remove"
ProviderRow = OpenStackInstance | OpenStackNetworkInterface | OpenStackVolume
_CONTROLLERS: Final[Mapping[type, str]] = {
    OpenStackInstance: "openstack_instance",
    OpenStackNetworkInterface: "openstack_network_interface",
    OpenStackVolume: "openstack_volume",
}


def force_removal(*, actor: Actor, kind: str, uid: UUID, reason: str) -> tuple[str, ...]:
    """Take every finalizer from a row that is being deleted; its controllers go on by themselves.

    Returns what may be left behind, such as ``server 4c1f in gen7``, for a person to clean up. Raises PermissionDenied
    for who is no platform operator, InvalidArgument without a reason, NotFound for a row that is gone, and
    FailedPrecondition for one that is not being deleted, or a volume whose purge has not begun.
    """
    require_permission(actor, _PERMISSION)
    text = check_reason(reason)
    with transaction.atomic(), in_order():
        release = _RELEASES[kind](uid)
        audit(
            actor,
            "ForceRemoval",
            release.name,
            reason=text,
            finalizers=list(release.finalizers),
            may_be_left=list(release.left),
        )
    return release.left


def is_held(kind: str, uid: UUID) -> bool:
    """Tell whether :func:`force_removal` would do something: whether the row is being deleted and held."""
    match kind:
        case "Instance":
            return Instance.objects.filter(uid=uid, delete_time__isnull=False).exists()
        case "Volume":
            return VolumeBinding.objects.filter(volume_uid=uid, purge_begun__isnull=False).exists()
        case "OpenStackInstance":
            return OpenStackInstance.objects.filter(uid=uid, wanted=False).exists()
        case "OpenStackVolume":
            return OpenStackVolume.objects.filter(uid=uid, wanted=False).exists()
        case _:
            return OpenStackNetworkInterface.objects.filter(uid=uid, wanted=False).exists()


@dataclass(frozen=True)
class _Release:
    """What was let go. ``name`` is the resource in the audit log, ``left`` what may still exist."""

    name: str
    finalizers: tuple[str, ...]
    left: tuple[str, ...]


def _release_instance(uid: UUID) -> _Release:
    instance = _locked(Instance, uid)
    if instance.delete_time is None:
        raise _not_deleting(instance.name)
    ports = OpenStackNetworkInterface.objects.filter(
        network_interface__attachment__instance=instance
    )
    rows: list[ProviderRow] = [*OpenStackInstance.objects.filter(instance=instance), *ports]
    release = _release(instance.name, instance, rows)
    enqueue("instance", instance.uid, project=instance.project.resource_id)
    return release


def _release_volume(uid: UUID) -> _Release:
    volume = _locked(Volume, uid)
    # the volume, its binding, its row: in the order in which the controllers lock them
    binding = VolumeBinding.objects.select_for_update().filter(volume_uid=uid).first()
    if volume.delete_time is None:
        raise _not_deleting(volume.name)
    if binding is None or binding.purge_begun is None:
        raise FailedPrecondition(
            f"{volume.name} is deleted, but its data is kept until {volume.purge_time:%Y-%m-%d %H:%M:%S} UTC and "
            "can be brought back until then. Force its removal only if it is still there after that.",
            metadata={"volume": volume.name},
        )
    release = _release(volume.name, volume, OpenStackVolume.objects.filter(binding=binding))
    enqueue("volume_binding", binding.uid, project=volume.project.resource_id)
    return release


def _release_openstack_instance(uid: UUID) -> _Release:
    row = _unwanted(OpenStackInstance, uid)
    release = _release(row.instance.name, row, [row])
    enqueue("instance", row.instance.uid, project=row.instance.project.resource_id)
    return release


def _release_openstack_volume(uid: UUID) -> _Release:
    row = _unwanted(OpenStackVolume, uid)
    release = _release(row.binding.volume_name, row, [row])
    enqueue("volume_binding", row.binding.uid, project=row.binding.project.resource_id)
    return release


def _release_openstack_network_interface(uid: UUID) -> _Release:
    row = _unwanted(OpenStackNetworkInterface, uid)
    nic = row.network_interface
    release = _release(nic.name, row, [row])
    attachment = getattr(nic, "attachment", None)
    if attachment is not None:
        instance = attachment.instance
        enqueue("instance", instance.uid, project=instance.project.resource_id)
    if nic.delete_time is not None:
        finish_network_interface_delete(nic)
    return release


_RELEASES: Final[Mapping[str, Callable[[UUID], _Release]]] = {
    "Instance": _release_instance,
    "Volume": _release_volume,
    "OpenStackInstance": _release_openstack_instance,
    "OpenStackVolume": _release_openstack_volume,
    "OpenStackNetworkInterface": _release_openstack_network_interface,
}


def _release(name: str, held: Any, rows: Iterable[ProviderRow]) -> _Release:
    """Empty the list of ``held``, and delete the provider rows that hold it."""
    finalizers, left = list(held.finalizers), []
    if held.finalizers:
        held.finalizers = []
        held.revision += 1
        held.save(update_fields=["finalizers", "revision", "update_time"])
    for row in rows:
        finalizers.append(f"{type(row).__name__}/{row.uid}")
        left.append(_what_may_be_left(row))
        # its controller finds nothing to do at its next pass, and with that its row of the queue ends
        enqueue(_CONTROLLERS[type(row)], row.uid, queue=queue_for(row.cluster.controller_name))
        row.delete()
    return _Release(name, tuple(finalizers), tuple(left))


def _what_may_be_left(row: ProviderRow) -> str:
    match row:
        case OpenStackInstance():
            return _in_clusters(row, f"server {row.server_id or 'of unknown id'}", row.footprint)
        case OpenStackNetworkInterface():
            return _in_clusters(row, f"port {row.port_id or 'of unknown id'}", row.footprint)
        case _:
            binding = row.binding
            noun = f"volume {binding.provider_id or 'of unknown id'}"
            where = _in_clusters(row, noun, binding.footprint)
            return f"{where} (object {binding.backend_reference or 'of unknown name'})"


def _in_clusters(row: ProviderRow, noun: str, footprint: Iterable[str]) -> str:
    uids = {*footprint, str(row.cluster.uid)}
    names = list_clusters().filter(uid__in=uids).values_list("resource_id", flat=True)
    return f"{noun} in {' or '.join(sorted(names))}"


def _locked(model: Any, uid: UUID) -> Any:
    rows = model.objects.select_for_update(of=("self",)).select_related("project")
    return _found(rows.filter(uid=uid).first(), model, uid)


def _unwanted(model: Any, uid: UUID) -> Any:
    row = _found(model.objects.select_for_update().filter(uid=uid).first(), model, uid)
    if row.wanted:
        raise _not_deleting(str(row))
    return row


def _found(row: Any, model: Any, uid: UUID) -> Any:
    if row is None:
        raise NotFound(f"There is no {model.__name__} {uid}: it is gone already.")
    return row


def _not_deleting(name: str) -> FailedPrecondition:
    return FailedPrecondition(f"{name} is not being deleted, so nothing holds it. Delete it first.")
