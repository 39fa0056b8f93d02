"""Makes the network and subnet that a cluster needs for one of our subnets, where it is told to."""

from functools import partial

from catalog.reconcilers.provider_pass import (
    client_of,
    outcome_of_fault,
    provider_pass,
    see,
)
from cycloud.core.clock import now
from cycloud.core.conditions import Condition, Status
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome, Terminal, Transient, Wait
from cycloud.core.reconcile.queue import enqueue, queue_for
from cycloud.openstack.client import ClusterClient
from cycloud.openstack.faults import ProviderFault
from networking.domain.openstack_subnet import (
    Action,
    CreateNetwork,
    CreateSubnet,
    DeleteNetwork,
    DeleteSubnet,
    DesiredSubnet,
    ObservedSubnet,
    Plan,
    decide,
)
from networking.models import OpenStackSubnet
from networking.services.subnets import finish_subnet_delete

__all__ = ["OpenStackSubnetController"]


class OpenStackSubnetController:
    """Key: uid of the OpenStackSubnet. Rows that an operator mapped are left alone."""

    name = "openstack_subnet"

    def reconcile(self, work: Work) -> Outcome:
        row = (
            OpenStackSubnet.objects.select_related("cluster", "subnet__project")
            .filter(uid=work.key, managed=True)
            .first()
        )
        if row is None:
            return Done()
        with provider_pass(work):
            uid = str(row.subnet.uid)
            client = client_of(row.cluster)
            desired = DesiredSubnet(
                uid=uid,
                cidr=row.subnet.cidr,
                gateway_ip=row.subnet.gateway_ip,
                generation=row.generation,
                wanted=row.subnet.delete_time is None,
            )
            plan = decide(
                desired,
                ObservedSubnet(
                    see(partial(client.find_networks, uid)), see(partial(client.find_subnets, uid))
                ),
            )
            outcome = _outcome(plan)
            try:
                for action in plan.actions:
                    _apply(client, row, action)
            except ProviderFault as fault:
                outcome = outcome_of_fault(fault)
            _publish(work, row, plan)
            return outcome


def _outcome(plan: Plan) -> Outcome:
    if plan.actions:
        return Wait(0.0, "acted")
    if plan.ready.status is Status.UNKNOWN:
        return Transient(plan.ready.message)
    return Terminal(plan.ready.message) if plan.ready.terminal else Done()


def _apply(client: ClusterClient, row: OpenStackSubnet, action: Action) -> None:
    match action:
        case CreateNetwork(uid):
            client.create_network(uid=uid, name=row.subnet.resource_id)
        case CreateSubnet(uid, network_id, cidr, gateway_ip):
            client.create_subnet(
                uid=uid,
                name=row.subnet.resource_id,
                network_id=network_id,
                cidr=cidr,
                gateway_ip=gateway_ip,
            )
        case DeleteSubnet(subnet_id):
            client.delete_subnet(subnet_id)
        case DeleteNetwork(network_id):
            client.delete_network(network_id)


def _publish(work: Work, row: OpenStackSubnet, plan: Plan) -> None:
    condition: Condition = plan.ready
    with work.publishing():
        if plan.gone:
            subnet = row.subnet
            row.delete()
            finish_subnet_delete(subnet)
            return
        changed = row.publish(
            [condition],
            now(),
            provider_network_id=plan.network_id,
            provider_subnet_id=plan.subnet_id,
        )
        if changed:
            _wake_ports(row)


def _wake_ports(row: OpenStackSubnet) -> None:
    """The ports that wait for this subnet."""
    ports = row.subnet.interfaces.filter(provider_interface__cluster=row.cluster).values_list(
        "provider_interface__uid", flat=True
    )
    for uid in ports:
        enqueue(
            "openstack_network_interface",
            uid,
            queue=queue_for(row.cluster.controller_name),
            project=row.subnet.project.resource_id,
        )
