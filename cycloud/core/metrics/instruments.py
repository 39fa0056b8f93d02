"""What a process counts. Each function is one line for the code that is measured.

Where ``PROMETHEUS_MULTIPROC_DIR`` is set, the processes that share that folder are counted together.
"""

import os
from pathlib import Path

from prometheus_client import Counter, Histogram

__all__ = ["count_lost_lease", "count_provider_call", "record_pass"]

_folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
if _folder:
    # the library takes a missing folder for an error at the first count, in the middle of the work
    Path(_folder).mkdir(parents=True, exist_ok=True)

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)

_PASSES = Histogram(
    "cycloud_reconcile_duration_seconds",
    "Passes of a controller over one key, by how they ended.",
    ("controller", "outcome"),
    buckets=_BUCKETS,
)
_LEASES_LOST = Counter(
    "cycloud_leases_lost_total",
    "Passes that lost their lease to another worker: nothing of them was published.",
    ("controller",),
)
_PROVIDER_CALLS = Counter(
    "cycloud_provider_calls_total",
    "Calls to a cluster's services by HTTP status, or by the kind of fault where no answer came.",
    ("cluster_uid", "service", "status"),
)


def record_pass(controller: str, outcome: str, seconds: float) -> None:
    """Note one pass. ``outcome``: Done Wait Transient Terminal, or LeaseLost, or Crashed."""
    _PASSES.labels(controller, outcome).observe(seconds)


def count_lost_lease(controller: str) -> None:
    """Note that a pass found its lease gone."""
    _LEASES_LOST.labels(controller).inc()


def count_provider_call(cluster_uid: str, service: str, status: str) -> None:
    """Note one call; ``cycloud_cluster_info`` tells the cluster's name by its uid."""
    _PROVIDER_CALLS.labels(cluster_uid, service, status).inc()
