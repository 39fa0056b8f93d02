"""Forms about VPCs, subnets and network interfaces."""

from typing import Any

from django import forms

from cycloud.console.forms import choices
from cycloud.console.page import ProjectPage
from networking.selectors.networks import list_vpcs

__all__ = ["InterfaceForm", "SubnetForm", "VpcForm"]

_NAME_HELP = "Lower-case letters, digits and hyphens. Empty: a name is made up."


class InterfaceForm(forms.Form):
    network_interface_id = forms.CharField(
        label="Name", required=False, max_length=63, help_text=_NAME_HELP
    )
    subnet = forms.ChoiceField(label="Subnet")
    ip_address = forms.CharField(
        label="IP address", required=False, max_length=39, help_text="Empty: any free one."
    )

    def __init__(self, *args: Any, page: ProjectPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices.fill(self.fields["subnet"], choices.subnets(page))


class VpcForm(forms.Form):
    vpc_id = forms.CharField(label="Name", required=False, max_length=63, help_text=_NAME_HELP)
    display_name = forms.CharField(label="Description", required=False, max_length=255)


class SubnetForm(forms.Form):
    subnet_id = forms.CharField(label="Name", required=False, max_length=63, help_text=_NAME_HELP)
    vpc = forms.ChoiceField(label="VPC", help_text="Subnets of one VPC must not overlap.")
    availability_zone = forms.ChoiceField(label="Zone")
    cidr = forms.CharField(
        label="Address range",
        max_length=18,
        widget=forms.TextInput(attrs={"placeholder": "10.0.2.0/24"}),
    )
    gateway_ip = forms.CharField(
        label="Gateway", required=False, max_length=15, help_text="Empty: the first address."
    )

    def __init__(self, *args: Any, page: ProjectPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = list_vpcs(actor=page.actor, project_id=page.project_id)
        choices.fill(
            self.fields["vpc"], [choices.Choice(r.resource_id, r.resource_id) for r in rows]
        )
        choices.fill(self.fields["availability_zone"], choices.zones())
