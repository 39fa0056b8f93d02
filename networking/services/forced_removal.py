"""The operator's way out where the networks that were made for a subnet can never be removed in order.

As in compute: nothing is deleted in any cluster by it, and the audit log keeps why, with the ids of what may be left.
"""

from typing import Final
from uuid import UUID

from django.db import transaction

from cycloud.core.aip.errors import FailedPrecondition, NotFound
from cycloud.core.iam.access import audit, require_permission
from cycloud.core.iam.actor import Actor
from cycloud.core.reconcile.queue import enqueue, in_order, queue_for
from cycloud.core.resources.reasons import check_reason
from networking.models import OpenStackSubnet, Subnet
from networking.services.subnets import finish_subnet_delete

__all__ = ["force_subnet_removal"]

_PERMISSION: Final = "compute.finalizers.remove"


def force_subnet_removal(*, actor: Actor, uid: UUID, reason: str) -> tuple[str, ...]:
    """Remove a subnet that is being deleted, without waiting for the networks that controllers made for it.

    Returns what may be left, such as ``network 4c1f and subnet 77aa in gen7``. Raises PermissionDenied for who is no
    platform operator, InvalidArgument without a reason, NotFound for one that is gone, and FailedPrecondition for one
    that is not being deleted.
    """
    require_permission(actor, _PERMISSION)
    text = check_reason(reason)
    with transaction.atomic(), in_order():
        rows = Subnet.objects.select_for_update(of=("self",)).select_related("project")
        subnet = rows.filter(uid=uid).first()
        if subnet is None:
            raise NotFound(f"There is no Subnet {uid}: it is gone already.")
        if subnet.delete_time is None:
            raise FailedPrecondition(
                f"{subnet.name} is not being deleted, so nothing holds it. Delete it first."
            )
        finalizers, left = _release(subnet)
        audit(
            actor,
            "ForceRemoval",
            subnet.name,
            reason=text,
            finalizers=finalizers,
            may_be_left=left,
        )
        finish_subnet_delete(subnet)
    return tuple(left)


def _release(subnet: Subnet) -> tuple[list[str], list[str]]:
    finalizers, left = list(subnet.finalizers), []
    if subnet.finalizers:
        subnet.finalizers = []
        subnet.revision += 1
        subnet.save(update_fields=["finalizers", "revision", "update_time"])
    for row in OpenStackSubnet.objects.select_related("cluster").filter(
        subnet=subnet, managed=True
    ):
        finalizers.append(f"OpenStackSubnet/{row.uid}")
        left.append(
            f"network {row.provider_network_id or 'of unknown id'} and subnet "
            f"{row.provider_subnet_id or 'of unknown id'} in {row.cluster.resource_id}"
        )
        # its controller finds nothing to do at its next pass, and with that its row of the queue ends
        enqueue("openstack_subnet", row.uid, queue=queue_for(row.cluster.controller_name))
        row.delete()
    return finalizers, left
