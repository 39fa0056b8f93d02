from typing import Any

from django.contrib import admin

from catalog.admin.service_admin import ServiceAdmin, ServiceInline, rows_of
from cycloud.core.admin.force_removal import ForceRemoval
from cycloud.core.iam.actor import Actor
from networking.models import OpenStackSubnet, Subnet
from networking.selectors.networks import count_free_addresses
from networking.services.forced_removal import force_subnet_removal
from networking.services.openstack_subnets import map_openstack_subnet, unmap_openstack_subnet
from networking.services.subnets import SubnetInput, create_subnet, delete_subnet, update_subnet


class OpenStackSubnetInline(ServiceInline):
    model = OpenStackSubnet
    fields = ("cluster", "provider_network_id", "provider_subnet_id", "managed")
    # the controllers' own are made, and made known, by them
    readonly_fields = ("managed",)
    verbose_name = "cluster"
    verbose_name_plural = "Network and subnet ids in the clusters"


@admin.register(Subnet)
class SubnetAdmin(ForceRemoval, ServiceAdmin):
    """Ranges of addresses, and what each is in the clusters."""

    list_display = ("resource_id", "project", "vpc", "availability_zone", "cidr", "free")
    list_filter = ("project", "availability_zone")
    list_select_related = ("project", "vpc", "availability_zone")
    search_fields = ("resource_id", "cidr", "project__resource_id")
    fields = (
        "project",
        "resource_id",
        "vpc",
        "availability_zone",
        "cidr",
        "gateway_ip",
        "display_name",
        "labels",
        "annotations",
    )
    create_only = ("project", "resource_id", "vpc", "availability_zone", "cidr", "gateway_ip")
    error_fields = {"subnet_id": "resource_id"}
    inlines = (OpenStackSubnetInline,)
    actions_detail = ("force_this",)

    def is_held(self, row: Subnet) -> bool:
        return row.delete_time is not None

    def force(self, actor: Actor, row: Subnet, reason: str) -> tuple[str, ...]:
        return force_subnet_removal(actor=actor, uid=row.uid, reason=reason)

    @admin.display(description="free addresses")
    def free(self, obj: Subnet) -> int:
        return count_free_addresses(obj)

    def get_form(self, request: Any, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        if "gateway_ip" in form.base_fields:
            form.base_fields["gateway_ip"].required = False
            form.base_fields["gateway_ip"].help_text = "Empty: the first address of the range."
        return form

    def save_form_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> Subnet:
        project_id = obj.project.resource_id
        values = {name: getattr(obj, name) for name in ("display_name", "labels", "annotations")}
        if change:
            written = update_subnet(
                actor=actor, project_id=project_id, subnet_id=obj.resource_id, changes=values
            )
        else:
            data = SubnetInput(
                vpc=obj.vpc.name,
                availability_zone=obj.availability_zone.resource_id,
                cidr=obj.cidr,
                gateway_ip=obj.gateway_ip or None,
                **values,
            )
            written = create_subnet(
                actor=actor, project_id=project_id, data=data, subnet_id=obj.resource_id
            )
        self._save_mapping(actor, project_id, obj.resource_id, formsets)
        assert written.resource is not None
        return written.resource

    def _save_mapping(
        self, actor: Actor, project_id: str, subnet_id: str, formsets: list[Any]
    ) -> None:
        removed = [form.instance for formset in formsets for form in formset.deleted_forms]
        for row in removed:
            unmap_openstack_subnet(
                actor=actor,
                project_id=project_id,
                subnet_id=subnet_id,
                cluster_id=row.cluster.resource_id,
            )
        for row in rows_of(formsets, OpenStackSubnet):
            if row.managed:
                continue
            map_openstack_subnet(
                actor=actor,
                project_id=project_id,
                subnet_id=subnet_id,
                cluster_id=row.cluster.resource_id,
                provider_network_id=row.provider_network_id,
                provider_subnet_id=row.provider_subnet_id,
            )

    def delete_through(self, actor: Actor, obj: Any) -> None:
        delete_subnet(actor=actor, project_id=obj.project.resource_id, subnet_id=obj.resource_id)
