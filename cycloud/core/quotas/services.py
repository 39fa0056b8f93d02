"""Holding projects to their quotas, and changing the limits.

Usage is counted, in the transaction that declares more, while that transaction holds the project's row: so two
writers never see the same room. A counter that is stored could drift; rows cannot.

Order of locks: **the project first**, then whatever rows a write locks (subnets, instances, volumes,
interfaces), the queue's rows and the change feed last. A write that may need more of a quota calls ``lock_quotas``
before it locks anything else. The lock is NO KEY: rows that only refer to the project do not wait for it.
On SQLite the transaction itself (IMMEDIATE) is the lock.
"""

from collections.abc import Mapping
from dataclasses import replace

from cycloud.core.aip.errors import InvalidArgument, QuotaViolation, ResourceExhausted
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.iam.services.changes import DEFAULT_OPTIONS, run_change
from cycloud.core.quotas.models import ProjectQuota
from cycloud.core.quotas.quota import UNLIMITED, Quota
from cycloud.core.quotas.selectors import get_quota, limits_of, quotas_of

__all__ = ["lock_quotas", "require_quota", "set_quota_limit"]


def lock_quotas(project: Project) -> None:
    """Keep all other writers of the project that need more of a quota out, until the transaction ends."""
    Project.objects.select_for_update(no_key=True).filter(pk=project.pk).first()


def require_quota(project: Project, requested: Mapping[str, int], *, written: bool = False) -> None:
    """Make sure that the project may have so much more; the caller has called ``lock_quotas``.

    ``written``: the rows for it are in the database already, and are taken back with the transaction where this
    raises. Raises ResourceExhausted (QUOTA_EXCEEDED) naming each quota that is too small, with its limit, what is
    used, and what was asked for. A write that adds nothing is never refused, also where a limit was set below
    what is there.
    """
    wanted = {resource_id: amount for resource_id, amount in requested.items() if amount > 0}
    if not wanted:
        return
    limits = limits_of(project, wanted)
    counted = [resource_id for resource_id in wanted if limits[resource_id] < UNLIMITED]
    if not counted:
        return
    short = []
    for quota in quotas_of(project, counted):
        amount = wanted[quota.resource.resource_id]
        before = replace(quota, usage=quota.usage - amount) if written else quota
        if before.usage + amount > before.limit:
            short.append((before, amount))
    if short:
        raise _exceeded(short)


def set_quota_limit(
    *,
    actor: Actor,
    project_id: str,
    quota_id: str,
    limit: int | None,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> Quota:
    """Set a project's limit; None takes the default again. Operators only.

    A limit below what is used takes nothing away: it only stops growth. Raises NotFound,
    PermissionDenied, InvalidArgument.
    """
    project = project_for(actor, project_id, "compute.quotas.update")

    def write() -> Quota:
        get_quota(actor=actor, project_id=project_id, quota_id=quota_id)
        if limit is not None and not 0 <= limit <= UNLIMITED:
            raise InvalidArgument.field(
                "limit", f"{limit} is not within 0 and {UNLIMITED}.", "OUT_OF_RANGE"
            )
        lock_quotas(project)
        rows = ProjectQuota.objects.filter(project=project, resource=quota_id)
        if limit is None:
            rows.delete()
        else:
            ProjectQuota.objects.update_or_create(
                project=project, resource=quota_id, defaults={"limit": limit}
            )
        return get_quota(actor=actor, project_id=project_id, quota_id=quota_id)

    return run_change(
        write,
        actor=actor,
        method="UpdateQuota",
        name=lambda quota: quota.name,
        options=options,
        detail={"limit": limit},
    )


def _exceeded(short: list[tuple[Quota, int]]) -> ResourceExhausted:
    violations = [
        QuotaViolation(
            quota.name,
            f"This needs {quota.resource.amount(amount)} more; {quota.usage} of {quota.limit} are in use.",
        )
        for quota, amount in short
    ]
    quota, amount = short[0]
    needs = " and ".join(
        f"{q.resource.amount(a)} ({q.usage} of {q.limit} are in use)" for q, a in short
    )
    return ResourceExhausted(
        f"projects/{quota.project_id} has no room for {needs}. Delete what is not used any more, or ask your "
        "platform team for a larger quota.",
        reason="QUOTA_EXCEEDED",
        metadata={
            "quota": quota.name,
            "limit": str(quota.limit),
            "usage": str(quota.usage),
            "requested": str(amount),
        },
        quota_violations=violations,
    )
