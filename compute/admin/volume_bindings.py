from django.contrib import admin

from compute.admin.reconcile_now import ReconcileNow
from compute.models import VolumeBinding
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns
from cycloud.core.admin.typed import column

__all__ = ["VolumeBindingAdmin"]


@admin.register(VolumeBinding)
class VolumeBindingAdmin(ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin):
    """Where the bytes are, and when they may go."""

    controller = "volume_binding"
    list_display = (
        "volume_name",
        "ready_badge",
        "cluster",
        "provider_type",
        "provider_id",
        "backend_reference",
        "has_data",
        "purge_time",
        "age",
    )
    list_filter = (
        "cluster",
        "provider_type",
        "created",
        ("purge_time", admin.EmptyFieldListFilter),
    )
    list_select_related = ("cluster",)
    search_fields = ("volume_name", "volume_uid", "provider_id", "backend_reference")
    ordering = ("-create_time",)
    actions = ("reconcile_now",)
    readonly_fields = ("condition_lines",)
    exclude = ("conditions",)

    @column("Has data", boolean=True, ordering="created")
    def has_data(self, obj: VolumeBinding) -> bool:
        return obj.created
