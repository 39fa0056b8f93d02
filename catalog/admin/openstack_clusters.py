from typing import Any

from django.contrib import admin, messages
from django.forms import CharField, Form, ModelForm
from django.http import HttpRequest, HttpResponse
from django_htmx.http import HttpResponseClientRedirect
from unfold.dataclasses import ActionDialog
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminPasswordWidget

from catalog.admin.service_admin import ServiceAdmin
from catalog.models import ClusterState, OpenStackCluster
from catalog.services.openstack_clusters import (
    OpenStackClusterInput,
    create_openstack_cluster,
    delete_openstack_cluster,
    set_openstack_cluster_state,
    update_openstack_cluster,
)
from cycloud.core.aip.errors import CycloudError
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.authentication import actor_for_request
from cycloud.kubernetes.pages import HandOver, ManagerFilter

_PLAIN = (
    "controller_name",
    "display_name",
    "cloud_name",
    "auth_url",
    "username",
    "project_name",
    "user_domain_name",
    "project_domain_name",
    "region_name",
    "ca_certificate",
    "compute_microversion",
    "block_storage_microversion",
    "server_availability_zone",
    "manages_networks",
)


class OpenStackClusterForm(ModelForm):  # type: ignore[type-arg]
    """The password goes in and never comes out."""

    password = CharField(
        required=False,
        strip=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text="Leave empty to keep the stored one.",
    )

    class Meta:
        model = OpenStackCluster
        fields = ("resource_id", "availability_zone", *_PLAIN)


def _dialog(state: ClusterState, meaning: str) -> ActionDialog:
    return {
        "title": f"Set the cluster to {state.value}?",
        "description": meaning,
        "form_class": None,
        "form_submit_text": f"Set to {state.value}",
    }


@admin.register(OpenStackCluster)
class OpenStackClusterAdmin(HandOver, ServiceAdmin):
    """Clusters: how to reach them, and what may be placed there."""

    form = OpenStackClusterForm
    list_display = ("resource_id", "availability_zone", "show_state", "controller_name", "revision")
    list_filter = ("state", "availability_zone", ManagerFilter)
    list_select_related = ("availability_zone",)
    search_fields = ("resource_id", "display_name", "controller_name")
    create_only = ("resource_id", "availability_zone")
    error_fields = {"openstack_cluster_id": "resource_id"}
    readonly_fields = ("state", "manager", "uid", "revision", "create_time")
    actions = ("adopt", "release")
    actions_detail = ("activate", "cordon", "drain", "retire", "adopt_this", "release_this")
    fieldsets = (
        (
            None,
            {"fields": ("resource_id", "display_name", "availability_zone", "state", "manager")},
        ),
        ("Controllers", {"fields": ("controller_name", "manages_networks")}),
        (
            "Credentials",
            {
                "description": "Either the name of an entry in clouds.yaml, or the rest.",
                "fields": (
                    "cloud_name",
                    "auth_url",
                    "username",
                    "password",
                    "project_name",
                    "user_domain_name",
                    "project_domain_name",
                    "region_name",
                    "ca_certificate",
                ),
            },
        ),
        (
            "Limits",
            {
                "fields": (
                    "compute_microversion",
                    "block_storage_microversion",
                    "server_availability_zone",
                )
            },
        ),
        ("Record", {"fields": ("uid", "revision", "create_time")}),
    )

    @display(
        description="state",
        ordering="state",
        label={
            ClusterState.ACTIVE: "success",
            ClusterState.CORDONED: "warning",
            ClusterState.DRAINING: "info",
            ClusterState.RETIRED: "danger",
        },
    )
    def show_state(self, obj: OpenStackCluster) -> str:
        return obj.state

    def save_form_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> OpenStackCluster:
        values = {name: getattr(obj, name) for name in _PLAIN}
        values["password"] = form.cleaned_data["password"]
        if change:
            return update_openstack_cluster(
                actor=actor, resource_id=obj.resource_id, changes=values
            )
        data = OpenStackClusterInput(availability_zone=obj.availability_zone.resource_id, **values)
        return create_openstack_cluster(actor=actor, resource_id=obj.resource_id, data=data)

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_openstack_cluster(actor=actor, resource_id=obj.resource_id)

    @action(
        description="Activate",
        permissions=["change"],
        dialog=_dialog(ClusterState.ACTIVE, "New instances and volumes may be placed there."),
    )
    def activate(self, request: HttpRequest, form: Form, object_id: str) -> HttpResponse:
        return self._set_state(request, object_id, ClusterState.ACTIVE)

    @action(
        description="Cordon",
        permissions=["change"],
        dialog=_dialog(ClusterState.CORDONED, "Nothing new is placed there; what is there stays."),
    )
    def cordon(self, request: HttpRequest, form: Form, object_id: str) -> HttpResponse:
        return self._set_state(request, object_id, ClusterState.CORDONED)

    @action(
        description="Drain",
        permissions=["change"],
        dialog=_dialog(
            ClusterState.DRAINING, "Nothing new is placed there, and it is to become empty."
        ),
    )
    def drain(self, request: HttpRequest, form: Form, object_id: str) -> HttpResponse:
        return self._set_state(request, object_id, ClusterState.DRAINING)

    @action(
        description="Retire",
        permissions=["change"],
        dialog=_dialog(
            ClusterState.RETIRED,
            "It is never called again. This is final, and needs an empty cluster.",
        ),
    )
    def retire(self, request: HttpRequest, form: Form, object_id: str) -> HttpResponse:
        return self._set_state(request, object_id, ClusterState.RETIRED)

    def _set_state(self, request: HttpRequest, object_id: str, state: ClusterState) -> HttpResponse:
        cluster = self.get_object(request, object_id)
        if cluster is None:
            self.message_user(request, "The cluster is not there any more.", messages.ERROR)
            return HttpResponseClientRedirect(self.change_url(object_id))
        try:
            set_openstack_cluster_state(
                actor=actor_for_request(request), resource_id=cluster.resource_id, state=state
            )
        except CycloudError as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
        else:
            self.message_user(request, f"{cluster.name} is {state.value} now.", messages.SUCCESS)
        return HttpResponseClientRedirect(self.change_url(object_id))
