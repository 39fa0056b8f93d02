"""Showing what a service refused at the field of the form that it is about."""

from collections.abc import Callable

from django import forms

from cycloud.core.aip.errors import CycloudError

__all__ = ["FieldFinder", "show_error"]

# from a field's path in the request ("volumes[0].size") to the form and field that shows it
FieldFinder = Callable[[str], tuple[forms.Form, str] | None]


def show_error(form: forms.Form, error: CycloudError, find: FieldFinder | None = None) -> None:
    """Add the error to ``form``, each violation at its field; what has no field goes to the top."""
    placed = 0
    for violation in error.violations:
        target = find(violation.field) if find else _same_name(form, violation.field)
        if target is not None:
            owner, name = target
            owner.add_error(name, _sentence(violation.description))
            placed += 1
    if placed < max(1, len(error.violations)):
        form.add_error(None, error.message)


def _same_name(form: forms.Form, path: str) -> tuple[forms.Form, str] | None:
    return (form, path) if path in form.fields else None


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
