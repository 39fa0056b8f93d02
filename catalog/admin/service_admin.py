"""Admin pages of resources with rows of their own: one call of a service stores the form and its inlines."""

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db import models
from django.http import HttpRequest

from cycloud.core.admin.base import OperatorPermissions, WriteAdmin, actor_of
from cycloud.core.admin.typed import TabularInline
from cycloud.core.iam.actor import Actor

__all__ = ["OperatorPermissions", "ServiceAdmin", "ServiceInline", "rows_of"]

M = TypeVar("M", bound=models.Model)


class ServiceInline(OperatorPermissions, TabularInline):
    """Rows that belong to the resource; they are stored by the resource's service."""

    extra = 0
    show_change_link = False


class ServiceAdmin(WriteAdmin):
    """Subclasses say how to save and delete: :meth:`save_form_through`, :meth:`delete_through`."""

    create_only: tuple[str, ...] = ("resource_id",)

    def save_form_through(
        self, actor: Actor, obj: Any, form: Any, formsets: list[Any], *, change: bool
    ) -> models.Model:
        """Call the service that makes or changes ``obj``, and return what it stored."""
        raise NotImplementedError

    # -- Django's hooks

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """To be read only where it is declared in Kubernetes; ``obj`` is a row, or its key."""
        return super().has_change_permission(request, obj) and not self._is_declared_elsewhere(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and not self._is_declared_elsewhere(obj)

    def _is_declared_elsewhere(self, obj: Any) -> bool:
        if obj is None or isinstance(obj, models.Model):
            return bool(getattr(obj, "managed_by", ""))
        row = self.model._default_manager.filter(pk=obj).first()
        return bool(getattr(row, "managed_by", ""))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Wait for the inline rows: one call of the service stores all (:meth:`save_related`)."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        actor = actor_of(request)
        stored = self.save_form_through(actor, form.instance, form, list(formsets), change=change)
        form.instance.pk = stored.pk
        for formset in formsets:
            # what Django's own log of changes reads
            formset.new_objects, formset.changed_objects, formset.deleted_objects = [], [], []


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
