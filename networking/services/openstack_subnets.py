"""A subnet in the clusters: the rows that say which network and subnet it is there."""

import re

from django.db import transaction

from catalog.selectors.clusters import OpenStackCluster, get_cluster
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument, NotFound
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status
from cycloud.core.iam.access import audit, require_permission
from cycloud.core.iam.actor import Actor
from cycloud.core.reconcile.queue import enqueue, queue_for
from cycloud.core.resources.lookup import find_resource
from networking.models import NetworkInterface, OpenStackSubnet, Subnet

__all__ = [
    "OpenStackSubnet",
    "ensure_openstack_subnet",
    "map_openstack_subnet",
    "reconcile_managed",
    "unmap_openstack_subnet",
]

_PERMISSION = "networking.openStackSubnets.map"
_PROVIDER_ID = re.compile(r"[A-Za-z0-9-]{1,64}")


def ensure_openstack_subnet(subnet: Subnet, cluster: OpenStackCluster) -> OpenStackSubnet:
    """Return the subnet's row for the cluster, made now where there is none. For controllers.

    Where the controllers make the networks of the cluster themselves, one is asked to. Elsewhere the row waits,
    Ready=False, for an operator to write the ids (:func:`map_openstack_subnet`).
    """
    with transaction.atomic():
        row, created = OpenStackSubnet.objects.select_related("cluster", "subnet").get_or_create(
            subnet=subnet, cluster=cluster, defaults={"managed": cluster.manages_networks}
        )
        if created and row.managed:
            _enqueue(row)
        if created and not row.managed:
            row.publish([_not_mapped(row)], now())
    return row


def map_openstack_subnet(
    *,
    actor: Actor,
    project_id: str,
    subnet_id: str,
    cluster_id: str,
    provider_network_id: str,
    provider_subnet_id: str,
) -> OpenStackSubnet:
    """Write the ids that a subnet has in a cluster; the network there stays the operator's.

    Raises FailedPrecondition where ports use other ids already, or where the controllers made the network.
    """
    require_permission(actor, _PERMISSION)
    for field, value in (
        ("provider_network_id", provider_network_id),
        ("provider_subnet_id", provider_subnet_id),
    ):
        if not _PROVIDER_ID.fullmatch(value):
            raise InvalidArgument.field(field, f"{value[:80]!r} is not an id of Neutron.")
    with transaction.atomic():
        subnet = _locked_subnet(actor, project_id, subnet_id)
        cluster = get_cluster(cluster_id)
        row = OpenStackSubnet.objects.filter(subnet=subnet, cluster=cluster).first()
        if row is None:
            row = OpenStackSubnet(subnet=subnet, cluster=cluster)
        elif (row.provider_network_id, row.provider_subnet_id) != (
            provider_network_id,
            provider_subnet_id,
        ):
            _refuse_if_used(row)
            row.generation += 1
        row.provider_network_id = provider_network_id
        row.provider_subnet_id = provider_subnet_id
        row.save()
        row.publish([_mapped(row)], now())
        _wake(row)
        audit(actor, "MapOpenStackSubnet", subnet.name, cluster=cluster.resource_id)
    return row


def unmap_openstack_subnet(
    *, actor: Actor, project_id: str, subnet_id: str, cluster_id: str
) -> None:
    """Forget the ids of a subnet in a cluster. Raises FailedPrecondition while ports use them."""
    require_permission(actor, _PERMISSION)
    with transaction.atomic():
        subnet = _locked_subnet(actor, project_id, subnet_id)
        row = OpenStackSubnet.objects.filter(subnet=subnet, cluster__resource_id=cluster_id).first()
        if row is None:
            raise NotFound(
                f"{subnet.name} has no ids in openStackClusters/{cluster_id[:80]}.",
                resource=subnet.name,
            )
        _refuse_if_used(row)
        row.delete()
        audit(actor, "UnmapOpenStackSubnet", subnet.name, cluster=cluster_id)


def reconcile_managed(subnet: Subnet) -> None:
    """Ask the controllers to look at every network that they made for the subnet."""
    for row in subnet.provider_subnets.select_related("cluster").filter(managed=True):
        _enqueue(row)


def _enqueue(row: OpenStackSubnet) -> None:
    enqueue(
        "openstack_subnet",
        row.uid,
        queue=queue_for(row.cluster.controller_name),
        project=row.subnet.project.resource_id,
    )


def _wake(row: OpenStackSubnet) -> None:
    """What waits for the mapping is told like after every other change by an operator."""
    enqueue("catalog", f"OpenStackCluster:{row.cluster.uid}")


def _locked_subnet(actor: Actor, project_id: str, subnet_id: str) -> Subnet:
    return find_resource(
        Subnet,
        actor=actor,
        project_id=project_id,
        resource_id=subnet_id,
        permission=_PERMISSION,
        for_update=True,
    )


def _refuse_if_used(row: OpenStackSubnet) -> None:
    if row.managed:
        raise FailedPrecondition(
            f"The controllers made the network of {row.subnet.name} in {row.cluster.name}. It cannot be changed "
            "by hand.",
            resource=row.subnet.name,
            reason="MANAGED",
        )
    ports = NetworkInterface.objects.filter(
        subnet=row.subnet, provider_interface__cluster=row.cluster
    ).count()
    if ports:
        raise FailedPrecondition(
            f"{ports} network interfaces of {row.subnet.name} use these ids in {row.cluster.name}. Move or delete "
            "their instances first.",
            resource=row.subnet.name,
            reason="IN_USE",
        )


def _mapped(row: OpenStackSubnet) -> Condition:
    return Condition(READY, Status.TRUE, "Mapped", observed_generation=row.generation)


def _not_mapped(row: OpenStackSubnet) -> Condition:
    return Condition(
        READY,
        Status.FALSE,
        "InvalidConfiguration",
        "An operator must write the network and subnet ids of this cluster.",
        observed_generation=row.generation,
        terminal=True,
    )
