"""Keeps the ports of network interfaces as they are wanted."""

from dataclasses import dataclass, replace
from functools import partial

from django.utils.functional import cached_property

from catalog.reconcilers.provider_pass import (
    client_of,
    condition_of_fault,
    outcome_of_fault,
    provider_pass,
    see_all,
    timed,
)
from catalog.selectors.clusters import OpenStackCluster, clusters_by_uid
from compute.domain.openstack_network_interface import (
    Action,
    CreatePort,
    DeletePort,
    Desired,
    ForgetClusters,
    Observed,
    RecordPort,
    Released,
    decide,
)
from compute.models import OpenStackInstance, OpenStackNetworkInterface
from compute.reconcilers.wakeups import concerns_server, wake_instance, wake_openstack_instance
from compute.selectors.provider_rows import is_leaving, is_moving
from cycloud.core.clock import now
from cycloud.core.conditions import Condition
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome
from cycloud.core.reconcile.plans import HELD, POLL
from cycloud.core.reconcile.queue import enqueue, queue_for
from cycloud.openstack.client import ClusterClient
from cycloud.openstack.faults import FaultKind, ProviderFault
from networking.services.network_interfaces import finish_network_interface_delete
from networking.services.openstack_subnets import OpenStackSubnet, ensure_openstack_subnet

__all__ = ["OpenStackNetworkInterfaceController"]


@dataclass
class _State:
    row: OpenStackNetworkInterface
    clusters: dict[str, OpenStackCluster]

    @cached_property
    def subnet(self) -> OpenStackSubnet:
        return ensure_openstack_subnet(self.row.network_interface.subnet, self.row.cluster)

    @cached_property
    def instance(self) -> OpenStackInstance | None:
        """The server row of the instance that the network interface is attached to, if there is one."""
        attachment = getattr(self.row.network_interface, "attachment", None)
        return getattr(attachment.instance, "provider_instance", None) if attachment else None

    @property
    def desired(self) -> Desired:
        nic = self.row.network_interface
        return Desired(
            target=str(self.row.cluster.uid),
            ip_address=nic.ip_address,
            mac_address=nic.mac_address,
            wanted=self.row.wanted,
            network_ready=not self.row.wanted or bool(self.subnet.provider_subnet_id),
            footprint=frozenset(self.row.footprint) & frozenset(self.clusters),
        )


class OpenStackNetworkInterfaceController:
    """Key: uid of the OpenStackNetworkInterface."""

    name = "openstack_network_interface"

    def reconcile(self, work: Work) -> Outcome:
        with provider_pass(work):
            state = _load(work.key)
            if state is None:
                return Done()
            plan = decide(state.desired, _observe(state))
            condition, outcome = plan.conditions[0], timed(plan.outcome)
            if plan.outcome == HELD and is_leaving(state.instance):
                # only how soon it is looked at again
                outcome = timed(POLL)
            try:
                for action in plan.actions:
                    _apply(work, state, action)
            except ProviderFault as fault:
                outcome = outcome_of_fault(fault)
                condition = condition_of_fault(fault, "The network interface", condition)
                if fault.kind is FaultKind.NOT_FOUND:
                    # the network that the row names is gone: its own controller makes it anew
                    _look_at_subnet(work, state)
            if state.row.pk is not None:
                _publish(work, state, condition)
            return outcome


def _load(key: str) -> _State | None:
    row = (
        OpenStackNetworkInterface.objects.select_related(
            "cluster", "network_interface__project", "network_interface__subnet"
        )
        .filter(uid=key)
        .first()
    )
    if row is None:
        return None
    wanted = {*row.footprint, str(row.cluster.uid)}
    return _State(row, clusters_by_uid(wanted))


def _observe(state: _State) -> Observed:
    uid = str(state.row.network_interface.uid)
    ports = see_all(
        {
            key: partial(client_of(cluster).find_ports, uid)
            for key, cluster in state.clusters.items()
        }
    )
    leaving = [
        (key, port)
        for key, found in ports.items()
        for port in found or ()
        if port.device_id and (not state.row.wanted or key != str(state.row.cluster.uid))
    ]
    if state.row.wanted and is_moving(state.instance):
        # its server is still there: Neutron says when it lets go
        return Observed(ports)
    gone = see_all(
        {
            port.id: partial(_server_is_gone, client_of(state.clusters[key]), port.device_id)
            for key, port in leaving
        }
    )
    return Observed(ports, frozenset(id_ for id_, is_gone in gone.items() if is_gone))


def _server_is_gone(client: ClusterClient, server_id: str) -> bool:
    return client.get_server(server_id) is None


def _apply(work: Work, state: _State, action: Action) -> None:
    row, nic = state.row, state.row.network_interface
    match action:
        case CreatePort(cluster):
            _remember(work, row, cluster)
            client_of(state.clusters[cluster]).create_port(
                uid=str(nic.uid),
                network_id=state.subnet.provider_network_id,
                subnet_id=state.subnet.provider_subnet_id,
                ip_address=nic.ip_address,
                mac_address=nic.mac_address,
            )
        case DeletePort(cluster, port_id):
            client_of(state.clusters[cluster]).delete_port(port_id)
        case RecordPort(_, port):
            if (row.port_id, row.port_status) != (port.id, port.status):
                with work.publishing():
                    row.port_id, row.port_status = port.id, port.status
                    row.save(update_fields=["port_id", "port_status", "update_time"])
        case ForgetClusters(gone):
            with work.publishing():
                row.footprint = sorted(set(row.footprint) - gone)
                row.save(update_fields=["footprint", "update_time"])
        case Released():
            with work.publishing():
                row.delete()
                attachment = getattr(nic, "attachment", None)
                if attachment is not None:
                    wake_instance(attachment.instance)
                if nic.delete_time is not None:
                    finish_network_interface_delete(nic)


def _look_at_subnet(work: Work, state: _State) -> None:
    with work.publishing():
        enqueue(
            "openstack_subnet",
            state.subnet.uid,
            queue=queue_for(state.row.cluster.controller_name),
            project=state.row.network_interface.project.resource_id,
        )


def _remember(work: Work, row: OpenStackNetworkInterface, cluster: str) -> None:
    """Write down that the cluster may have a port from now on, before it is asked for one."""
    if cluster in row.footprint:
        return
    with work.publishing():
        row.footprint = sorted({*row.footprint, cluster})
        row.save(update_fields=["footprint", "update_time"])


def _publish(work: Work, state: _State, condition: Condition) -> None:
    row = state.row
    condition = replace(condition, observed_generation=row.generation)
    before = row.ready
    with work.publishing():
        changed = row.publish([condition], now())
        if changed and state.instance is not None and concerns_server(before, condition):
            wake_openstack_instance(state.instance)
