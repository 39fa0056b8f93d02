from django.contrib import admin

from compute.admin.reconcile_now import ReconcileNow
from compute.models import OpenStackInstance
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns
from cycloud.core.admin.typed import column

__all__ = ["OpenStackInstanceAdmin"]


@admin.register(OpenStackInstance)
class OpenStackInstanceAdmin(ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin):
    """Servers as they are to exist in clusters, with the provider's own words about faults."""

    controller = "openstack_instance"
    list_display = (
        "instance",
        "project",
        "cluster",
        "server_cluster",
        "ready_badge",
        "server_status",
        "server_id",
        "running",
        "wanted",
        "age",
    )
    list_filter = ("cluster", "server_status", "wanted", "running")
    list_select_related = ("instance__project", "cluster", "server_cluster")
    search_fields = ("instance__resource_id", "instance__uid", "server_id", "uid", "fault_text")
    ordering = ("-create_time",)
    actions = ("reconcile_now",)
    readonly_fields = ("condition_lines",)
    exclude = ("conditions",)

    @column("Project", ordering="instance__project__resource_id")
    def project(self, obj: OpenStackInstance) -> str:
        return obj.instance.project.resource_id
