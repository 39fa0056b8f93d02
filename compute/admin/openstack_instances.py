from django.contrib import admin

from compute.admin.force_removal import ForceComputeRemoval
from compute.admin.reconcile_now import ReconcileNow
from compute.models import OpenStackInstance
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns, short_id
from cycloud.core.admin.typed import column

__all__ = ["OpenStackInstanceAdmin"]


@admin.register(OpenStackInstance)
class OpenStackInstanceAdmin(
    ForceComputeRemoval, ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin
):
    """Servers as they are to exist in clusters, with the provider's own words about faults."""

    controller = "openstack_instance"
    list_display = (
        "instance",
        "project",
        "cluster",
        "server_cluster",
        "ready_badge",
        "server_status",
        "server",
        "running",
        "wanted",
        "age",
    )
    list_filter = ("cluster", "server_status", "wanted", "running")
    list_select_related = ("instance__project", "cluster", "server_cluster")
    search_fields = ("instance__resource_id", "instance__uid", "server_id", "uid", "fault_text")
    ordering = ("-create_time",)
    actions = ("reconcile_now",)
    actions_detail = ("force_this",)
    fieldsets = (
        (None, {"fields": ("instance", "identity", "condition_lines", "fault_text")}),
        (
            "Declared",
            {
                "fields": (
                    "wanted",
                    "running",
                    "cluster",
                    "flavor_id",
                    "run",
                    "next_cluster",
                    "next_flavor_id",
                    "instance_generation",
                    "generation",
                    "observed_generation",
                )
            },
        ),
        (
            "In the cloud",
            {"fields": ("server_cluster", "server_id", "server_status", "footprint")},
        ),
        ("Record", {"fields": ("finalizer_names", "create_time", "update_time")}),
    )
    readonly_fields = (
        "identity",
        "condition_lines",
        "finalizer_names",
        "create_time",
        "update_time",
    )

    def audited_as(self, obj: OpenStackInstance) -> str:
        return obj.instance.name

    @column("Server", ordering="server_id")
    def server(self, obj: OpenStackInstance) -> str | None:
        return short_id(obj.server_id)

    @column("Project", ordering="instance__project__resource_id")
    def project(self, obj: OpenStackInstance) -> str:
        return obj.instance.project.resource_id
