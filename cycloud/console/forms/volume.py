"""Forms about volumes."""

from typing import Any

from django import forms

from compute.services.volumes import VolumeInput
from cycloud.console.forms import choices
from cycloud.console.page import ProjectPage

__all__ = ["AttachForm", "GrowForm", "VolumeForm", "volume_input"]


class VolumeForm(forms.Form):
    volume_id = forms.CharField(
        label="Name",
        required=False,
        max_length=63,
        help_text="Lower-case letters, digits and hyphens. Empty: a name is made up.",
        widget=forms.TextInput(attrs={"placeholder": "data-1", "autocomplete": "off"}),
    )
    display_name = forms.CharField(label="Description", required=False, max_length=255)
    availability_zone = forms.ChoiceField(
        label="Zone",
        help_text="Only instances of this zone can use it.",
        widget=forms.Select(attrs={"data-zone-source": "true"}),
    )
    volume_type = forms.ChoiceField(label="Volume type", widget=choices.ZoneSelect())
    size = forms.IntegerField(
        label="Size in GiB", min_value=1, initial=10, help_text="It can grow later, never shrink."
    )
    image = forms.ChoiceField(
        label="Image", required=False, help_text="An instance can boot from a volume with an image."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices.fill(self.fields["availability_zone"], choices.zones())
        choices.fill(self.fields["volume_type"], choices.volume_types())
        choices.fill(self.fields["image"], choices.images(), "No image (empty volume)")


class GrowForm(forms.Form):
    size = forms.IntegerField(label="New size in GiB", min_value=1)


class AttachForm(forms.Form):
    volume = forms.ChoiceField(label="Volume")

    def __init__(self, *args: Any, page: ProjectPage, zone: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = [row for row in choices.free_volumes(page) if row.zones == (zone,)]
        choices.fill(self.fields["volume"], rows, "Choose a volume")


def volume_input(form: VolumeForm) -> VolumeInput:
    """Return what the service takes; the form is valid."""
    values = form.cleaned_data
    return VolumeInput(
        volume_type=values["volume_type"],
        availability_zone=values["availability_zone"],
        size_gib=values["size"],
        image=values["image"] or None,
        display_name=values["display_name"],
    )
