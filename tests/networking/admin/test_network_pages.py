"""The operators' pages of networks."""

from django.test import Client
from django.urls import reverse

from cycloud.core.clock import now
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.models import DueRow
from networking.models import VPC, OpenStackSubnet, Subnet
from networking.selectors.networks import count_free_addresses
from tests.factories.catalog import AvailabilityZoneFactory, OpenStackClusterFactory
from tests.factories.iam import ProjectFactory
from tests.factories.networking import (
    NetworkInterfaceFactory,
    OpenStackSubnetFactory,
    SubnetFactory,
    VpcFactory,
)

METADATA = {"labels": "{}", "annotations": "{}"}


def page(name: str, *args: object) -> str:
    return reverse(f"admin:networking_{name}", args=args)


def mapping(*rows: dict[str, object], initial: int = 0) -> dict[str, object]:
    """The fields of the inline formset, as the browser sends them."""
    data: dict[str, object] = {
        "provider_subnets-TOTAL_FORMS": len(rows),
        "provider_subnets-INITIAL_FORMS": initial,
        "provider_subnets-MIN_NUM_FORMS": 0,
        "provider_subnets-MAX_NUM_FORMS": 1000,
    }
    for index, row in enumerate(rows):
        data |= {f"provider_subnets-{index}-{name}": value for name, value in row.items()}
    return data


def test_a_vpc_is_made_and_changed(operator: Client) -> None:
    project = ProjectFactory.create()
    data = {"project": project.pk, "resource_id": "v", **METADATA}
    assert operator.post(page("vpc_add"), data).status_code == 302
    vpc = VPC.objects.get()
    assert vpc.is_ready
    change = {"display_name": "Mine", "labels": '{"a": "b"}', "annotations": "{}"}
    assert operator.post(page("vpc_change", vpc.pk), change).status_code == 302
    vpc.refresh_from_db()
    assert (vpc.display_name, vpc.labels) == ("Mine", {"a": "b"})


def test_a_subnet_is_made_with_its_ids_in_a_cluster(operator: Client) -> None:
    vpc, zone = VpcFactory.create(), AvailabilityZoneFactory.create()
    cluster = OpenStackClusterFactory.create(availability_zone=zone)
    data = {
        "project": vpc.project.pk,
        "resource_id": "s",
        "vpc": vpc.pk,
        "availability_zone": zone.pk,
        "cidr": "10.0.1.0/24",
        **METADATA,
    }
    row = {"cluster": cluster.pk, "provider_network_id": "net-1", "provider_subnet_id": "sub-1"}
    assert operator.post(page("subnet_add"), data | mapping(row)).status_code == 302
    subnet = Subnet.objects.get()
    assert subnet.gateway_ip == "10.0.1.1"
    assert count_free_addresses(subnet) == 253
    made = OpenStackSubnet.objects.get()
    assert (made.cluster, made.provider_network_id, made.managed) == (cluster, "net-1", False)
    assert made.is_ready
    assert DueRow.objects.filter(
        controller="catalog", key=f"OpenStackCluster:{cluster.uid}"
    ).exists()


def test_a_wrong_range_is_shown_at_its_field_and_nothing_is_kept(operator: Client) -> None:
    vpc, zone = VpcFactory.create(), AvailabilityZoneFactory.create()
    data = {
        "project": vpc.project.pk,
        "resource_id": "s",
        "vpc": vpc.pk,
        "availability_zone": zone.pk,
        "cidr": "10.0.1.7/24",
        **METADATA,
    }
    response = operator.post(page("subnet_add"), data | mapping())
    errors = response.context["adminform"].form.errors
    assert "Did you mean 10.0.1.0/24?" in errors["cidr"][0]
    assert not Subnet.objects.exists()


def test_ids_that_ports_use_stay(operator: Client) -> None:
    row = OpenStackSubnetFactory.create(managed=True, provider_network_id="net-1")
    remove: dict[str, object] = {
        "id": row.pk,
        "cluster": row.cluster.pk,
        "provider_network_id": "net-1",
        "provider_subnet_id": row.provider_subnet_id,
        "DELETE": "on",
    }
    response = operator.post(
        page("subnet_change", row.subnet.pk), METADATA | mapping(remove, initial=1)
    )
    assert "cannot be changed by hand" in response.content.decode()
    assert OpenStackSubnet.objects.filter(pk=row.pk).exists()


def test_interfaces_are_there_to_be_read(operator: Client) -> None:
    nic = NetworkInterfaceFactory.create()
    shown = operator.get(page("networkinterface_changelist")).content.decode()
    assert nic.ip_address in shown and nic.mac_address in shown
    assert operator.get(page("networkinterface_change", nic.pk)).status_code == 200
    assert operator.get(page("networkinterface_add")).status_code == 403
    assert (
        operator.post(page("networkinterface_delete", nic.pk), {"post": "yes"}).status_code == 403
    )


def test_every_list_opens(operator: Client) -> None:
    SubnetFactory.create()
    for name in ("vpc", "subnet", "networkinterface"):
        assert operator.get(page(f"{name}_changelist")).status_code == 200
    assert operator.get(page("subnet_add")).status_code == 200


def test_a_subnet_that_cannot_be_removed_is_given_up_with_a_reason(operator: Client) -> None:
    subnet = SubnetFactory.create()
    row = OpenStackSubnet.objects.create(
        subnet=subnet, cluster=OpenStackClusterFactory.create(), managed=True
    )
    button = f"/admin/networking/subnet/{subnet.pk}/force_this/"
    form = f"/admin/networking/subnet/{subnet.pk}/change/"
    assert button not in operator.get(form).content.decode()
    Subnet.objects.update(delete_time=now())
    assert button in operator.get(form).content.decode()
    refused = operator.post(button, {"_form_submitted": "True", "reason": ""})
    assert "This field is required" in refused.content.decode()
    assert OpenStackSubnet.objects.filter(pk=row.pk).exists()
    done = operator.post(button, {"_form_submitted": "True", "reason": "The hall burned down."})
    assert done.headers["HX-Redirect"] == "/admin/networking/subnet/"
    assert not Subnet.objects.exists()
    assert AuditEntry.objects.get(method="ForceRemoval").detail["may_be_left"]
