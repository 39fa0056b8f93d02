from typing import Any

from django.contrib import admin

from catalog.admin.service_admin import ServiceAdmin
from cycloud.core.iam.actor import Actor
from networking.models import VPC
from networking.services.vpcs import VpcInput, create_vpc, delete_vpc, update_vpc


@admin.register(VPC)
class VpcAdmin(ServiceAdmin):
    """Private networks of the projects."""

    list_display = ("resource_id", "project", "display_name", "create_time")
    list_filter = ("project",)
    list_select_related = ("project",)
    search_fields = ("resource_id", "display_name", "project__resource_id")
    fields = ("project", "resource_id", "display_name", "labels", "annotations")
    create_only = ("project", "resource_id")
    error_fields = {"vpc_id": "resource_id"}

    def save_form_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> VPC:
        project_id = obj.project.resource_id
        values = {name: getattr(obj, name) for name in ("display_name", "labels", "annotations")}
        if change:
            written = update_vpc(
                actor=actor, project_id=project_id, vpc_id=obj.resource_id, changes=values
            )
        else:
            data = VpcInput(**values)
            written = create_vpc(
                actor=actor, project_id=project_id, data=data, vpc_id=obj.resource_id
            )
        assert written.resource is not None
        return written.resource

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_vpc(actor=actor, project_id=obj.project.resource_id, vpc_id=obj.resource_id)
