from dataclasses import replace
from typing import Any

import pytest

from cycloud.core.aip.errors import (
    CycloudError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
)
from cycloud.core.aip.models import Operation
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.reconcile.models import DueRow
from networking.models import FreeRange, Subnet
from networking.selectors.networks import count_free_addresses
from networking.services.subnets import (
    SubnetInput,
    create_subnet,
    delete_subnet,
    finish_subnet_delete,
    update_subnet,
)
from tests.factories.catalog import AvailabilityZoneFactory
from tests.factories.networking import (
    NetworkInterfaceFactory,
    OpenStackSubnetFactory,
    SubnetFactory,
    VpcFactory,
)

GOOD = SubnetInput(vpc="v", availability_zone="z", cidr="10.0.1.0/24")


@pytest.fixture(autouse=True)
def vpc_and_zone(project: Project) -> None:
    VpcFactory.create(project=project, resource_id="v")
    AvailabilityZoneFactory.create(resource_id="z")


def test_a_new_subnet_is_ready_and_all_but_three_addresses_are_free(editor: Actor) -> None:
    written = create_subnet(actor=editor, project_id="p", data=GOOD, subnet_id="s")
    subnet = Subnet.objects.get()
    assert subnet.is_ready and written.operation.done
    assert (subnet.cidr, subnet.gateway_ip) == ("10.0.1.0/24", "10.0.1.1")
    assert count_free_addresses(subnet) == 253


@pytest.mark.parametrize("gateway", ["10.0.1.1", "10.0.1.100", "10.0.1.254"])
def test_the_gateway_is_not_free_wherever_it_is(editor: Actor, gateway: str) -> None:
    data = replace(GOOD, gateway_ip=gateway)
    create_subnet(actor=editor, project_id="p", data=data, subnet_id="s")
    assert count_free_addresses(Subnet.objects.get()) == 253


@pytest.mark.parametrize(
    ("change", "error", "word"),
    [
        ({"cidr": "10.0.1.7/24"}, InvalidArgument, "cidr"),
        ({"gateway_ip": "10.0.2.1"}, InvalidArgument, "gateway_ip"),
        ({"availability_zone": "nowhere"}, InvalidArgument, "nowhere"),
        ({"vpc": "other"}, NotFound, "vpcs/other"),
        ({"vpc": "projects/q/vpcs/v"}, InvalidArgument, "projects/q/vpcs/v"),
        ({"labels": {"": "x"}}, InvalidArgument, "labels"),
    ],
)
def test_a_wrong_subnet_is_refused_by_name_and_nothing_is_kept(
    editor: Actor, change: dict[str, Any], error: type[CycloudError], word: str
) -> None:
    with pytest.raises(error, match=word):
        create_subnet(actor=editor, project_id="p", data=replace(GOOD, **change))
    assert not Subnet.objects.exists()
    assert not FreeRange.objects.exists()
    assert not Operation.objects.exists()


def test_subnets_of_one_vpc_do_not_overlap_and_of_two_may(editor: Actor, project: Project) -> None:
    create_subnet(actor=editor, project_id="p", data=GOOD, subnet_id="s")
    with pytest.raises(FailedPrecondition) as caught:
        create_subnet(actor=editor, project_id="p", data=replace(GOOD, cidr="10.0.0.0/16"))
    assert caught.value.reason == "CIDR_OVERLAP"
    VpcFactory.create(project=project, resource_id="w")
    create_subnet(actor=editor, project_id="p", data=replace(GOOD, vpc="w"))
    assert Subnet.objects.count() == 2


def test_the_range_of_a_subnet_cannot_be_changed(editor: Actor, project: Project) -> None:
    SubnetFactory.create(project=project, resource_id="s")
    update_subnet(actor=editor, project_id="p", subnet_id="s", changes={"display_name": "Web"})
    with pytest.raises(InvalidArgument):
        update_subnet(actor=editor, project_id="p", subnet_id="s", changes={"cidr": "10.9.0.0/24"})
    assert Subnet.objects.get().display_name == "Web"


def test_a_subnet_with_interfaces_stays(editor: Actor, project: Project) -> None:
    subnet = SubnetFactory.create(project=project, resource_id="s")
    NetworkInterfaceFactory.create(subnet=subnet, resource_id="ni-1")
    with pytest.raises(FailedPrecondition, match="ni-1") as caught:
        delete_subnet(actor=editor, project_id="p", subnet_id="s")
    assert caught.value.reason == "SUBNET_NOT_EMPTY"
    assert Subnet.objects.exists()


def test_a_subnet_that_no_cluster_knows_is_gone_at_once(editor: Actor, project: Project) -> None:
    subnet = SubnetFactory.create(project=project, resource_id="s")
    # ids that an operator wrote stay the operator's
    OpenStackSubnetFactory.create(subnet=subnet, managed=False)
    assert delete_subnet(actor=editor, project_id="p", subnet_id="s").operation.done
    assert not Subnet.objects.exists()
    assert not FreeRange.objects.exists()


def test_a_subnet_with_a_managed_network_goes_when_that_is_removed(
    editor: Actor, project: Project
) -> None:
    subnet = SubnetFactory.create(project=project, resource_id="s")
    row = OpenStackSubnetFactory.create(subnet=subnet, managed=True)
    written = delete_subnet(actor=editor, project_id="p", subnet_id="s")
    subnet.refresh_from_db()
    assert not written.operation.done
    assert subnet.delete_time is not None
    assert subnet.ready is not None and subnet.ready.reason == "Deleting"
    assert DueRow.objects.filter(controller="openstack_subnet", key=str(row.uid)).exists()

    assert not finish_subnet_delete(subnet)
    row.delete()
    assert finish_subnet_delete(subnet)
    assert finish_subnet_delete(subnet)
    assert not Subnet.objects.exists()
    assert Operation.objects.get().done


def test_a_subnet_that_nobody_deleted_is_never_finished(project: Project) -> None:
    subnet = SubnetFactory.create(project=project)
    assert not finish_subnet_delete(subnet)
    assert Subnet.objects.exists()
