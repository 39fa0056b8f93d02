"""What all controllers that call OpenStack share: the lease around calls, and faults as outcomes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from django.conf import settings
from django.db import connections

from catalog.selectors.cluster_access import cluster_access
from catalog.selectors.clusters import OpenStackCluster
from cycloud.core.conditions import Condition
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Outcome, Transient, Wait
from cycloud.core.reconcile.plans import not_ready
from cycloud.openstack.client import ClusterClient
from cycloud.openstack.faults import FaultKind, ProviderFault
from cycloud.openstack.hooks import call_hooks
from cycloud.openstack.sessions import client_for
from cycloud.openstack.together import together

__all__ = [
    "client_of",
    "condition_of_fault",
    "look_at_all",
    "outcome_of_fault",
    "provider_pass",
    "see",
    "see_all",
    "timed",
]

K = TypeVar("K")
T = TypeVar("T")
_QUOTA_RETRY_SECONDS = 15.0


@contextmanager
def provider_pass(work: Work) -> Iterator[None]:
    """Calls to clusters within the block are made only while the lease is held (it is renewed on the way)."""

    def before(service: str, verb: str, is_write: bool) -> None:
        work.hold()

    with call_hooks(before=before):
        yield


def client_of(cluster: OpenStackCluster) -> ClusterClient:
    """Return the client of a cluster, with its stored credentials."""
    return client_for(
        cluster_access(cluster),
        timeout_seconds=settings.CYCLOUD_PROVIDER_TIMEOUT_SECONDS,
        calls_per_second=settings.CYCLOUD_CLUSTER_CALLS_PER_SECOND,
    )


def see(look: Callable[[], T]) -> T | None:
    """Return what ``look`` sees, or None (unknown) where the cluster did not answer well."""
    try:
        return look()
    except ProviderFault:
        return None


def see_all(looks: Mapping[K, Callable[[], T]]) -> dict[K, T | None]:
    """``see`` for independent looks, several at once. A look reads clusters, not the database."""
    seen = look_at_all([partial(see, look) for look in looks.values()])
    return dict(zip(looks, seen, strict=True))


def look_at_all(looks: Sequence[Callable[[], T]]) -> list[T]:
    """Make independent looks, several at once, under the lease of this pass.

    Raises ProviderFault where one of them cannot be made, and LeaseLost.
    """
    return together(
        looks,
        at_once=settings.CYCLOUD_LOOKS_AT_ONCE,
        # a lease that was renewed there opened a connection that belongs to the thread
        leaving=connections.close_all,
    )


def timed(outcome: Outcome) -> Outcome:
    """Give a plan's poll its seconds."""
    if isinstance(outcome, Wait) and outcome.seconds < 0:
        return Wait(settings.CYCLOUD_POLL_SECONDS, outcome.reason)
    return outcome


def outcome_of_fault(fault: ProviderFault) -> Outcome:
    """Return how a pass ends whose write failed. Never terminal: an operator may mend it in the cluster."""
    if fault.retry_after is not None:
        return Transient(str(fault), retry_after=fault.retry_after)
    if fault.kind in (FaultKind.QUOTA_EXCEEDED, FaultKind.INVALID, FaultKind.FORBIDDEN):
        return Transient(str(fault), retry_after=_QUOTA_RETRY_SECONDS)
    return Transient(str(fault))


def condition_of_fault(fault: ProviderFault, what: str, planned: Condition) -> Condition:
    """Return what the resource says about a write that failed; ``planned`` where it will pass by itself."""
    match fault.kind:
        case FaultKind.QUOTA_EXCEEDED:
            return not_ready(
                "QuotaExceeded",
                f"{what} could not be made: the platform's quota is used up. Your platform team can raise it.",
                terminal=True,
            )
        case FaultKind.INVALID | FaultKind.FORBIDDEN:
            return not_ready(
                "InvalidConfiguration",
                f"{what} was refused by the platform. Your platform team sees the cause.",
                terminal=True,
            )
        case FaultKind.UNREACHABLE | FaultKind.SERVER_ERROR:
            return not_ready(
                "ProviderUnreachable", f"{what}: the platform does not answer; it is tried again."
            )
        case _:
            return planned
