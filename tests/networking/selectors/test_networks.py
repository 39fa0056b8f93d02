from typing import Any

import pytest

from cycloud.core.aip.errors import NotFound
from cycloud.core.iam.models import Project
from networking.selectors.networks import (
    count_free_addresses,
    find_network_interface,
    get_network_interface,
    get_subnet,
    get_vpc,
    list_network_interfaces,
    list_subnets,
    list_vpcs,
)
from tests.factories.compute import InstanceFactory, NetworkAttachmentFactory
from tests.factories.iam import ProjectFactory, member
from tests.factories.networking import NetworkInterfaceFactory, SubnetFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory.create(resource_id="p")


def test_a_list_reads_everything_with_two_queries(
    project: Project, django_assert_num_queries: Any
) -> None:
    for number in range(4):
        subnet = SubnetFactory.create(project=project)
        nic = NetworkInterfaceFactory.create(subnet=subnet)
        if number % 2:
            instance = InstanceFactory.create(project=project)
            NetworkAttachmentFactory.create(
                instance=instance, network_interface=nic, device_index=number
            )
    actor = member(project)
    with django_assert_num_queries(2):
        rows = list(list_network_interfaces(actor=actor, project_id="p"))
        names = {
            (nic.name, nic.subnet.name, nic.subnet.availability_zone.name, nic.subnet.vpc.pk)
            for nic in rows
        }
        attached = [nic.attachment.instance.name for nic in rows if hasattr(nic, "attachment")]
    assert len(names) == 4
    assert len(attached) == 2
    with django_assert_num_queries(2):
        assert len({s.vpc.name for s in list_subnets(actor=actor, project_id="p")}) == 4


def test_what_is_in_another_project_is_not_there(project: Project) -> None:
    nic = NetworkInterfaceFactory.create(resource_id="ni-1")
    actor = member(project)
    for get, name in ((get_vpc, "vpc_id"), (get_subnet, "subnet_id")):
        with pytest.raises(NotFound):
            get(actor=actor, project_id="p", **{name: "x"})
    with pytest.raises(NotFound):
        get_network_interface(actor=actor, project_id="p", network_interface_id="ni-1")
    with pytest.raises(NotFound):
        list_vpcs(actor=actor, project_id=nic.project.resource_id)


def test_a_controller_finds_an_interface_by_uid() -> None:
    nic = NetworkInterfaceFactory.create()
    assert find_network_interface(nic.uid) == nic
    nic.delete()
    assert find_network_interface(nic.uid) is None


def test_free_addresses_are_counted() -> None:
    subnet = SubnetFactory.create(cidr="10.0.0.0/29")
    assert count_free_addresses(subnet) == 5
    for left in (4, 3, 2, 1, 0):
        NetworkInterfaceFactory.create(subnet=subnet)
        assert count_free_addresses(subnet) == left
