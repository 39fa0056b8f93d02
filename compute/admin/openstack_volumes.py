from django.contrib import admin

from compute.admin.force_removal import ForceComputeRemoval
from compute.admin.reconcile_now import ReconcileNow
from compute.models import OpenStackVolume
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns, short_id
from cycloud.core.admin.typed import column

__all__ = ["OpenStackVolumeAdmin"]


@admin.register(OpenStackVolume)
class OpenStackVolumeAdmin(
    ForceComputeRemoval, ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin
):
    """Volumes as they are to exist in clusters."""

    controller = "openstack_volume"
    list_display = (
        "volume",
        "project",
        "cluster",
        "ready_badge",
        "provider_state",
        "record",
        "size",
        "obstacles",
        "wanted",
        "age",
    )
    list_filter = ("cluster", "provider_state", "wanted")
    list_select_related = ("binding__project", "cluster")
    search_fields = ("binding__volume_name", "binding__volume_uid", "provider_id", "uid")
    ordering = ("-create_time",)
    actions = ("reconcile_now",)
    actions_detail = ("force_this",)
    fieldsets = (
        (None, {"fields": ("binding", "identity", "condition_lines")}),
        (
            "Declared",
            {
                "fields": (
                    "wanted",
                    "cluster",
                    "volume_type",
                    "image",
                    "size",
                    "generation",
                    "observed_generation",
                )
            },
        ),
        ("In the cloud", {"fields": ("provider_id", "provider_state", "obstacles")}),
        ("Record", {"fields": ("finalizer_names", "create_time", "update_time")}),
    )
    readonly_fields = (
        "identity",
        "condition_lines",
        "size",
        "obstacles",
        "finalizer_names",
        "create_time",
        "update_time",
    )

    def audited_as(self, obj: OpenStackVolume) -> str:
        return obj.binding.volume_name

    @column("Volume", ordering="binding__volume_name")
    def volume(self, obj: OpenStackVolume) -> str:
        return obj.binding.volume_name.rpartition("/")[2]

    @column("Project", ordering="binding__project__resource_id")
    def project(self, obj: OpenStackVolume) -> str:
        return obj.binding.project.resource_id

    @column("Id there", ordering="provider_id")
    def record(self, obj: OpenStackVolume) -> str | None:
        return short_id(obj.provider_id)

    @column("Size", ordering="size_gib")
    def size(self, obj: OpenStackVolume) -> str:
        return f"{obj.size_gib}\N{NO-BREAK SPACE}GiB"

    @column("Not movable for", empty_value="Nothing")
    def obstacles(self, obj: OpenStackVolume) -> str | None:
        return ", ".join(obj.blockers) or None
