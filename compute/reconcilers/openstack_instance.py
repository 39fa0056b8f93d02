"""Keeps the servers in the clusters as they are wanted: made, powered, attached, moved, removed."""

from dataclasses import replace
from functools import partial

from catalog.reconcilers.provider_pass import (
    client_of,
    condition_of_fault,
    outcome_of_fault,
    provider_pass,
    see,
    see_all,
    timed,
)
from catalog.selectors.clusters import OpenStackCluster
from compute.domain.openstack_instance import decide, is_busy
from compute.domain.openstack_instance_state import Observed, Part
from compute.models import OpenStackInstance
from compute.reconcilers.openstack_instance_apply import ServerActions
from compute.reconcilers.openstack_instance_load import ServerPass, load, unwanted_volumes
from compute.reconcilers.openstack_instance_preflight import find_blockers
from compute.reconcilers.wakeups import (
    wake_instance,
    wake_openstack_network_interface,
    wake_openstack_volume,
)
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome, Transient
from cycloud.core.reconcile.queue import Lane
from cycloud.openstack.client import ClusterClient
from cycloud.openstack.faults import FaultKind, ProviderFault
from cycloud.openstack.observations import PortSeen, ServerSeen

__all__ = ["OpenStackInstanceController"]

# while the server says one of these, its volumes and ports have something to do
_CONCERNS_PARTS = frozenset(
    {
        "Moving",
        "RootVolumeIsNotReady",
        "VolumeAttachmentsAreNotReady",
        "NetworkInterfaceAttachmentFailed",
    }
)


class OpenStackInstanceController:
    """Key: uid of the OpenStackInstance."""

    name = "openstack_instance"

    def reconcile(self, work: Work) -> Outcome:
        with provider_pass(work):
            state = load(work.key, work.attempts)
            if state is None:
                return Done()
            observed = _observe(state)
            plan = decide(state.desired, observed)
            if plan.look_everywhere:
                blockers = find_blockers(state, observed)
                if blockers is None:
                    return Transient("what could refuse the move cannot be seen")
                observed = replace(observed, blockers=blockers)
                plan = decide(state.desired, observed)
            conditions, outcome = plan.conditions, timed(plan.outcome)
            actions = ServerActions(work, state)
            try:
                for action in plan.actions:
                    actions.apply(action)
            except ProviderFault as fault:
                outcome = outcome_of_fault(fault)
                conditions = (_fault_condition(state, fault, conditions[0]), *conditions[1:])
                _look_at_parts(work, state, fault)
            if not actions.gone:
                _publish(work, state, observed, conditions)
            return outcome


def _observe(state: ServerPass) -> Observed:
    uid = str(state.row.instance.uid)
    servers: dict[str, tuple[ServerSeen, ...] | None] = see_all(
        {
            key: partial(_find_servers, client_of(cluster), uid, _known_server(state, cluster))
            for key, cluster in state.clusters.items()
        }
    )
    observed = Observed(servers)
    found = [(key, s) for key, seen in servers.items() for s in seen or ()]
    if len(found) != 1:
        return observed
    key, server = found[0]
    client = client_of(state.clusters[key])
    if server.task_state is None and server.status in ("ACTIVE", "SHUTOFF"):
        if key == state.desired.target:
            ports = see(partial(client.ports_of_server, server.id))
            observed = replace(
                observed, port_ids=None if ports is None else tuple(p.id for p in ports)
            )
            state.desired = replace(
                state.desired,
                unwanted_ports=_unwanted(state.desired.ports, ports or ()),
                unwanted_volumes=unwanted_volumes(state.row, server.volume_ids),
            )
        # elsewhere a server is only stopped and deleted
        may_fail = key == state.desired.target or server.status == "ACTIVE"
        if may_fail and state.may_act_on(server):
            actions = see(partial(client.list_server_actions, server.id)) or ()
            newest = actions[0] if actions else None
            if newest is not None and newest.message == "Error":
                observed = replace(observed, last_failed_action=newest.action)
    return observed


def _known_server(state: ServerPass, cluster: OpenStackCluster) -> str:
    """The id of a server in this cluster that was under way when it was seen last, or ""."""
    row = state.row
    return row.server_id if row.server_cluster_id == cluster.pk and not row.is_ready else ""


def _find_servers(client: ClusterClient, uid: str, known: str) -> tuple[ServerSeen, ...]:
    """Our servers in one cluster. While Nova is at work on the known one, that one alone: a listing costs Nova more.

    Nothing is made before a listing: a server that is gone, or at rest, is looked for by its uid.
    """
    server = client.get_server(known) if known else None
    if server is not None and server.uid == uid and is_busy(server):
        return (server,)
    return client.find_servers(uid)


def _unwanted(wanted: tuple[Part, ...], ports: tuple[PortSeen, ...]) -> frozenset[str]:
    """Ports of the server that carry one of our uids, but that of no interface of this instance."""
    keep = {p.port_id for p in wanted}
    return frozenset(p.id for p in ports if p.uid and p.id not in keep)


def _fault_condition(state: ServerPass, fault: ProviderFault, planned: Condition) -> Condition:
    condition = condition_of_fault(fault, "The instance", planned)
    return condition if condition is not planned else (state.desired.last_failure or planned)


def _look_at_parts(work: Work, state: ServerPass, fault: ProviderFault) -> None:
    """A volume or port that the cluster does not know (any more) is looked at by its own controller."""
    if fault.kind not in (FaultKind.NOT_FOUND, FaultKind.INVALID, FaultKind.CONFLICT):
        return
    with work.publishing():
        for volume in state.provider_volumes:
            wake_openstack_volume(volume, Lane.EVENT)
        for port in state.provider_ports:
            wake_openstack_network_interface(port, Lane.EVENT)


def _publish(
    work: Work, state: ServerPass, observed: Observed, conditions: tuple[Condition, ...]
) -> None:
    row: OpenStackInstance = state.row
    stamped = [replace(c, observed_generation=row.generation) for c in conditions]
    servers = [s for seen in observed.servers.values() for s in seen or ()]
    status = {"server_status": servers[0].status if servers else ""}
    ready = next(c for c in stamped if c.type == READY)
    before = row.ready
    with work.publishing():
        if not row.publish(stamped, now(), **status):
            return
        wake_instance(row.instance)
        # what was declared together with the server is awake already
        if (
            before is not None
            and ready.reason in _CONCERNS_PARTS
            and (before.reason, before.observed_generation) != (ready.reason, row.generation)
        ):
            _wake_parts(state)


def _wake_parts(state: ServerPass) -> None:
    """What the server waits for may itself have waited for the server to be taken down, or to be gone."""
    wanted = {p.name for p in (*state.desired.volumes, *state.desired.ports) if not p.ready}
    for volume in state.provider_volumes:
        if volume.binding.volume_name.rsplit("/", 1)[-1] in wanted:
            wake_openstack_volume(volume)
    for port in state.provider_ports:
        if port.network_interface.resource_id in wanted:
            wake_openstack_network_interface(port)
