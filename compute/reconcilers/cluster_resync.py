"""The slow resync of one cluster: whole pages of its listing compared with our rows.

It catches what no event told: a server, port or attachment that was removed or changed by hand. Whatever differs
is only asked for again; the controllers observe afresh before they do anything.
"""

import random
from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.conf import settings

from catalog.reconcilers.provider_pass import client_of, outcome_of_fault, provider_pass
from catalog.selectors.clusters import OpenStackCluster, clusters_by_uid, list_clusters
from compute.models import (
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    VolumeAttachment,
)
from compute.reconcilers.wakeups import (
    wake_openstack_instance,
    wake_openstack_network_interface,
    wake_openstack_volume,
)
from cycloud.core.clock import now
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.models import DueRow
from cycloud.core.reconcile.outcomes import Done, Outcome
from cycloud.core.reconcile.queue import Lane, enqueue, queue_for
from cycloud.openstack.client import ClusterClient
from cycloud.openstack.faults import ProviderFault

__all__ = ["ClusterResyncController", "request_all"]

_NAME = "cluster_resync"


def request_all() -> None:
    """See to it that every cluster that is called at all has a row, spread over one interval."""
    known = set(DueRow.objects.filter(controller=_NAME).values_list("key", flat=True))
    for cluster in list_clusters().exclude(state="Retired"):
        if str(cluster.uid) not in known:
            enqueue(
                _NAME,
                cluster.uid,
                lane=Lane.RESYNC,
                queue=queue_for(cluster.controller_name),
                due=now() + _jittered(0.5),
            )


def _jittered(share: float) -> timedelta:
    seconds = settings.CYCLOUD_RESYNC_SECONDS
    return timedelta(seconds=seconds * (share + random.random() / 2))  # noqa: S311


class ClusterResyncController:
    """Key: uid of the OpenStackCluster."""

    name = _NAME

    def reconcile(self, work: Work) -> Outcome:
        cluster = clusters_by_uid([work.key]).get(work.key)
        if cluster is None:
            return Done()
        with provider_pass(work):
            client = client_of(cluster)
            try:
                servers = _different_servers(cluster, client)
                volumes = _different_volumes(cluster, client)
                ports = _different_ports(cluster, client)
            except ProviderFault as fault:
                return outcome_of_fault(fault)
        with work.publishing():
            for server in servers:
                wake_openstack_instance(server, Lane.RESYNC)
            for volume in volumes:
                wake_openstack_volume(volume, Lane.RESYNC)
            for port in ports:
                wake_openstack_network_interface(port, Lane.RESYNC)
        return Done(recheck=now() + _jittered(0.75))


def _different_servers(cluster: OpenStackCluster, client: ClusterClient) -> list[OpenStackInstance]:
    seen: dict[str, list[tuple[str, str, bool, frozenset[str]]]] = {}
    for server in client.list_servers():
        seen.setdefault(server.uid, []).append(
            (server.id, server.status, server.task_state is None, frozenset(server.volume_ids))
        )
    attached = _attached_volumes(cluster)
    rows = OpenStackInstance.objects.select_related("cluster", "instance__project").filter(
        cluster=cluster
    )
    different = []
    for row in rows:
        found = seen.pop(str(row.instance.uid), [])
        status = "ACTIVE" if row.running else "SHUTOFF"
        settled = found == [
            (row.server_id, status, True, attached.get(row.instance_id, frozenset()))
        ]
        absent_and_stopped = not found and not row.running
        if not (settled or absent_and_stopped) or not row.is_ready:
            different.append(row)
    # servers of ours that the rows do not expect here: their rows are looked at too
    strays = _uids(seen)
    different += list(
        OpenStackInstance.objects.select_related("cluster", "instance__project")
        .filter(instance__uid__in=strays)
        .exclude(cluster=cluster)
    )
    return different


def _attached_volumes(cluster: OpenStackCluster) -> dict[int, frozenset[str]]:
    """The provider ids of the volumes that each instance is to have, by the instance's row id."""
    pairs = OpenStackVolume.objects.filter(
        cluster=cluster, binding__volume_uid__in=VolumeAttachment.objects.values("volume__uid")
    ).values_list("binding__volume_uid", "binding__provider_id")
    provider_ids = dict(pairs)
    attached: dict[int, set[str]] = {}
    rows = VolumeAttachment.objects.values_list("instance_id", "volume__uid")
    for instance_id, uid in rows:
        if uid in provider_ids:
            attached.setdefault(instance_id, set()).add(provider_ids[uid])
    return {instance: frozenset(ids) for instance, ids in attached.items()}


def _different_volumes(cluster: OpenStackCluster, client: ClusterClient) -> list[OpenStackVolume]:
    seen = {
        v.uid: (
            v.id,
            v.status in ("available", "in-use"),
            v.size_gib,
            tuple(a.server_id for a in v.attachments),
        )
        for v in client.list_volumes()
    }
    rows = OpenStackVolume.objects.select_related("cluster", "binding__project").filter(
        cluster=cluster
    )
    return [
        row
        for row in rows
        if seen.get(str(row.binding.volume_uid), ("", False, 0, ()))[:3]
        != (row.binding.provider_id, True, row.size_gib)
        or not row.is_ready
    ]


def _different_ports(
    cluster: OpenStackCluster, client: ClusterClient
) -> list[OpenStackNetworkInterface]:
    seen = {p.uid: (p.id, p.ip_address, p.mac_address.lower()) for p in client.list_ports()}
    rows = OpenStackNetworkInterface.objects.select_related(
        "cluster", "network_interface__project"
    ).filter(cluster=cluster)
    return [
        row
        for row in rows
        if seen.get(str(row.network_interface.uid))
        != (
            row.port_id,
            row.network_interface.ip_address,
            row.network_interface.mac_address.lower(),
        )
        or not row.is_ready
    ]


def _uids(texts: Iterable[str]) -> list[UUID]:
    """The uids among metadata values that anybody may have written."""
    found = []
    for text in texts:
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return found
