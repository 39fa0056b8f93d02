"""``check``: whether Cycloud's own processes work on the sync. They may not be started yet: this is never wrong."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Q

from cycloud.core.clock import now
from cycloud.core.reconcile.models import DueRow
from cycloud.kubernetes.client import KubernetesClient
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.install.findings import Finding, good, note
from cycloud.kubernetes.marks import QUEUE
from cycloud.kubernetes.watcher.lease import LEASE
from cycloud.kubernetes.watcher.watcher import LEASE_NAME

__all__ = ["check_watcher", "check_worker"]

_START: Final = (
    "Nothing that is applied is taken in until one does. Start: manage.py kubernetes watch"
)
# a pass takes less than a second; more may be due at once
_LONG: Final = timedelta(minutes=1)


def check_watcher(client: KubernetesClient, namespace: str) -> Finding:
    """Tell who holds the watcher's Lease."""
    try:
        lease = client.get(LEASE, namespace, LEASE_NAME)
    except KubernetesFault as fault:
        if fault.kind is not FaultKind.FORBIDDEN:
            raise
        return note("watcher", "This account may not read the watcher's Lease.")
    spec = (lease or {}).get("spec") or {}
    holder = spec.get("holderIdentity")
    if not holder:
        return note("watcher", f"Nobody watches. {_START}")
    renewed = datetime.fromisoformat(str(spec["renewTime"]))
    seconds = (now() - renewed).total_seconds()
    if seconds > 2 * int(spec.get("leaseDurationSeconds") or 0):
        told = f"{holder} watched until {seconds:.0f} s ago, and nobody does now."
        return note("watcher", f"{told} {_START}")
    return good("watcher", f"{holder} watches; it said so {max(seconds, 0):.0f} s ago.")


def check_worker() -> Iterator[Finding]:
    """Tell whether passes of the sync wait for a worker."""
    time = now()
    free = Q(lease_expires__isnull=True) | Q(lease_expires__lt=time)
    waiting = DueRow.objects.filter(free, queue=QUEUE, due__lt=time - _LONG).order_by(F("due"))
    first = waiting.first()
    if first is None or first.due is None:
        yield good("worker", "No pass waits for a worker.")
        return
    minutes = (time - first.due).total_seconds() / 60
    yield note(
        "worker",
        f"{waiting.count()} passes are due, one for {minutes:.0f} minutes. Does a worker for the queue {QUEUE} run, "
        "and does the API answer it?",
    )
