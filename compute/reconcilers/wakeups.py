"""Who is to be reconciled when something changed. Each function works in the caller's transaction."""

from datetime import timedelta

from compute.models import (
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    VolumeBinding,
)
from cycloud.core.clock import now
from cycloud.core.conditions import Condition, Status
from cycloud.core.reconcile.queue import Lane, enqueue, queue_for

__all__ = [
    "concerns_server",
    "wake_binding",
    "wake_instance",
    "wake_openstack_instance",
    "wake_openstack_network_interface",
    "wake_openstack_volume",
    "wake_volume",
]


def concerns_server(before: Condition | None, after: Condition) -> bool:
    """Whether a server that waits for this volume or port has something to do.

    It has where the part got ready, is not any more, or will not get ready by itself. What the part says on the
    way there, the server tells when it looks by itself.
    """
    return _summary(before) != _summary(after)


def _summary(ready: Condition | None) -> tuple[object, ...]:
    if ready is None or (ready.status is not Status.TRUE and not ready.terminal):
        return ()
    return ready.status, ready.reason, ready.observed_generation


def wake_openstack_instance(row: OpenStackInstance, lane: Lane = Lane.USER) -> None:
    enqueue(
        "openstack_instance",
        row.uid,
        lane=lane,
        queue=queue_for(row.cluster.controller_name),
        project=row.instance.project.resource_id,
    )


def wake_openstack_volume(
    row: OpenStackVolume, lane: Lane = Lane.USER, *, delay: timedelta = timedelta()
) -> None:
    enqueue(
        "openstack_volume",
        row.uid,
        lane=lane,
        queue=queue_for(row.cluster.controller_name),
        project=row.binding.project.resource_id,
        due=now() + delay,
    )


def wake_openstack_network_interface(
    row: OpenStackNetworkInterface, lane: Lane = Lane.USER, *, delay: timedelta = timedelta()
) -> None:
    enqueue(
        "openstack_network_interface",
        row.uid,
        lane=lane,
        queue=queue_for(row.cluster.controller_name),
        project=row.network_interface.project.resource_id,
        due=now() + delay,
    )


def wake_instance(instance: Instance, lane: Lane = Lane.USER) -> None:
    enqueue("instance", instance.uid, lane=lane, project=instance.project.resource_id)


def wake_volume(binding: VolumeBinding, lane: Lane = Lane.USER) -> None:
    """The interface volume that the binding belongs to."""
    enqueue("volume", binding.volume_uid, lane=lane, project=binding.project.resource_id)


def wake_binding(binding: VolumeBinding, lane: Lane = Lane.USER) -> None:
    enqueue("volume_binding", binding.uid, lane=lane, project=binding.project.resource_id)
