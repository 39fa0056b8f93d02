"""What the metrics say of clusters: which name belongs to a uid, and in which state it is."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from catalog.models import OpenStackCluster

__all__ = ["cluster_metrics"]


def cluster_metrics() -> Iterator[Metric]:
    """Yield one row per cluster, always 1: to be joined to other series by ``cluster_uid``."""
    info = GaugeMetricFamily(
        "cycloud_cluster_info",
        "Clusters: the names behind cluster_uid. Always 1.",
        labels=("cluster_uid", "cluster", "controller_name", "availability_zone", "state"),
    )
    rows = OpenStackCluster.objects.select_related("availability_zone").order_by("resource_id")
    for row in rows:
        zone = row.availability_zone.resource_id
        info.add_metric((str(row.uid), row.resource_id, row.controller_name, zone, row.state), 1)
    yield info
