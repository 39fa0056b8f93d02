import pytest

from cycloud.core.aip.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.reconcile.models import DueRow
from networking.models import OpenStackSubnet, Subnet
from networking.selectors.networks import subnet_in_cluster
from networking.services.openstack_subnets import (
    ensure_openstack_subnet,
    map_openstack_subnet,
    unmap_openstack_subnet,
)
from tests.factories.catalog import OpenStackClusterFactory
from tests.factories.compute import OpenStackNetworkInterfaceFactory
from tests.factories.iam import OPERATOR
from tests.factories.networking import NetworkInterfaceFactory, SubnetFactory


@pytest.fixture(autouse=True)
def subnet(project: Project) -> Subnet:
    return SubnetFactory.create(project=project, resource_id="s")


def map_to(network_id: str, subnet_id: str = "sub-1", actor: Actor = OPERATOR) -> OpenStackSubnet:
    return map_openstack_subnet(
        actor=actor,
        project_id="p",
        subnet_id="s",
        cluster_id="gen7",
        provider_network_id=network_id,
        provider_subnet_id=subnet_id,
    )


def test_where_controllers_make_networks_one_is_asked_for_once(subnet: Subnet) -> None:
    cluster = OpenStackClusterFactory.create(manages_networks=True, controller_name="kvm-1")
    first = ensure_openstack_subnet(subnet, cluster)
    again = ensure_openstack_subnet(subnet, cluster)
    assert first == again == subnet_in_cluster(subnet, cluster)
    assert first.managed
    due = DueRow.objects.get(controller="openstack_subnet", key=str(first.uid))
    assert (due.queue, due.sequence) == ("cluster.kvm-1", 1)


def test_elsewhere_the_row_says_that_an_operator_must_write_the_ids(subnet: Subnet) -> None:
    cluster = OpenStackClusterFactory.create(resource_id="gen7", manages_networks=False)
    row = ensure_openstack_subnet(subnet, cluster)
    assert not row.managed
    assert row.ready is not None
    assert row.ready.terminal and row.ready.reason == "InvalidConfiguration"
    assert not DueRow.objects.exists()
    map_to("net-1")
    row.refresh_from_db()
    assert row.is_ready and row.provider_network_id == "net-1"
    assert DueRow.objects.filter(controller="catalog").exists()


def test_ids_can_be_corrected_until_a_port_uses_them(subnet: Subnet) -> None:
    cluster = OpenStackClusterFactory.create(resource_id="gen7")
    map_to("net-1")
    assert map_to("net-2").generation == 2
    OpenStackNetworkInterfaceFactory.create(
        network_interface=NetworkInterfaceFactory.create(subnet=subnet), cluster=cluster
    )
    # the same again is no change
    assert map_to("net-2").provider_network_id == "net-2"
    with pytest.raises(FailedPrecondition) as caught:
        map_to("net-3")
    assert caught.value.reason == "IN_USE"
    with pytest.raises(FailedPrecondition):
        unmap_openstack_subnet(actor=OPERATOR, project_id="p", subnet_id="s", cluster_id="gen7")
    assert OpenStackSubnet.objects.get().provider_network_id == "net-2"


def test_a_mapping_can_be_removed_and_its_absence_is_said(subnet: Subnet) -> None:
    OpenStackClusterFactory.create(resource_id="gen7")
    map_to("net-1")
    unmap_openstack_subnet(actor=OPERATOR, project_id="p", subnet_id="s", cluster_id="gen7")
    assert not OpenStackSubnet.objects.exists()
    with pytest.raises(NotFound):
        unmap_openstack_subnet(actor=OPERATOR, project_id="p", subnet_id="s", cluster_id="gen7")


def test_what_is_no_id_and_who_is_no_operator_is_refused(editor: Actor) -> None:
    OpenStackClusterFactory.create(resource_id="gen7")
    with pytest.raises(InvalidArgument):
        map_to("net 1")
    with pytest.raises(InvalidArgument):
        map_to("net-1", "")
    with pytest.raises(PermissionDenied):
        map_to("net-1", actor=editor)
    with pytest.raises(PermissionDenied):
        unmap_openstack_subnet(actor=editor, project_id="p", subnet_id="s", cluster_id="gen7")
    assert not OpenStackSubnet.objects.exists()
