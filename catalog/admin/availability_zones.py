from typing import Any

from django.contrib import admin

from catalog.admin.service_admin import ServiceAdmin
from catalog.models import AvailabilityZone
from catalog.services.availability_zones import (
    AvailabilityZoneInput,
    create_availability_zone,
    delete_availability_zone,
    update_availability_zone,
)
from cycloud.core.iam.actor import Actor


@admin.register(AvailabilityZone)
class AvailabilityZoneAdmin(ServiceAdmin):
    """Zones as users see them."""

    list_display = ("resource_id", "display_name", "create_time")
    search_fields = ("resource_id", "display_name")
    fields = ("resource_id", "display_name")
    error_fields = {"availability_zone_id": "resource_id"}

    def save_form_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> AvailabilityZone:
        if change:
            changes = {"display_name": obj.display_name}
            return update_availability_zone(
                actor=actor, resource_id=obj.resource_id, changes=changes
            )
        data = AvailabilityZoneInput(obj.display_name)
        return create_availability_zone(actor=actor, resource_id=obj.resource_id, data=data)

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_availability_zone(actor=actor, resource_id=obj.resource_id)
