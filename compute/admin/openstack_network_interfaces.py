from django.contrib import admin

from compute.admin.force_removal import ForceComputeRemoval
from compute.admin.reconcile_now import ReconcileNow
from compute.models import OpenStackNetworkInterface
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns, short_id
from cycloud.core.admin.typed import column

__all__ = ["OpenStackNetworkInterfaceAdmin"]


@admin.register(OpenStackNetworkInterface)
class OpenStackNetworkInterfaceAdmin(
    ForceComputeRemoval, ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin
):
    """Ports as they are to exist in clusters."""

    controller = "openstack_network_interface"
    list_display = (
        "network_interface",
        "project",
        "cluster",
        "ready_badge",
        "port_status",
        "port",
        "wanted",
        "age",
    )
    list_filter = ("cluster", "port_status", "wanted")
    list_select_related = ("network_interface__project", "cluster")
    search_fields = ("network_interface__resource_id", "network_interface__uid", "port_id", "uid")
    ordering = ("-create_time",)
    actions = ("reconcile_now",)
    actions_detail = ("force_this",)
    fieldsets = (
        (None, {"fields": ("network_interface", "identity", "condition_lines")}),
        (
            "Declared",
            {"fields": ("wanted", "cluster", "generation", "observed_generation")},
        ),
        ("In the cloud", {"fields": ("port_id", "port_status", "footprint")}),
        ("Record", {"fields": ("finalizer_names", "create_time", "update_time")}),
    )
    readonly_fields = (
        "identity",
        "condition_lines",
        "finalizer_names",
        "create_time",
        "update_time",
    )

    def audited_as(self, obj: OpenStackNetworkInterface) -> str:
        return obj.network_interface.name

    @column("Project", ordering="network_interface__project__resource_id")
    def project(self, obj: OpenStackNetworkInterface) -> str:
        return obj.network_interface.project.resource_id

    @column("Port", ordering="port_id")
    def port(self, obj: OpenStackNetworkInterface) -> str | None:
        return short_id(obj.port_id)
