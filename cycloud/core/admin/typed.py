"""django-unfold with types: it has none of its own, and the type checker refuses untyped bases and decorators."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from unfold import decorators

if TYPE_CHECKING:
    from django.contrib import admin

    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    from unfold.admin import ModelAdmin, TabularInline

__all__ = ["ModelAdmin", "TabularInline", "column", "confirmed_action"]

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


def confirmed_action(
    description: str, icon: str, *, question: str, explanation: str
) -> Callable[[F], F]:
    """Make ``method(request, form, object_id)`` a button of one object's page that asks first."""
    decorator: Callable[[F], F] = decorators.action(
        description=description,
        icon=icon,
        dialog={
            "title": question,
            "description": explanation,
            "form_class": None,
            "form_submit_text": description,
        },
    )
    return decorator
