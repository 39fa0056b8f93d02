"""Bases of the operators' pages (Django's admin).

Operators may look at everything; what controllers own is read only, and every write goes through a service.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode

from cycloud.core.admin.typed import ModelAdmin
from cycloud.core.aip.errors import CycloudError
from cycloud.core.iam.access import audit_refusal
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.authentication import actor_for_user, request_id_of

__all__ = ["OperatorPermissions", "ReadOnlyModelAdmin", "WriteAdmin", "actor_of", "is_operator"]


def is_operator(request: HttpRequest) -> bool:
    """Tell whether a signed-in platform operator asks."""
    user = request.user
    return not isinstance(user, AnonymousUser) and user.is_active and user.is_staff


def actor_of(request: HttpRequest) -> Actor:
    """Return the operator's actor from the session; a token opens no page."""
    return actor_for_user(
        request.user,
        source_address=str(request.META.get("REMOTE_ADDR") or "")[:64],
        request_id=request_id_of(request),
    )


class OperatorPermissions:
    """Platform operators may do everything here; nobody else sees it."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_operator(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_operator(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_operator(request)


class CycloudModelAdmin(OperatorPermissions, ModelAdmin):
    """Without Django's bulk delete, which would pass the services by, and with fewer clicks to get back."""

    list_per_page = 50
    show_full_result_count = False

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions: dict[str, Any] = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def change_url(self, object_id: Any) -> str:
        """Return the address of an object's page."""
        meta = self.model._meta
        return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[object_id])

    def audited_as(self, obj: Any) -> str:
        """Return the name under which the audit log knows the object: its full name, where it has one."""
        return str(getattr(obj, "name", obj))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Go to the audit log: it has all that was done, by whatever way. Django's own knows of the admin only."""
        obj = self.get_object(request, object_id)
        if obj is None or not self.has_view_permission(request, obj):
            raise Http404
        words = urlencode({"q": self.audited_as(obj)})
        return HttpResponseRedirect(f"{reverse('admin:iam_auditentry_changelist')}?{words}")

    def list_url(self) -> str:
        """Return the address of the list."""
        meta = self.model._meta
        return reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")


class ReadOnlyModelAdmin(CycloudModelAdmin):
    """To be read. Subclasses may offer actions, which call services."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class WriteAdmin(CycloudModelAdmin):
    """A form whose values go to a service. What it refuses is shown at the field that it names."""

    # set only while a new one is made
    create_only: tuple[str, ...] = ()
    # a field of the service's input -> the form's, where they differ
    error_fields: dict[str, str] = {}
    warn_unsaved_form = True

    def save_through(self, actor: Actor, obj: Any, *, change: bool) -> models.Model:
        """Call the service that makes or changes ``obj``, and return what it stored."""
        raise NotImplementedError

    def delete_through(self, actor: Actor, obj: Any) -> None:
        """Call the service that deletes ``obj``."""
        raise NotImplementedError

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        fields = tuple(super().get_readonly_fields(request, obj))
        return (*fields, *self.create_only) if obj else fields

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[Any]:
        form: type[Any] = super().get_form(request, obj, change, **kwargs)
        refusal: CycloudError | None = getattr(request, "refusal", None)
        if refusal is None:
            return form
        return type(form.__name__, (form,), {"clean": _clean_with(refusal, self.error_fields)})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        view = super().changeform_view
        try:
            response: HttpResponse = view(request, object_id, form_url, extra_context)
        except CycloudError as refusal:
            # the transaction of the first try is rolled back: show the same form with the refusal in it
            verb = "Update" if object_id else "Create"
            name = f"{self.model._meta.model_name}/{object_id or ''}".rstrip("/")
            audit_refusal(actor_of(request), f"{verb}{self.model.__name__}", name, refusal)
            request.refusal = refusal  # type: ignore[attr-defined]
            response = view(request, object_id, form_url, extra_context)
        return response

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            response: HttpResponse = super().delete_view(request, object_id, extra_context)
        except CycloudError as refusal:
            name = f"{self.model._meta.model_name}/{object_id}"
            audit_refusal(actor_of(request), f"Delete{self.model.__name__}", name, refusal)
            self.message_user(request, refusal.message, messages.ERROR)
            return HttpResponseRedirect(self.change_url(object_id))
        return response

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.pk = self.save_through(actor_of(request), obj, change=change).pk

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self.delete_through(actor_of(request), obj)


def _clean_with(refusal: CycloudError, error_fields: dict[str, str]) -> Callable[[Any], None]:
    def clean(self: Any) -> None:
        shown = 0
        for violation in refusal.violations:
            name = error_fields.get(violation.field, violation.field)
            if name in self.fields:
                self.add_error(name, ValidationError(violation.description))
                shown += 1
        if shown < max(1, len(refusal.violations)):
            self.add_error(None, ValidationError(refusal.message))

    return clean
