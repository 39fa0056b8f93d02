from django.contrib import admin

from compute.admin.reconcile_now import ReconcileNow
from compute.models import OpenStackVolume
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns
from cycloud.core.admin.typed import column

__all__ = ["OpenStackVolumeAdmin"]


@admin.register(OpenStackVolume)
class OpenStackVolumeAdmin(ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin):
    """Volumes as they are to exist in clusters."""

    controller = "openstack_volume"
    list_display = (
        "volume",
        "cluster",
        "ready_badge",
        "provider_state",
        "provider_id",
        "size_gib",
        "blockers",
        "wanted",
        "age",
    )
    list_filter = ("cluster", "provider_state", "wanted")
    list_select_related = ("binding", "cluster")
    search_fields = ("binding__volume_name", "binding__volume_uid", "provider_id", "uid")
    ordering = ("-create_time",)
    actions = ("reconcile_now",)
    readonly_fields = ("condition_lines",)
    exclude = ("conditions",)

    @column("Volume", ordering="binding__volume_name")
    def volume(self, obj: OpenStackVolume) -> str:
        return obj.binding.volume_name
