from typing import Any

from django.contrib import admin

from catalog.admin.service_admin import ServiceAdmin, ServiceInline, rows_of
from catalog.models import VolumePlacement, VolumeType
from catalog.selectors.catalog import zones_of_volume_type
from catalog.services.volume_types import (
    VolumePlacementInput,
    VolumeTypeInput,
    create_volume_type,
    delete_volume_type,
    update_volume_type,
)
from cycloud.core.admin.columns import show_seconds
from cycloud.core.admin.typed import column
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.pages import HandOver, ManagerFilter


class VolumePlacementInline(ServiceInline):
    model = VolumePlacement
    fields = ("cluster", "provider_id", "provider_type", "backend_host")
    verbose_name = "placement"
    verbose_name_plural = "Where it is made: cluster, type id there, and the storage behind it"


@admin.register(VolumeType)
class VolumeTypeAdmin(HandOver, ServiceAdmin):
    """Kinds of volumes, and the storage behind each in every cluster."""

    list_display = (
        "resource_id",
        "minimum_gib",
        "maximum_gib",
        "granularity_gib",
        "retention",
        "zones",
    )
    search_fields = ("resource_id", "display_name")
    fields = (
        "resource_id",
        "display_name",
        "minimum_gib",
        "maximum_gib",
        "granularity_gib",
        "retention_seconds",
        "manager",
    )
    list_filter = (ManagerFilter,)
    actions = ("adopt", "release")
    actions_detail = ("adopt_this", "release_this")
    readonly_fields = ("manager",)
    inlines = (VolumePlacementInline,)
    error_fields = {"volume_type_id": "resource_id"}

    def get_queryset(self, request: Any) -> Any:
        return (
            super().get_queryset(request).prefetch_related("placements__cluster__availability_zone")
        )

    @column("Retention", ordering="retention_seconds")
    def retention(self, obj: VolumeType) -> str:
        return show_seconds(obj.retention_seconds)

    @admin.display(description="available in")
    def zones(self, obj: VolumeType) -> str:
        return ", ".join(zones_of_volume_type(obj)) or "–"

    def save_form_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> VolumeType:
        data = VolumeTypeInput(
            minimum_gib=obj.minimum_gib,
            maximum_gib=obj.maximum_gib,
            granularity_gib=obj.granularity_gib,
            retention_seconds=obj.retention_seconds,
            display_name=obj.display_name,
            placements=tuple(
                VolumePlacementInput(
                    row.cluster.resource_id, row.provider_id, row.provider_type, row.backend_host
                )
                for row in rows_of(formsets, VolumePlacement)
            ),
        )
        if not change:
            return create_volume_type(actor=actor, resource_id=obj.resource_id, data=data)
        return update_volume_type(actor=actor, resource_id=obj.resource_id, changes=vars(data))

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_volume_type(actor=actor, resource_id=obj.resource_id)
