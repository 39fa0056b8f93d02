"""Reads what is wanted of one server: its row, its volumes and its ports, in a constant number of queries."""

from collections.abc import Collection
from dataclasses import dataclass

from catalog.selectors.clusters import OpenStackCluster, clusters_by_uid
from compute.domain.openstack_instance_state import Desired, Part
from compute.models import (
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    VolumeBinding,
)
from cycloud.core.conditions import READY, Condition, Status, find_condition
from cycloud.core.reconcile.plans import not_ready
from cycloud.openstack.cleaning import classify_server_fault
from cycloud.openstack.observations import FLAVOR_KEY, RUN_KEY, ServerSeen

__all__ = ["ServerPass", "load", "unwanted_volumes"]

_FAILURES = frozenset(
    {"InsufficientCapacity", "QuotaExceeded", "ProviderError", "InvalidConfiguration"}
)


@dataclass
class ServerPass:
    """One pass over one server."""

    row: OpenStackInstance
    clusters: dict[str, OpenStackCluster]
    provider_volumes: list[OpenStackVolume]
    provider_ports: list[OpenStackNetworkInterface]
    desired: Desired

    def may_act_on(self, server: ServerSeen) -> bool:
        """Whether this pass may stop, start or attach, so that an earlier failure of that matters."""
        run = server.metadata.get(RUN_KEY, "0")
        wanted = {v.provider_id for v in self.desired.volumes}
        return (
            run != str(self.desired.run)
            or (server.status == "ACTIVE") != self.desired.running
            or not wanted <= set(server.volume_ids)
            or (server.metadata.get(FLAVOR_KEY) != self.desired.flavor_id)
        )


def load(key: str, attempts: int) -> ServerPass | None:
    """Return the pass for the row with that uid, or None if it is gone."""
    row = (
        OpenStackInstance.objects.select_related(
            "cluster", "next_cluster", "instance__project", "instance__availability_zone"
        )
        .filter(uid=key)
        .first()
    )
    if row is None:
        return None
    named = {str(row.cluster.uid), *row.footprint}
    if row.next_cluster is not None:
        named.add(str(row.next_cluster.uid))
    clusters = clusters_by_uid(named)
    looked_at = {k: c for k, c in clusters.items() if k in {str(row.cluster.uid), *row.footprint}}
    volumes = _volumes(row)
    ports = _ports(row)
    desired = Desired(
        target=str(row.cluster.uid),
        flavor_id=row.flavor_id,
        run=row.run,
        running=row.running,
        wanted=row.wanted,
        volumes=_volume_parts(row, volumes),
        ports=_port_parts(row, ports),
        server_id=row.server_id,
        footprint=frozenset(row.footprint) & frozenset(looked_at),
        change_pending=bool(row.next_flavor_id),
        last_failure=_last_failure(row, attempts),
        failure_of=_failure_of,
    )
    return ServerPass(row, looked_at, volumes, ports, desired)


def _volumes(row: OpenStackInstance) -> list[OpenStackVolume]:
    attached = row.instance.volume_attachments.order_by("device_index").values_list(
        "volume__uid", flat=True
    )
    order = {uid: index for index, uid in enumerate(attached)}
    rows = OpenStackVolume.objects.select_related("binding", "cluster").filter(
        binding__volume_uid__in=order
    )
    return sorted(rows, key=lambda v: order[v.binding.volume_uid])


def _ports(row: OpenStackInstance) -> list[OpenStackNetworkInterface]:
    return list(
        OpenStackNetworkInterface.objects.select_related("cluster", "network_interface")
        .filter(network_interface__attachment__instance=row.instance)
        .order_by("network_interface__attachment__device_index")
    )


def _volume_parts(row: OpenStackInstance, rows: list[OpenStackVolume]) -> tuple[Part, ...]:
    """All volumes of the instance, the root first. One whose row nobody has declared yet is not ready.

    It must not be left out: the server would be made without it, or boot from the volume after it.
    """
    declared = {v.binding.volume_uid: v for v in rows}
    attachments = row.instance.volume_attachments.select_related("volume").order_by("device_index")
    volumes = [a.volume for a in attachments]
    return tuple(
        _volume_part(row, declared[v.uid]) if v.uid in declared else _undeclared(v.resource_id)
        for v in volumes
    )


def _port_parts(row: OpenStackInstance, rows: list[OpenStackNetworkInterface]) -> tuple[Part, ...]:
    """All network interfaces of the instance in order, as with volumes."""
    declared = {p.network_interface_id: p for p in rows}
    attachments = row.instance.network_attachments.select_related("network_interface")
    interfaces = [a.network_interface for a in attachments.order_by("device_index")]
    return tuple(
        _port_part(row, declared[n.pk]) if n.pk in declared else _undeclared(n.resource_id)
        for n in interfaces
    )


def _undeclared(name: str) -> Part:
    return Part(name, "", ready=False, message=f"{name} is not ready yet.")


def _volume_part(row: OpenStackInstance, volume: OpenStackVolume) -> Part:
    ready = volume.ready
    here = volume.cluster_id == row.cluster_id and volume.is_ready
    name = volume.binding.volume_name.rsplit("/", 1)[-1]
    message = "" if here or ready is None else f"{name}: {ready.message}"
    blocked = not here and ready is not None and ready.terminal
    return Part(name, volume.binding.provider_id, here, message, blocked)


def _port_part(row: OpenStackInstance, port: OpenStackNetworkInterface) -> Part:
    ready = port.ready
    here = port.cluster_id == row.cluster_id and port.is_ready
    name = port.network_interface.resource_id
    message = "" if here or ready is None else f"{name}: {ready.message}"
    return Part(
        name, port.port_id, here, message, not here and ready is not None and ready.terminal
    )


def unwanted_volumes(row: OpenStackInstance, volume_ids: Collection[str]) -> frozenset[str]:
    """Which of these volumes, which the server has, are ours and not attached to this instance (any more)."""
    ours = VolumeBinding.objects.filter(
        project=row.instance.project_id, provider_id__in=volume_ids
    ).exclude(volume_uid__in=row.instance.volume_attachments.values("volume__uid"))
    return frozenset(ours.values_list("provider_id", flat=True))


def _last_failure(row: OpenStackInstance, attempts: int) -> Condition | None:
    """While a failed create is tried again, its cause stays visible."""
    ready = find_condition(row.condition_list(), READY)
    if (
        attempts
        and ready is not None
        and ready.status is Status.FALSE
        and ready.reason in _FAILURES
    ):
        return ready
    return None


def _failure_of(server: ServerSeen) -> Condition:
    reason, sentence = classify_server_fault(server.fault)
    return not_ready(reason, sentence, terminal=reason in ("InsufficientCapacity", "QuotaExceeded"))
