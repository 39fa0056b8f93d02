"""Clusters, for operators and controllers."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import QuerySet

from catalog.models import ClusterState, OpenStackCluster
from cycloud.core.aip.errors import NotFound

__all__ = [
    "OpenStackCluster",
    "clusters_by_uid",
    "clusters_sharing",
    "find_cluster",
    "get_cluster",
    "list_clusters",
]


def list_clusters() -> QuerySet[OpenStackCluster]:
    """Return all clusters by id, with their zones."""
    return OpenStackCluster.objects.select_related("availability_zone").order_by("resource_id")


def get_cluster(resource_id: str) -> OpenStackCluster:
    """Return the cluster by its id; raise NotFound. For operators."""
    cluster = list_clusters().filter(resource_id=resource_id).first()
    if cluster is None:
        raise NotFound(
            f"There is no openStackClusters/{resource_id[:80]}. List openStackClusters to see what there is.",
            resource=f"openStackClusters/{resource_id[:80]}",
        )
    return cluster


def find_cluster(uid: UUID | str) -> OpenStackCluster | None:
    """Return the cluster by its uid, if it is still known. For controllers."""
    return list_clusters().filter(uid=uid).first()


def clusters_sharing(provider_type: str) -> list[OpenStackCluster]:
    """Return the clusters, Retired ones left out, that see the storage ``provider_type``.

    A volume's data may be shown by any of them, so all are asked before it is managed or purged.
    """
    return list(
        list_clusters()
        .exclude(state=ClusterState.RETIRED)
        .filter(volume_placements__provider_type=provider_type)
        .distinct()
    )


def clusters_by_uid(uids: Iterable[UUID | str]) -> dict[str, OpenStackCluster]:
    """Return the clusters by uid (as text), Retired ones left out: those are never called again."""
    rows = list_clusters().filter(uid__in=set(uids)).exclude(state=ClusterState.RETIRED)
    return {str(cluster.uid): cluster for cluster in rows}
