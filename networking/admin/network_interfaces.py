from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from catalog.admin.service_admin import OperatorPermissions
from networking.models import NetworkInterface


@admin.register(NetworkInterface)
class NetworkInterfaceAdmin(OperatorPermissions, ModelAdmin):
    """Addresses, and who has them. To be read: users make and delete them."""

    list_display = ("resource_id", "project", "subnet", "ip_address", "mac_address", "instance")
    list_filter = ("project", "subnet__availability_zone")
    list_select_related = ("project", "subnet", "attachment__instance")
    search_fields = ("resource_id", "ip_address", "mac_address", "uid", "project__resource_id")
    actions = None

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="instance")
    def instance(self, obj: NetworkInterface) -> str:
        attachment = getattr(obj, "attachment", None)
        return attachment.instance.resource_id if attachment is not None else "–"
