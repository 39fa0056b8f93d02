"""VPCs, subnets and network interfaces through the console's forms."""

import pytest
from django.test import Client

from compute.models import Instance, Volume
from networking.models import VPC, NetworkInterface, Subnet
from tests.console.conftest import SignIn
from tests.factories.compute import World


def url(world: World, page: str) -> str:
    return f"/projects/{world.project.resource_id}/{page}"


def test_an_interface_is_made_with_the_chosen_address_and_deleted(
    editor: Client, world: World
) -> None:
    editor.post(
        url(world, "network-interfaces/new/"),
        {
            "network_interface_id": "front",
            "subnet": world.subnet.resource_id,
            "ip_address": "10.0.1.77",
        },
    )
    assert NetworkInterface.objects.get(resource_id="front").ip_address == "10.0.1.77"

    editor.post(url(world, "network-interfaces/front/delete/"))
    assert not NetworkInterface.objects.filter(resource_id="front").exists()


def test_a_used_address_is_told_at_the_address(editor: Client, world: World) -> None:
    used = world.network_interface().ip_address
    response = editor.post(
        url(world, "network-interfaces/new/"),
        {"network_interface_id": "", "subnet": world.subnet.resource_id, "ip_address": used},
    )

    assert response.status_code == 400
    assert used in response.content.decode()
    assert NetworkInterface.objects.count() == 1


def test_an_attached_interface_is_not_deleted(
    editor: Client, world: World, instance: Instance
) -> None:
    interface = instance.network_attachments.get().network_interface
    response = editor.post(
        url(world, f"network-interfaces/{interface.resource_id}/delete/"), follow=True
    )

    assert "is attached to" in response.content.decode()
    assert NetworkInterface.objects.filter(pk=interface.pk).exists()


def test_a_vpc_and_a_subnet_in_it_are_made(editor: Client, world: World) -> None:
    editor.post(url(world, "subnets/new-vpc/"), {"vpc_id": "shop", "display_name": ""})
    editor.post(
        url(world, "subnets/new/"),
        {
            "subnet_id": "shop-a",
            "vpc": "shop",
            "availability_zone": world.zone.resource_id,
            "cidr": "10.8.0.0/24",
            "gateway_ip": "",
        },
    )

    assert VPC.objects.filter(resource_id="shop").exists()
    assert Subnet.objects.get(resource_id="shop-a").gateway_ip == "10.8.0.1"


def test_a_wrong_range_is_told_at_the_range(editor: Client, world: World) -> None:
    response = editor.post(
        url(world, "subnets/new/"),
        {
            "subnet_id": "",
            "vpc": world.subnet.vpc.resource_id,
            "availability_zone": world.zone.resource_id,
            "cidr": "10.8.0.1/24",
            "gateway_ip": "",
        },
    )

    assert response.status_code == 400
    assert 'id="id_cidr_error"' in response.content.decode()


def test_a_name_in_use_is_told_on_the_form(editor: Client, world: World) -> None:
    used = world.subnet.vpc.resource_id
    response = editor.post(url(world, "subnets/new-vpc/"), {"vpc_id": used, "display_name": ""})

    assert response.status_code == 400
    assert "exists already" in response.content.decode()


@pytest.mark.parametrize(
    ("page", "values"),
    [
        ("subnets/new-vpc/", {"vpc_id": "x", "display_name": ""}),
        ("network-interfaces/new/", {"network_interface_id": "x", "ip_address": ""}),
        ("subnets/new/", {"subnet_id": "x", "cidr": "10.8.0.0/24", "gateway_ip": ""}),
        ("volumes/new/", {"volume_id": "x", "display_name": "", "size": "50", "image": ""}),
    ],
)
def test_a_viewer_who_sends_a_form_is_refused(
    sign_in: SignIn, world: World, page: str, values: dict[str, str]
) -> None:
    common = {
        "subnet": world.subnet.resource_id,
        "vpc": world.subnet.vpc.resource_id,
        "availability_zone": world.zone.resource_id,
        "volume_type": world.shared.resource_id,
    }
    response = sign_in("viewer").post(url(world, page), {**common, **values})

    assert response.status_code == 403
    assert not NetworkInterface.objects.exists()
    assert not Volume.objects.exists()
    assert (VPC.objects.count(), Subnet.objects.count()) == (1, 2)
