from typing import Any

import pytest

from cycloud.core.iam.actor import Role
from networking.models import NetworkInterface, Subnet
from tests.factories.catalog import AvailabilityZoneFactory
from tests.factories.compute import NetworkAttachmentFactory
from tests.factories.iam import ProjectFactory
from tests.factories.networking import VpcFactory
from tests.factories.rest import RestClient, client_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def call() -> RestClient:
    project = ProjectFactory.create(resource_id="p")
    VpcFactory.create(project=project, resource_id="v")
    AvailabilityZoneFactory.create(resource_id="z")
    return client_with(Role.EDITOR, project)


SUBNET = {"vpc": "v", "availability_zone": "z", "cidr": "10.0.1.0/24"}


def test_a_subnet_and_an_address_of_it(call: RestClient) -> None:
    made = call("POST", "projects/p/subnets?subnet_id=s", SUBNET)
    assert made.status == 200, made.text
    subnet = call("GET", "projects/p/subnets/s").json
    kind = "type.googleapis.com/cycloud.networking.v1.Subnet"
    assert {"@type": kind, **subnet} == made.json["response"]
    assert {field: subnet[field] for field in SUBNET} == SUBNET
    assert subnet["gateway_ip"] == "10.0.1.1"
    path = "projects/p/networkInterfaces?network_interface_id"
    chosen = call("POST", f"{path}=n", {"subnet": "s", "ip_address": "10.0.1.23"})
    assert chosen.json["response"]["ip_address"] == "10.0.1.23"
    assert chosen.json["response"]["attached_instance"] is None
    taken = call("POST", f"{path}=m", {"subnet": "s", "ip_address": "10.0.1.23"})
    assert (taken.status, taken.reason) == (409, "ADDRESS_IN_USE")
    spread = call("POST", f"{path}=m", {"subnet": "s", "allocation": "SPREAD"})
    assert spread.json["response"]["subnet"] == "s"
    listed = call("GET", "projects/p/networkInterfaces?filter=ip_address%3D10.0.1.23").json
    assert [nic["name"] for nic in listed["network_interfaces"]] == [
        "projects/p/networkInterfaces/n"
    ]
    assert call("DELETE", "projects/p/subnets/s").reason == "SUBNET_NOT_EMPTY"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"cidr": "10.0.2.0/24"}, "cidr"),
        ({"vpc": "w"}, "vpc"),
        ({"gateway_ip": "10.0.1.2"}, "gateway_ip"),
        ({"availability_zone": None}, "availability_zone"),
    ],
)
def test_what_cannot_change_is_refused_and_may_be_sent_back(
    call: RestClient, change: dict[str, Any], field: str
) -> None:
    call("POST", "projects/p/subnets?subnet_id=s", SUBNET)
    read = call("GET", "projects/p/subnets/s").json
    same = call("PATCH", "projects/p/subnets/s", {**read, "display_name": "x"})
    assert same.json["response"]["display_name"] == "x"
    other = call("PATCH", "projects/p/subnets/s", {**read, **change, "etag": ""})
    assert (other.status, other.field) == (400, field)
    masked = call("PATCH", f"projects/p/subnets/s?update_mask={field}", change)
    assert (masked.status, masked.field) == (400, "update_mask")


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("subnets", {**SUBNET, "cidr": "10.0.1.1/24"}, "cidr"),
        ("subnets", {**SUBNET, "cidr": 10}, "cidr"),
        ("subnets", {**SUBNET, "availability_zone": "y"}, "availability_zone"),
        ("subnets", {"vpc": "v", "cidr": "10.0.1.0/24"}, "availability_zone"),
        ("networkInterfaces", {}, "subnet"),
        ("networkInterfaces", {"subnet": "s", "allocation": "BEST"}, "allocation"),
        ("networkInterfaces", {"subnet": "s", "ip_address": "ten"}, "ip_address"),
        ("networkInterfaces", {"subnet": "s", "cluster": "c"}, "cluster"),
    ],
)
def test_a_wrong_field_is_named(
    call: RestClient, path: str, body: dict[str, Any], field: str
) -> None:
    call("POST", "projects/p/subnets?subnet_id=s", {**SUBNET, "cidr": "10.0.9.0/24"})
    answer = call("POST", f"projects/p/{path}", body)
    assert (answer.status, answer.field) == (400, field), answer.text
    assert (Subnet.objects.count(), NetworkInterface.objects.count()) == (1, 0)


def test_an_interface_names_the_instance_that_has_it(call: RestClient) -> None:
    attachment = NetworkAttachmentFactory.create()
    nic = attachment.network_interface
    name = f"projects/{nic.project}/networkInterfaces/{nic.resource_id}"
    member = client_with(Role.EDITOR, nic.project)
    assert member("GET", name).json["attached_instance"] == attachment.instance.name
    refused = member("DELETE", name)
    assert (refused.status, refused.reason) == (400, "ATTACHED")
