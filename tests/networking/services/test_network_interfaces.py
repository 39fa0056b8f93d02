from dataclasses import replace
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from cycloud.core.aip.errors import (
    AlreadyExists,
    CycloudError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
)
from cycloud.core.aip.models import Operation
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.reconcile.models import DueRow
from networking.models import NetworkInterface, Subnet
from networking.selectors.networks import count_free_addresses
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    create_network_interface,
    delete_network_interface,
    finish_network_interface_delete,
    update_network_interface,
)
from tests.factories.catalog import OpenStackClusterFactory
from tests.factories.compute import (
    InstanceFactory,
    NetworkAttachmentFactory,
    OpenStackNetworkInterfaceFactory,
)
from tests.factories.networking import NetworkInterfaceFactory, SubnetFactory

GOOD = NetworkInterfaceInput(subnet="s")


@pytest.fixture(autouse=True)
def subnet(project: Project) -> Subnet:
    return SubnetFactory.create(project=project, resource_id="s", cidr="10.0.1.0/29")


def make(editor: Actor, id_: str | None = None, **change: object) -> NetworkInterface:
    data = replace(GOOD, **change)  # type: ignore[arg-type]
    written = create_network_interface(
        actor=editor, project_id="p", data=data, network_interface_id=id_
    )
    assert written.operation.done
    assert written.resource is not None
    return written.resource


def test_an_interface_has_the_lowest_free_address_and_is_ready(editor: Actor) -> None:
    first, second = make(editor), make(editor)
    assert (first.ip_address, second.ip_address) == ("10.0.1.2", "10.0.1.3")
    assert first.mac_address != second.mac_address
    assert NetworkInterface.objects.get(pk=first.pk).is_ready


@pytest.mark.parametrize("subnet_name", ["s", "projects/p/subnets/s"])
def test_a_chosen_address_is_given(editor: Actor, subnet_name: str) -> None:
    nic = make(editor, "ni-1", subnet=subnet_name, ip_address="10.0.1.5")
    assert (nic.name, nic.ip_address) == ("projects/p/networkInterfaces/ni-1", "10.0.1.5")


@pytest.mark.parametrize(
    ("change", "error", "word"),
    [
        ({"ip_address": "10.0.1.2"}, AlreadyExists, "10.0.1.2"),
        ({"ip_address": "10.0.1.1"}, InvalidArgument, "gateway"),
        ({"ip_address": "10.0.1.7"}, InvalidArgument, "broadcast"),
        ({"ip_address": "10.0.2.2"}, InvalidArgument, "not in"),
        ({"ip_address": "x"}, InvalidArgument, "ip_address"),
        ({"subnet": "t"}, NotFound, "subnets/t"),
        ({"subnet": "projects/q/subnets/s"}, InvalidArgument, "projects/q"),
    ],
)
def test_a_wrong_interface_is_refused_and_keeps_no_address(
    editor: Actor, subnet: Subnet, change: dict[str, str], error: type[CycloudError], word: str
) -> None:
    make(editor)
    free = count_free_addresses(subnet)
    with pytest.raises(error, match=word):
        make(editor, **change)
    assert count_free_addresses(subnet) == free
    assert NetworkInterface.objects.count() == 1


def test_a_full_subnet_says_so(editor: Actor) -> None:
    for _ in range(5):
        make(editor)
    with pytest.raises(ResourceExhausted) as caught:
        make(editor)
    assert caught.value.reason == "SUBNET_FULL"


def test_an_id_that_exists_keeps_no_address(editor: Actor, subnet: Subnet) -> None:
    make(editor, "ni-1")
    with pytest.raises(AlreadyExists):
        make(editor, "ni-1")
    assert count_free_addresses(subnet) == 4


def test_validate_only_keeps_no_address(editor: Actor, subnet: Subnet) -> None:
    written = create_network_interface(
        actor=editor, project_id="p", data=GOOD, options=WriteOptions(validate_only=True)
    )
    assert written.resource is not None and written.resource.ip_address == "10.0.1.2"
    assert count_free_addresses(subnet) == 5
    assert not NetworkInterface.objects.exists()


def test_a_repeated_request_makes_one_interface(editor: Actor) -> None:
    options = WriteOptions(request_id=uuid4())
    first, again = (
        create_network_interface(actor=editor, project_id="p", data=GOOD, options=options)
        for _ in range(2)
    )
    assert first.operation == again.operation
    assert first.resource == again.resource
    assert NetworkInterface.objects.count() == 1


def test_a_mac_address_that_is_taken_is_drawn_again(
    editor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = make(editor).mac_address
    draws = iter([taken, taken, "02:00:00:00:00:01"])
    monkeypatch.setattr(
        "networking.services.network_interfaces.draw_mac_address", lambda: next(draws)
    )
    assert make(editor).mac_address == "02:00:00:00:00:01"


def test_drawing_mac_addresses_ends(
    editor: Actor, subnet: Subnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = make(editor).mac_address
    monkeypatch.setattr("networking.services.network_interfaces.draw_mac_address", lambda: taken)
    with pytest.raises(ResourceExhausted) as caught:
        make(editor)
    assert caught.value.reason == "MAC_ADDRESSES_EXHAUSTED"
    assert count_free_addresses(subnet) == 4


def test_the_database_itself_refuses_an_address_twice(subnet: Subnet) -> None:
    nic = NetworkInterfaceFactory.create(subnet=subnet)
    with pytest.raises(IntegrityError), transaction.atomic():
        NetworkInterface.objects.create(
            project=nic.project,
            subnet=subnet,
            resource_id="other",
            ip_number=nic.ip_number,
            ip_address=nic.ip_address,
            mac_address="02:00:00:00:00:02",
        )


def test_the_addresses_of_an_interface_cannot_be_changed(editor: Actor) -> None:
    nic = make(editor, "ni-1")
    for field in ("ip_address", "mac_address", "subnet"):
        with pytest.raises(InvalidArgument, match=field):
            update_network_interface(
                actor=editor, project_id="p", network_interface_id="ni-1", changes={field: "x"}
            )
    update_network_interface(
        actor=editor, project_id="p", network_interface_id="ni-1", changes={"labels": {"a": "b"}}
    )
    nic.refresh_from_db()
    assert nic.labels == {"a": "b"}
    assert nic.is_ready


def test_a_deleted_interface_gives_its_address_back(editor: Actor, subnet: Subnet) -> None:
    make(editor, "ni-1")
    written = delete_network_interface(actor=editor, project_id="p", network_interface_id="ni-1")
    assert written.operation.done
    assert not NetworkInterface.objects.exists()
    assert count_free_addresses(subnet) == 5
    assert make(editor).ip_address == "10.0.1.2"


def test_an_attached_interface_stays(editor: Actor, project: Project, subnet: Subnet) -> None:
    nic = NetworkInterfaceFactory.create(subnet=subnet, resource_id="ni-1")
    instance = InstanceFactory.create(project=project, resource_id="web-1")
    NetworkAttachmentFactory.create(instance=instance, network_interface=nic, device_index=7)
    with pytest.raises(FailedPrecondition, match="instances/web-1") as caught:
        delete_network_interface(actor=editor, project_id="p", network_interface_id="ni-1")
    assert caught.value.reason == "ATTACHED"
    assert not finish_network_interface_delete(nic)
    assert NetworkInterface.objects.filter(pk=nic.pk, delete_time=None).exists()


def test_an_interface_with_a_port_goes_when_the_port_is_gone(editor: Actor, subnet: Subnet) -> None:
    nic = NetworkInterfaceFactory.create(subnet=subnet, resource_id="ni-1")
    provider = OpenStackNetworkInterfaceFactory.create(
        network_interface=nic, cluster=OpenStackClusterFactory.create(controller_name="kvm-1")
    )
    assert not finish_network_interface_delete(nic)
    for _ in range(2):
        written = delete_network_interface(
            actor=editor, project_id="p", network_interface_id="ni-1"
        )
        assert not written.operation.done
    nic.refresh_from_db()
    assert nic.delete_time is not None
    assert nic.ready is not None and nic.ready.reason == "Deleting"
    assert not nic.ready.settled
    due = DueRow.objects.get(controller="openstack_network_interface", key=str(provider.uid))
    assert due.queue == "cluster.kvm-1"
    # until the port is gone nobody else gets the address
    with pytest.raises(AlreadyExists):
        make(editor, ip_address=nic.ip_address)
    with pytest.raises(FailedPrecondition):
        update_network_interface(
            actor=editor, project_id="p", network_interface_id="ni-1", changes={}
        )

    assert finish_network_interface_delete(nic)
    assert finish_network_interface_delete(nic)
    assert count_free_addresses(subnet) == 5
    assert not Operation.objects.filter(done=False).exists()


def test_an_interface_with_a_finalizer_is_not_removed(editor: Actor, subnet: Subnet) -> None:
    nic = NetworkInterfaceFactory.create(subnet=subnet, resource_id="ni-1", finalizers=["backup"])
    delete_network_interface(actor=editor, project_id="p", network_interface_id="ni-1")
    assert not finish_network_interface_delete(nic)
    NetworkInterface.objects.update(finalizers=[])
    assert finish_network_interface_delete(nic)
