"""django-unfold with types: it has none of its own, and the type checker refuses untyped bases and decorators."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from django import forms
from unfold import decorators
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminTextareaWidget

from cycloud.core.resources.reasons import REASON_LENGTH

if TYPE_CHECKING:
    from django.contrib import admin

    DialogForm = forms.Form
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    from unfold.admin import ModelAdmin, TabularInline
    from unfold.forms import BaseDialogForm as DialogForm

__all__ = [
    "DialogForm",
    "ModelAdmin",
    "ReasonForm",
    "TabularInline",
    "column",
    "confirmed_action",
]

F = TypeVar("F", bound=Callable[..., Any])


def column(
    description: str,
    *,
    label: dict[str, str] | None = None,
    boolean: bool | None = None,
    ordering: str | None = None,
    empty_value: str | None = None,
) -> Callable[[F], F]:
    """Make a method a column. ``label``: values to unfold's names of colours."""
    decorator: Callable[[F], F] = decorators.display(
        description=description,
        label=label,
        boolean=boolean,
        ordering=ordering,
        empty_value=empty_value,
    )
    return decorator


class ReasonForm(DialogForm):
    """What a dialog asks for before something that cannot be taken back: why. The audit log keeps it."""

    reason = forms.CharField(
        label="Reason",
        max_length=REASON_LENGTH,
        help_text="For the audit log: what happened, and who decided it.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )


def confirmed_action(
    description: str,
    icon: str,
    *,
    question: str,
    explanation: str,
    form_class: type[forms.Form] | None = None,
    permissions: tuple[str, ...] | None = None,
    danger: bool = False,
) -> Callable[[F], F]:
    """Make ``method(request, form, object_id)`` a button of one object's page that asks first.

    ``form_class``: what else it asks for; the method gets it when it is valid. ``permissions``: names of methods
    ``has_<name>_permission(request, object_id)``, without which the button is not there.
    """
    decorator: Callable[[F], F] = decorators.action(
        description=description,
        icon=icon,
        permissions=permissions,
        variant=ActionVariant.DANGER if danger else ActionVariant.DEFAULT,
        dialog={
            "title": question,
            "description": explanation,
            "form_class": form_class,
            "form_submit_text": description,
        },
    )
    return decorator
