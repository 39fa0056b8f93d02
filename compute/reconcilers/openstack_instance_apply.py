"""One action on a server: one call, or one row written under the lease."""

from typing import assert_never

from catalog.reconcilers.provider_pass import client_of
from compute.domain.guest_data import guest_user_data
from compute.domain.openstack_instance_state import (
    Action,
    AttachPort,
    AttachVolume,
    CreateServer,
    DeleteServer,
    DetachPort,
    DetachVolume,
    ForgetClusters,
    RecordServer,
    ServerGone,
    SetRun,
    StartServer,
    StopServer,
)
from compute.reconcilers.openstack_instance_load import ServerPass
from compute.reconcilers.wakeups import wake_instance, wake_openstack_volume
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.queue import Lane
from cycloud.openstack.client import ClusterClient, ServerSpec
from cycloud.openstack.observations import FLAVOR_KEY, RUN_KEY, UID_KEY, ServerSeen

__all__ = ["ServerActions"]


class ServerActions:
    """Applies a plan's actions. No action looks at a state: the decision did."""

    def __init__(self, work: Work, state: ServerPass) -> None:
        self._work = work
        self._state = state
        self.gone = False

    def _client(self, cluster: str) -> ClusterClient:
        return client_of(self._state.clusters[cluster])

    def apply(self, action: Action) -> None:
        """Carry out one action. Raises ProviderFault or LeaseLost."""
        match action:
            case CreateServer(cluster):
                self._create(cluster)
            case DeleteServer(cluster, server_id):
                self._client(cluster).delete_server(server_id)
            case StopServer(cluster, server_id):
                self._client(cluster).stop_server(server_id)
            case StartServer(cluster, server_id):
                self._client(cluster).start_server(server_id)
            case SetRun(cluster, server_id, run):
                self._client(cluster).set_server_metadata(server_id, {RUN_KEY: str(run)})
            case AttachVolume(cluster, server_id, volume_id):
                self._client(cluster).attach_volume(server_id, volume_id)
            case DetachVolume(cluster, server_id, volume_id):
                self._client(cluster).detach_volume(server_id, volume_id)
            case AttachPort(cluster, server_id, port_id):
                self._client(cluster).attach_port(server_id, port_id)
            case DetachPort(cluster, server_id, port_id):
                self._client(cluster).detach_port(server_id, port_id)
            case RecordServer(cluster, server):
                self._record(cluster, server)
            case ForgetClusters(clusters):
                self._save_footprint(set(self._state.row.footprint) - clusters)
            case ServerGone():
                self._finish()
            case _:
                assert_never(action)

    def _save_footprint(self, footprint: set[str]) -> None:
        row = self._state.row
        with self._work.publishing():
            row.footprint = sorted(footprint)
            row.save(update_fields=["footprint", "update_time"])

    def _create(self, cluster: str) -> None:
        row, desired = self._state.row, self._state.desired
        instance = row.instance
        if cluster not in row.footprint:
            # written down before the call: an answer that is lost must not hide a server
            self._save_footprint({*row.footprint, cluster})
        server_id = self._client(cluster).create_server(
            ServerSpec(
                name=instance.resource_id,
                flavor_id=row.flavor_id,
                volume_ids=[v.provider_id for v in desired.volumes],
                port_ids=[p.port_id for p in desired.ports],
                metadata={
                    UID_KEY: str(instance.uid),
                    RUN_KEY: str(row.run),
                    FLAVOR_KEY: row.flavor_id,
                },
                user_data=guest_user_data(instance.user_data, instance.ssh_public_keys),
                availability_zone=row.cluster.server_availability_zone,
            )
        )
        self._save_server(cluster, server_id)

    def _record(self, cluster: str, server: ServerSeen) -> None:
        row = self._state.row
        here = row.server_cluster is not None and str(row.server_cluster.uid) == cluster
        if row.server_id != server.id or not here:
            self._save_server(cluster, server.id)
        if row.fault_text != server.fault:
            with self._work.publishing():
                row.fault_text = server.fault
                row.save(update_fields=["fault_text", "update_time"])

    def _save_server(self, cluster: str, server_id: str) -> None:
        row = self._state.row
        with self._work.publishing():
            row.server_id = server_id
            row.server_cluster = self._state.clusters[cluster]
            row.save(update_fields=["server_id", "server_cluster", "update_time"])

    def _finish(self) -> None:
        row = self._state.row
        with self._work.publishing():
            row.delete()
            for volume in self._state.provider_volumes:
                wake_openstack_volume(volume, Lane.EVENT)
            wake_instance(row.instance)
        self.gone = True
