"""Limits of projects: operators set, change and take back those that are not the default."""

from typing import Any

from django.contrib import admin

from cycloud.core.admin.base import WriteAdmin
from cycloud.core.admin.typed import column
from cycloud.core.iam.actor import Actor
from cycloud.core.quotas.models import ProjectQuota
from cycloud.core.quotas.quota import Quota
from cycloud.core.quotas.selectors import quotas_of
from cycloud.core.quotas.services import set_quota_limit

__all__ = ["ProjectQuotaAdmin"]

_LABELS = {"BelowThreshold": "success", "NearLimit": "warning", "LimitReached": "danger"}


@admin.register(ProjectQuota)
class ProjectQuotaAdmin(WriteAdmin):
    """Deleting one takes the default again. A limit below the usage only stops growth."""

    list_display = ("project", "resource", "limit", "usage", "state")
    list_filter = ("resource",)
    list_select_related = ("project",)
    search_fields = ("project__resource_id",)
    ordering = ("project__resource_id", "resource")
    fields = ("project", "resource", "limit")
    create_only = ("project", "resource")

    @column("In use")
    def usage(self, obj: ProjectQuota) -> str:
        return str(_quota(obj).usage)

    @column("State", label=_LABELS)
    def state(self, obj: ProjectQuota) -> str:
        return _quota(obj).condition.reason

    def save_through(self, actor: Actor, obj: ProjectQuota, *, change: bool) -> ProjectQuota:
        self._set(actor, obj, obj.limit)
        return ProjectQuota.objects.get(project=obj.project, resource=obj.resource)

    def delete_through(self, actor: Actor, obj: ProjectQuota) -> None:
        self._set(actor, obj, None)

    @staticmethod
    def _set(actor: Actor, obj: ProjectQuota, limit: int | None) -> None:
        set_quota_limit(
            actor=actor,
            project_id=obj.project.resource_id,
            quota_id=obj.resource,
            limit=limit,
        )


def _quota(obj: Any) -> Quota:
    """Return the quota of a row, counted once for each row of a page."""
    if not hasattr(obj, "counted_quota"):
        [obj.counted_quota] = quotas_of(obj.project, [obj.resource])
    found: Quota = obj.counted_quota
    return found
