"""Servers as they are to exist in clusters, as custom resources for operators."""

from django.db.models import QuerySet

from compute.kubernetes.apis import INSTANCE, OPENSTACK_INSTANCE
from compute.models import Instance, OpenStackInstance
from cycloud.kubernetes.kinds import Manifest, Owner
from cycloud.kubernetes.row_kinds import RowKind, cluster_reference, is_settled

__all__ = ["OpenStackInstances"]


class OpenStackInstances(RowKind[OpenStackInstance]):
    api = OPENSTACK_INSTANCE
    row_kind = OpenStackInstance.kind
    collection = Instance.collection
    names_clusters = True
    name_fields = ("instance__project__resource_id", "instance__resource_id")

    def every(self) -> QuerySet[OpenStackInstance]:
        return OpenStackInstance.objects.all()

    def loaded(self) -> QuerySet[OpenStackInstance]:
        return OpenStackInstance.objects.select_related(
            "instance__project", "cluster", "next_cluster", "server_cluster"
        )

    def name(self, row: OpenStackInstance) -> str:
        return row.name

    def manifest(self, row: OpenStackInstance) -> Manifest:
        instance = row.instance.resource_id
        following, server = row.next_cluster, row.server_cluster
        return Manifest(
            uid=row.uid,
            spec={
                "instanceName": instance,
                "computeCluster": cluster_reference(row.cluster.resource_id),
                "flavorID": row.flavor_id,
                "run": row.run,
                "running": row.running,
                "wanted": row.wanted,
                "nextComputeCluster": cluster_reference(
                    following.resource_id if following else None
                ),
                "nextFlavorID": row.next_flavor_id or None,
            },
            status={
                "serverID": row.server_id,
                "serverCluster": server.resource_id if server is not None else None,
                "serverStatus": row.server_status,
                "faultText": row.fault_text,
            },
            conditions=row.condition_list(),
            settled=is_settled(row),
            deleting=not row.wanted,
            owner=Owner(INSTANCE.kind, instance),
        )
