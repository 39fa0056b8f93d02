"""The form that changes the type of an instance."""

from typing import Any

from django import forms

from cycloud.console.forms import choices

__all__ = ["InstanceTypeForm"]


class InstanceTypeForm(forms.Form):
    """Offers the types of the zone, and the present one even where it is no longer offered."""

    instance_type = forms.ChoiceField(label="Instance type")

    def __init__(self, *args: Any, zone: str, present: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [
            choice
            for choice in choices.instance_types()
            if choice.value == present or zone in (choice.zones or ())
        ]
        choices.fill(self.fields["instance_type"], offered)
