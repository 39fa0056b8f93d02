"""Admin pages whose every write goes through a service, and whose errors are the service's own.

A page's form collects values; ``save_through`` gives them to the service. What the service refuses is shown
at the field it names, or above the form, and nothing is kept.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.admin import ModelAdmin, TabularInline

from cycloud.core.aip.errors import CycloudError
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.authentication import actor_for_request

__all__ = ["OperatorPermissions", "ServiceAdmin", "ServiceInline", "rows_of"]

M = TypeVar("M", bound=models.Model)


class OperatorPermissions:
    """Platform operators may do everything here; nobody else sees it."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _is_operator(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_operator(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_operator(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_operator(request)


def _is_operator(request: HttpRequest) -> bool:
    user = request.user
    return not isinstance(user, AnonymousUser) and user.is_active and user.is_staff


class ServiceInline(OperatorPermissions, TabularInline):
    """Rows that belong to the resource; they are stored by the resource's service."""

    extra = 0
    show_change_link = False


class ServiceAdmin(OperatorPermissions, ModelAdmin):
    """Subclasses say how to save and delete: :meth:`save_through`, :meth:`delete_through`."""

    # set only while a new one is made
    create_only: tuple[str, ...] = ("resource_id",)
    # a field of the service's input -> the form's, where they differ
    error_fields: dict[str, str] = {}
    warn_unsaved_form = True

    def save_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> models.Model:
        """Call the service that makes or changes ``obj``, and return what it stored."""
        raise NotImplementedError

    def delete_through(self, actor: Actor, obj: Any) -> None:
        """Call the service that deletes ``obj``."""
        raise NotImplementedError

    # -- Django's hooks

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Iterable[str]:
        fields = tuple(super().get_readonly_fields(request, obj))
        return (*fields, *self.create_only) if obj else fields

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[Any]:
        """Return a form that shows what the service refused (see :meth:`changeform_view`)."""
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
        try:
            response: HttpResponse = super().changeform_view(
                request, object_id, form_url, extra_context
            )
        except CycloudError as refusal:
            # the transaction of the first try is rolled back: show the same form with the refusal in it
            request.refusal = refusal  # type: ignore[attr-defined]
            response = super().changeform_view(request, object_id, form_url, extra_context)
        return response

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            response: HttpResponse = super().delete_view(request, object_id, extra_context)
        except CycloudError as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
            return HttpResponseRedirect(self.change_url(object_id))
        return response

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Wait for the inline rows: one call of the service stores all (:meth:`save_related`)."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        actor = actor_for_request(request)
        stored = self.save_through(actor, form.instance, form, list(formsets), change=change)
        form.instance.pk = stored.pk
        for formset in formsets:
            # what Django's own log of changes reads
            formset.new_objects, formset.changed_objects, formset.deleted_objects = [], [], []

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self.delete_through(actor_for_request(request), obj)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Leave out Django's bulk delete: it would pass the services by."""
        actions: dict[str, Any] = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def change_url(self, object_id: Any) -> str:
        """Return the address of an object's page."""
        meta = self.model._meta
        return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[object_id])


def rows_of(formsets: Iterable[Any], model: type[M]) -> list[M]:
    """Return the rows of ``model`` that the page's inline forms describe, without the removed ones."""
    return [
        form.instance
        for formset in formsets
        if formset.model is model
        for form in formset.forms
        if form.is_valid()
        and form not in formset.deleted_forms
        and (form.has_changed() or form.instance.pk is not None)
    ]


def _clean_with(refusal: CycloudError, error_fields: dict[str, str]) -> Callable[[Any], None]:
    def clean(self: Any) -> None:
        for violation in refusal.violations:
            name = error_fields.get(violation.field, violation.field)
            inside = name in self.fields
            text = (
                violation.description if inside else f"{violation.field}: {violation.description}"
            )
            self.add_error(name if inside else None, ValidationError(text))
        if not refusal.violations:
            self.add_error(None, ValidationError({NON_FIELD_ERRORS: [refusal.message]}))

    return clean
