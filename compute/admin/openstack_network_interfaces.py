from django.contrib import admin

from compute.admin.reconcile_now import ReconcileNow
from compute.models import OpenStackNetworkInterface
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns

__all__ = ["OpenStackNetworkInterfaceAdmin"]


@admin.register(OpenStackNetworkInterface)
class OpenStackNetworkInterfaceAdmin(ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin):
    """Ports as they are to exist in clusters."""

    controller = "openstack_network_interface"
    list_display = (
        "network_interface",
        "cluster",
        "ready_badge",
        "port_status",
        "port_id",
        "wanted",
        "age",
    )
    list_filter = ("cluster", "port_status", "wanted")
    list_select_related = ("network_interface__project", "cluster")
    search_fields = ("network_interface__resource_id", "network_interface__uid", "port_id", "uid")
    ordering = ("-create_time",)
    actions = ("reconcile_now",)
    readonly_fields = ("condition_lines",)
    exclude = ("conditions",)
