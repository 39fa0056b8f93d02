from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from compute.admin.force_removal import ForceComputeRemoval
from compute.admin.reconcile_now import ReconcileNow
from compute.models import Volume
from compute.services.volumes import delete_volume, undelete_volume
from cycloud.core.admin.actions import go_to, perform
from cycloud.core.admin.base import ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns
from cycloud.core.admin.typed import column, confirmed_action
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.pages import HandOver, ManagerFilter

__all__ = ["VolumeAdmin"]


def _delete(actor: Actor, row: Volume) -> None:
    delete_volume(actor=actor, project_id=row.project.resource_id, volume_id=row.resource_id)


def _undelete(actor: Actor, row: Volume) -> None:
    undelete_volume(actor=actor, project_id=row.project.resource_id, volume_id=row.resource_id)


@admin.register(Volume)
class VolumeAdmin(
    HandOver, ForceComputeRemoval, ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin
):
    """Volumes of all projects, deleted ones until their purge time included."""

    controller = "volume"
    list_display = (
        "resource_id",
        "project",
        "ready_badge",
        "size",
        "volume_type",
        "availability_zone",
        "instance",
        "delete_time",
        "purge_time",
        "age",
    )
    list_filter = (
        "volume_type",
        "availability_zone",
        ("delete_time", admin.EmptyFieldListFilter),
        ManagerFilter,
    )
    list_select_related = ("project", "volume_type", "availability_zone", "attachment__instance")
    search_fields = ("resource_id", "uid", "project__resource_id", "display_name")
    ordering = ("-create_time",)
    actions = ("reconcile_now", "adopt", "release")
    actions_detail = ("delete_this", "undelete_this", "force_this", "adopt_this", "release_this")
    fields = (
        "resource_id",
        "project",
        "display_name",
        "identity",
        "condition_lines",
        "manager",
        "size",
        "volume_type",
        "availability_zone",
        "image",
        "instance",
        "labels",
        "generation",
        "observed_generation",
        "finalizer_names",
        "create_time",
        "delete_time",
        "purge_time",
    )
    readonly_fields = (
        "identity",
        "condition_lines",
        "manager",
        "size",
        "finalizer_names",
        "instance",
    )

    @column("Size", ordering="size_gib")
    def size(self, obj: Volume) -> str:
        return f"{obj.size_gib}\N{NO-BREAK SPACE}GiB"

    @column("Instance", empty_value="Free")
    def instance(self, obj: Volume) -> str | None:
        attachment = getattr(obj, "attachment", None)
        return None if attachment is None else attachment.instance.resource_id

    @confirmed_action(
        "Delete",
        "delete",
        question="Delete this volume?",
        explanation="Its data is kept until the purge time, and can be brought back until then.",
        permissions=("declare",),
    )
    def delete_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._perform(request, object_id, _delete, "Deleted")

    @confirmed_action(
        "Undelete",
        "undo",
        question="Bring this volume back?",
        explanation="Same name, same uid, same data.",
        permissions=("declare",),
    )
    def undelete_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._perform(request, object_id, _undelete, "Brought back")

    def _perform(self, request: HttpRequest, object_id: str, call: Any, done: str) -> HttpResponse:
        perform(
            self, request, Volume.objects.select_related("project").filter(pk=object_id), call, done
        )
        return go_to(self.change_url(object_id))
