from django.contrib import admin

from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns
from cycloud.core.admin.typed import column
from cycloud.kubernetes.pages import HandOver, ManagerFilter
from networking.models import NetworkInterface


@admin.register(NetworkInterface)
class NetworkInterfaceAdmin(HandOver, ReconciledColumns, ReadOnlyModelAdmin):
    """Addresses, and who has them. To be read: users make and delete them."""

    list_display = (
        "resource_id",
        "project",
        "ready_badge",
        "subnet",
        "ip_address",
        "mac_address",
        "instance",
        "age",
    )
    list_filter = ("project", "subnet__availability_zone", ManagerFilter)
    list_select_related = ("project", "subnet", "attachment__instance")
    search_fields = ("resource_id", "ip_address", "mac_address", "uid", "project__resource_id")
    actions = ("adopt", "release")
    actions_detail = ("adopt_this", "release_this")
    fields = (
        "resource_id",
        "project",
        "display_name",
        "identity",
        "condition_lines",
        "manager",
        "subnet",
        "ip_address",
        "mac_address",
        "instance",
        "labels",
        "annotations",
        "generation",
        "observed_generation",
        "create_time",
        "delete_time",
    )
    readonly_fields = ("identity", "condition_lines", "manager", "instance")

    @column("Instance", empty_value="Free")
    def instance(self, obj: NetworkInterface) -> str | None:
        attachment = getattr(obj, "attachment", None)
        return None if attachment is None else attachment.instance.resource_id
