"""Reading quotas: the limits, and what is used of them at this moment."""

from collections.abc import Iterable

from django.conf import settings

from cycloud.core.aip.errors import NotFound
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.quotas.models import ProjectQuota
from cycloud.core.quotas.quota import Quota
from cycloud.core.quotas.registry import count_usage, default_limit, quota_resources

__all__ = ["get_quota", "limits_of", "list_quotas", "quotas_of"]


def list_quotas(*, actor: Actor, project_id: str) -> list[Quota]:
    """Return all quotas of a project, by id. Raises NotFound for who is no member."""
    project = project_for(actor, project_id, "compute.quotas.list")
    return quotas_of(project, quota_resources())


def get_quota(*, actor: Actor, project_id: str, quota_id: str) -> Quota:
    """Return one quota. Raises NotFound."""
    project = project_for(actor, project_id, "compute.quotas.get")
    if quota_id not in quota_resources():
        raise NotFound(
            f"There is no projects/{project_id}/quotas/{quota_id[:80]}. There are: "
            f"{', '.join(sorted(quota_resources()))}.",
            resource=f"projects/{project_id}/quotas/{quota_id[:80]}",
        )
    return quotas_of(project, [quota_id])[0]


def quotas_of(project: Project, resource_ids: Iterable[str]) -> list[Quota]:
    """Return these quotas of a project, by id; for callers that have checked the rights."""
    ids = sorted(resource_ids)
    resources, limits, usage = quota_resources(), limits_of(project, ids), count_usage(project, ids)
    return [
        Quota(
            project.resource_id,
            resources[resource_id],
            limits[resource_id],
            usage[resource_id],
            settings.CYCLOUD_QUOTA_WARNING_PERCENT,
        )
        for resource_id in ids
    ]


def limits_of(project: Project, resource_ids: Iterable[str]) -> dict[str, int]:
    """Return the limits of a project: its own, else the defaults."""
    own = dict(ProjectQuota.objects.filter(project=project).values_list("resource", "limit"))
    return {
        resource_id: own.get(resource_id, default_limit(resource_id))
        for resource_id in resource_ids
    }
