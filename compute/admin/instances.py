from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from compute.admin.force_removal import ForceComputeRemoval
from compute.admin.reconcile_now import ReconcileNow
from compute.models import Instance, NetworkAttachment, VolumeAttachment
from compute.services.instance_power import restart_instance, start_instance, stop_instance
from compute.services.instances import delete_instance
from cycloud.core.admin.actions import go_to, perform, with_confirmation
from cycloud.core.admin.base import OperatorPermissions, ReadOnlyModelAdmin
from cycloud.core.admin.columns import ReconciledColumns
from cycloud.core.admin.typed import TabularInline, column, confirmed_action
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.pages import HandOver, ManagerFilter

__all__ = ["InstanceAdmin"]


class _ReadOnlyInline(OperatorPermissions, TabularInline):
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class VolumeAttachmentInline(_ReadOnlyInline):
    model = VolumeAttachment
    fields = ("device_index", "volume")


class NetworkAttachmentInline(_ReadOnlyInline):
    model = NetworkAttachment
    fields = ("device_index", "network_interface")


def _start(actor: Actor, row: Instance) -> None:
    start_instance(actor=actor, project_id=row.project.resource_id, instance_id=row.resource_id)


def _stop(actor: Actor, row: Instance) -> None:
    stop_instance(actor=actor, project_id=row.project.resource_id, instance_id=row.resource_id)


def _restart(actor: Actor, row: Instance) -> None:
    restart_instance(actor=actor, project_id=row.project.resource_id, instance_id=row.resource_id)


def _delete(actor: Actor, row: Instance) -> None:
    delete_instance(actor=actor, project_id=row.project.resource_id, instance_id=row.resource_id)


@admin.register(Instance)
class InstanceAdmin(
    HandOver, ForceComputeRemoval, ReconcileNow, ReconciledColumns, ReadOnlyModelAdmin
):
    """Instances of all projects, with where they are and what the cloud said last."""

    controller = "instance"
    list_display = (
        "resource_id",
        "project",
        "state",
        "ready_badge",
        "instance_type",
        "availability_zone",
        "cluster",
        "desired_state",
        "age",
    )
    list_filter = (
        "state",
        "availability_zone",
        "instance_type",
        "provider_instance__cluster",
        ManagerFilter,
    )
    list_select_related = (
        "project",
        "instance_type",
        "availability_zone",
        "provider_instance__cluster",
    )
    search_fields = ("resource_id", "uid", "project__resource_id", "display_name")
    ordering = ("-create_time",)
    inlines = (VolumeAttachmentInline, NetworkAttachmentInline)
    actions = ("start", "stop", "delete_instances", "reconcile_now", "adopt", "release")
    actions_detail = (
        "start_this",
        "stop_this",
        "restart_this",
        "delete_this",
        "force_this",
        "adopt_this",
        "release_this",
    )
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "resource_id",
                    "project",
                    "display_name",
                    "identity",
                    "state",
                    "condition_lines",
                )
            },
        ),
        (
            "Declared",
            {
                "fields": (
                    "manager",
                    "desired_state",
                    "instance_type",
                    "run_instance_type",
                    "run",
                    "availability_zone",
                    "deletion_protection",
                    "labels",
                    "generation",
                    "observed_generation",
                    "finalizer_names",
                    "create_time",
                    "delete_time",
                )
            },
        ),
        ("In the cloud", {"fields": ("cluster", "server_id", "server_status", "fault_text")}),
    )
    readonly_fields = (
        "manager",
        "identity",
        "condition_lines",
        "finalizer_names",
        "cluster",
        "server_id",
        "server_status",
        "fault_text",
    )

    @column("Cluster", empty_value="Not placed")
    def cluster(self, obj: Instance) -> str | None:
        server = getattr(obj, "provider_instance", None)
        return None if server is None else str(server.cluster)

    @column("Server id", empty_value="None")
    def server_id(self, obj: Instance) -> str | None:
        return getattr(getattr(obj, "provider_instance", None), "server_id", None) or None

    @column("Server status", empty_value="None")
    def server_status(self, obj: Instance) -> str | None:
        return getattr(getattr(obj, "provider_instance", None), "server_status", None) or None

    @column("The cloud's own words about the last fault", empty_value="None")
    def fault_text(self, obj: Instance) -> str | None:
        return getattr(getattr(obj, "provider_instance", None), "fault_text", None) or None

    # -- actions on the list

    @admin.action(description="Start")
    def start(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return with_confirmation(
            self,
            request,
            queryset,
            action="start",
            question="Start these instances?",
            call=_start,
            done="Starting",
        )

    @admin.action(description="Stop")
    def stop(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return with_confirmation(
            self,
            request,
            queryset,
            action="stop",
            question="Stop these instances? Their users lose them until they are started again.",
            call=_stop,
            done="Stopping",
        )

    @admin.action(description="Delete")
    def delete_instances(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return with_confirmation(
            self,
            request,
            queryset,
            action="delete_instances",
            question="Delete these instances? Their volumes and network interfaces stay.",
            call=_delete,
            done="Deleting",
        )

    # -- actions on one instance's page

    @confirmed_action(
        "Start",
        "play_arrow",
        question="Start this instance?",
        explanation="It runs with the type that is declared now.",
        permissions=("declare",),
    )
    def start_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._perform(request, object_id, _start, "Starting")

    @confirmed_action(
        "Stop",
        "stop",
        question="Stop this instance?",
        explanation="Its user loses it until it is started again.",
        permissions=("declare",),
    )
    def stop_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._perform(request, object_id, _stop, "Stopping")

    @confirmed_action(
        "Restart",
        "restart_alt",
        question="Restart this instance?",
        explanation="It is shut down and started as declared now.",
    )
    def restart_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._perform(request, object_id, _restart, "Restarting")

    @confirmed_action(
        "Delete",
        "delete",
        question="Delete this instance?",
        explanation="Its volumes and network interfaces stay.",
        permissions=("declare",),
    )
    def delete_this(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._perform(request, object_id, _delete, "Deleting")

    def _perform(self, request: HttpRequest, object_id: str, call: Any, done: str) -> HttpResponse:
        rows = Instance.objects.select_related("project").filter(pk=object_id)
        perform(self, request, rows, call, done)
        return go_to(self.change_url(object_id))
