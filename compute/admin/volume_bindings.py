from django.contrib import admin

from compute.admin.reconcile_now import ReconcileNow
from compute.models import VolumeBinding
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns, short_reference
from cycloud.core.admin.typed import column

__all__ = ["VolumeBindingAdmin"]


@admin.register(VolumeBinding)
class VolumeBindingAdmin(ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin):
    """Where the bytes are, and when they may go."""

    controller = "volume_binding"
    list_display = (
        "volume",
        "project",
        "ready_badge",
        "cluster",
        "provider_type",
        "storage_object",
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
    list_select_related = ("cluster", "project")
    search_fields = ("volume_name", "volume_uid", "provider_id", "backend_reference")
    ordering = ("-create_time",)
    actions = ("reconcile_now",)
    fieldsets = (
        (None, {"fields": ("volume_name", "volume_uid", "project", "identity", "condition_lines")}),
        (
            "Where the bytes are",
            {
                "fields": (
                    "created",
                    "cluster",
                    "provider_id",
                    "provider_type",
                    "backend_reference",
                    "footprint",
                    "saved",
                )
            },
        ),
        ("When they may go", {"fields": ("purge_time", "purge_begun")}),
        (
            "Record",
            {
                "fields": (
                    "generation",
                    "observed_generation",
                    "finalizer_names",
                    "create_time",
                    "update_time",
                )
            },
        ),
    )
    readonly_fields = (
        "identity",
        "condition_lines",
        "finalizer_names",
        "create_time",
        "update_time",
    )

    def audited_as(self, obj: VolumeBinding) -> str:
        return obj.volume_name

    @column("Volume", ordering="volume_name")
    def volume(self, obj: VolumeBinding) -> str:
        return obj.volume_name.rpartition("/")[2]

    @column("Object in the storage", ordering="backend_reference")
    def storage_object(self, obj: VolumeBinding) -> str | None:
        return short_reference(obj.backend_reference)

    @column("Has data", boolean=True, ordering="created")
    def has_data(self, obj: VolumeBinding) -> bool:
        return obj.created
