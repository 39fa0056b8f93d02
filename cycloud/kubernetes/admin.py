"""The operators' page of the namespaces of projects."""

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from cycloud.core.admin.base import WriteAdmin
from cycloud.core.admin.typed import column
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import ServiceAccount
from cycloud.kubernetes.bindings import bind_namespace
from cycloud.kubernetes.models import NamespaceBinding

__all__ = ["NamespaceBindingAdmin"]


@admin.register(NamespaceBinding)
class NamespaceBindingAdmin(WriteAdmin):
    """As whom objects of a project are taken in.

    Which namespace it is says ``manage.py kubernetes bind``: that one must be labelled in the cluster too, and no page
    waits for an API server.
    """

    list_display = ("project", "namespace", "service_account", "takes_in", "is_ours", "create_time")
    list_filter = (
        "is_ours",
        ("service_account", admin.EmptyFieldListFilter),
    )
    list_select_related = ("project", "service_account__project")
    search_fields = ("namespace", "project__resource_id", "service_account__resource_id")
    ordering = ("project__resource_id",)
    fields = ("project", "namespace", "service_account")
    readonly_fields = ("namespace",)
    create_only = ("project",)

    @column("Takes objects in", boolean=True)
    def takes_in(self, obj: NamespaceBinding) -> bool:
        return obj.service_account is not None and not obj.service_account.disabled

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # a binding is made at the first need of it and stays
        return False

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[Any]:
        form = super().get_form(request, obj, change, **kwargs)
        offered = Q(disabled=False)
        if obj is not None:
            # the present one stays on the page if it is disabled: saving the page must not take it away
            offered = Q(project=obj.project) & (offered | Q(pk=obj.service_account_id))
        accounts = ServiceAccount.objects.filter(offered).select_related("project")
        field = form.base_fields.get("service_account")
        if field is not None:
            field.queryset = accounts.order_by("project__resource_id", "resource_id")
            field.help_text = (
                "One of the project's own. What people apply in the namespace is taken in with its role; without an "
                "account it is refused."
            )
        return form

    def audited_as(self, obj: NamespaceBinding) -> str:
        return obj.project.name

    def save_through(
        self, actor: Actor, obj: NamespaceBinding, *, change: bool
    ) -> NamespaceBinding:
        account = obj.service_account
        return bind_namespace(
            actor=actor,
            project_id=obj.project.resource_id,
            service_account="" if account is None else str(account),
        )
