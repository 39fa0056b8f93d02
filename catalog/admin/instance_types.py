from typing import Any

from django.contrib import admin

from catalog.admin.service_admin import ServiceAdmin, ServiceInline, rows_of
from catalog.models import InstanceFamily, InstancePlacement, InstanceType
from catalog.selectors.catalog import zones_of_instance_type
from catalog.services.instance_families import (
    InstanceFamilyInput,
    create_instance_family,
    delete_instance_family,
    update_instance_family,
)
from catalog.services.instance_types import (
    InstancePlacementInput,
    InstanceTypeInput,
    create_instance_type,
    delete_instance_type,
    update_instance_type,
)
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.pages import HandOver, ManagerFilter


@admin.register(InstanceFamily)
class InstanceFamilyAdmin(ServiceAdmin):
    """Hardware generations."""

    list_display = ("resource_id", "display_name", "create_time")
    search_fields = ("resource_id", "display_name")
    fields = ("resource_id", "display_name")
    error_fields = {"instance_family_id": "resource_id"}

    def save_form_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> InstanceFamily:
        if change:
            changes = {"display_name": obj.display_name}
            return update_instance_family(actor=actor, resource_id=obj.resource_id, changes=changes)
        data = InstanceFamilyInput(obj.display_name)
        return create_instance_family(actor=actor, resource_id=obj.resource_id, data=data)

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_instance_family(actor=actor, resource_id=obj.resource_id)


class InstancePlacementInline(ServiceInline):
    model = InstancePlacement
    fields = ("cluster", "provider_id", "availability_zone")
    verbose_name = "placement"
    verbose_name_plural = "Where it is made: cluster, and flavor id there"
    # it is the cluster's
    readonly_fields = ("availability_zone",)


@admin.register(InstanceType)
class InstanceTypeAdmin(HandOver, ServiceAdmin):
    """Sizes, and where each is made: one cluster per zone."""

    list_display = ("resource_id", "family", "vcpus", "memory_mib", "zones")
    list_filter = ("family", ManagerFilter)
    list_select_related = ("family",)
    search_fields = ("resource_id", "display_name")
    fields = ("resource_id", "display_name", "family", "vcpus", "memory_mib", "manager")
    actions = ("adopt", "release")
    actions_detail = ("adopt_this", "release_this")
    readonly_fields = ("manager",)
    inlines = (InstancePlacementInline,)
    error_fields = {"instance_type_id": "resource_id"}

    def get_queryset(self, request: Any) -> Any:
        return (
            super()
            .get_queryset(request)
            .prefetch_related("placements__availability_zone", "placements__cluster")
        )

    @admin.display(description="available in")
    def zones(self, obj: InstanceType) -> str:
        return ", ".join(zones_of_instance_type(obj)) or "–"

    def save_form_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> InstanceType:
        data = InstanceTypeInput(
            family=obj.family.resource_id,
            vcpus=obj.vcpus,
            memory_mib=obj.memory_mib,
            display_name=obj.display_name,
            placements=tuple(
                InstancePlacementInput(row.cluster.resource_id, row.provider_id)
                for row in rows_of(formsets, InstancePlacement)
            ),
        )
        if not change:
            return create_instance_type(actor=actor, resource_id=obj.resource_id, data=data)
        return update_instance_type(actor=actor, resource_id=obj.resource_id, changes=vars(data))

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_instance_type(actor=actor, resource_id=obj.resource_id)
