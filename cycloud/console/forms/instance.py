"""The form for a new instance: its own fields, rows of volumes and rows of network interfaces."""

import re
from typing import Any, TypeAlias

from django import forms
from django.forms import BaseFormSet, formset_factory

from catalog.selectors.catalog import list_public_images
from compute.services.instances import (
    InlineNetworkInterface,
    InlineVolume,
    InstanceInput,
    NetworkInterfaceReference,
    VolumeReference,
)
from cycloud.console.forms import choices
from cycloud.console.page import ProjectPage

__all__ = ["InstanceForm", "field_of", "instance_input", "row_forms"]

NEW, EXISTING = "new", "existing"
DEFAULT_GIB = 10
_PATH = re.compile(r"(volumes|network_interfaces)\[(\d+)\](?:\.(\w+))?")
_VOLUME_FIELDS = {
    "volume_type": "volume_type",
    "size": "size_gib",
    "image": "image",
    "id": "volume",
}
_INTERFACE_FIELDS = {
    "subnet": "subnet",
    "ip_address": "ip_address",
    "id": "network_interface",
}


class InstanceForm(forms.Form):
    """Only what has to be typed in right; every rule is the service's."""

    instance_id = forms.CharField(
        label="Name",
        required=False,
        max_length=63,
        help_text="Lower-case letters, digits and hyphens. Empty: a name is made up.",
        widget=forms.TextInput(attrs={"placeholder": "web-1", "autocomplete": "off"}),
    )
    display_name = forms.CharField(label="Description", required=False, max_length=255)
    availability_zone = forms.ChoiceField(
        label="Zone", widget=forms.Select(attrs={"data-zone-source": "true"})
    )
    instance_type = forms.ChoiceField(
        label="Instance type",
        widget=choices.ZoneSelect(),
        help_text="It can be changed later; the change is taken at the next start.",
    )
    ssh_public_keys = forms.CharField(
        label="SSH public keys",
        required=False,
        help_text="One a line, as in a .pub file.",
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": "ssh-ed25519 AAAA… you@laptop"}),
    )
    user_data = forms.CharField(
        label="User data",
        required=False,
        strip=False,
        help_text="A cloud-init document or a script; at most 64 KiB.",
        widget=forms.Textarea(attrs={"rows": 5, "placeholder": "#cloud-config"}),
    )
    start = forms.BooleanField(label="Start it right away", required=False, initial=True)
    deletion_protection = forms.BooleanField(label="Protect it from deletion", required=False)

    def __init__(self, *args: Any, page: ProjectPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices.fill(self.fields["availability_zone"], choices.zones())
        choices.fill(self.fields["instance_type"], choices.instance_types())


class VolumeRow(forms.Form):
    """One volume: a new one, or one that exists."""

    source = forms.ChoiceField(
        label="Source",
        choices=[(NEW, "Make a new one"), (EXISTING, "Use one that exists")],
        initial=NEW,
    )
    volume_type = forms.ChoiceField(
        label="Volume type", required=False, widget=choices.ZoneSelect()
    )
    size_gib = forms.IntegerField(
        label="Size in GiB", required=False, min_value=1, initial=DEFAULT_GIB
    )
    image = forms.ChoiceField(label="Image", required=False)
    volume = forms.ChoiceField(label="Existing volume", required=False, widget=choices.ZoneSelect())

    def __init__(self, *args: Any, page: ProjectPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices.fill(self.fields["volume_type"], choices.volume_types())
        choices.fill(self.fields["image"], choices.images(), "No image (empty volume)")
        choices.fill(self.fields["volume"], choices.free_volumes(page), "Choose a volume")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        wanted = ["volume"] if values.get("source") == EXISTING else ["volume_type", "size_gib"]
        for name in wanted:
            if not values.get(name) and name not in self.errors:
                self.add_error(name, "This is needed.")
        return values

    def reference(self) -> VolumeReference | InlineVolume:
        """Return what the service takes; the form is valid."""
        values = self.cleaned_data
        if values["source"] == EXISTING:
            return VolumeReference(values["volume"])
        return InlineVolume(values["volume_type"], values["size_gib"], values["image"] or None)


class InterfaceRow(forms.Form):
    """One network interface: a new one in a subnet, or one that exists."""

    source = forms.ChoiceField(
        label="Source",
        choices=[(NEW, "Make a new one"), (EXISTING, "Use one that exists")],
        initial=NEW,
    )
    subnet = forms.ChoiceField(label="Subnet", required=False, widget=choices.ZoneSelect())
    ip_address = forms.CharField(
        label="IP address",
        required=False,
        max_length=39,
        help_text="Empty: any free one.",
        widget=forms.TextInput(attrs={"placeholder": "Any free one", "inputmode": "decimal"}),
    )
    network_interface = forms.ChoiceField(
        label="Existing network interface", required=False, widget=choices.ZoneSelect()
    )

    def __init__(self, *args: Any, page: ProjectPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices.fill(self.fields["subnet"], choices.subnets(page))
        choices.fill(
            self.fields["network_interface"],
            choices.free_interfaces(page),
            "Choose a network interface",
        )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        name = "network_interface" if values.get("source") == EXISTING else "subnet"
        if not values.get(name) and name not in self.errors:
            self.add_error(name, "This is needed.")
        return values

    def reference(self) -> NetworkInterfaceReference | InlineNetworkInterface:
        """Return what the service takes; the form is valid."""
        values = self.cleaned_data
        if values["source"] == EXISTING:
            return NetworkInterfaceReference(values["network_interface"])
        return InlineNetworkInterface(values["subnet"], values["ip_address"].strip() or None)


# Django's class is generic for the type checker only
Rows: TypeAlias = "BaseFormSet[Any]"
VolumeRows = formset_factory(VolumeRow, extra=0, can_delete=True, max_num=26)
InterfaceRows = formset_factory(InterfaceRow, extra=0, can_delete=True, max_num=8)


def row_forms(page: ProjectPage, data: Any = None) -> tuple[Rows, Rows]:
    """Return the two sets of rows: bound to ``data``, or with one row each to begin with."""
    common: dict[str, Any] = {"form_kwargs": {"page": page}}
    if data is not None:
        return (
            VolumeRows(data, prefix="volumes", **common),
            InterfaceRows(data, prefix="interfaces", **common),
        )
    return (
        VolumeRows(initial=[_root_volume()], prefix="volumes", **common),
        InterfaceRows(initial=[{}], prefix="interfaces", **common),
    )


def _root_volume() -> dict[str, Any]:
    """What the first row proposes: a volume with the first image, large enough for it."""
    image = list_public_images().first()
    if image is None:
        return {}
    return {"image": image.resource_id, "size_gib": max(DEFAULT_GIB, image.minimum_gib)}


def kept_rows(rows: Rows) -> list[Any]:
    """Return the rows that were not taken away, in order: the n-th is the n-th of the request."""
    return [row for row in rows.forms if row not in rows.deleted_forms]


def instance_input(form: InstanceForm, volumes: Rows, interfaces: Rows) -> InstanceInput:
    """Return what the service takes; the forms are valid."""
    values = form.cleaned_data
    keys = (line.strip() for line in values["ssh_public_keys"].splitlines())
    return InstanceInput(
        instance_type=values["instance_type"],
        availability_zone=values["availability_zone"],
        volumes=tuple(row.reference() for row in kept_rows(volumes)),
        network_interfaces=tuple(row.reference() for row in kept_rows(interfaces)),
        ssh_public_keys=tuple(key for key in keys if key),
        # browsers send CR LF, which cloud-init takes for part of a script's first line
        user_data=values["user_data"].replace("\r\n", "\n"),
        desired_state="RUNNING" if values["start"] else "STOPPED",
        deletion_protection=values["deletion_protection"],
        display_name=values["display_name"],
    )


def field_of(
    path: str, form: InstanceForm, volumes: Rows, interfaces: Rows
) -> tuple[forms.Form, str] | None:
    """Return the form and field for a path of the request, if one shows it."""
    match = _PATH.fullmatch(path)
    if match is not None:
        rows, names = (
            (volumes, _VOLUME_FIELDS) if match[1] == "volumes" else (interfaces, _INTERFACE_FIELDS)
        )
        kept = kept_rows(rows)
        name = names.get(match[3] or "")
        if name is None or int(match[2]) >= len(kept):
            return None
        return kept[int(match[2])], name
    name = path.partition("[")[0]
    return (form, name) if name in form.fields else None
