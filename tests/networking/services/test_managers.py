"""Network interfaces that are declared elsewhere: only from there are they changed."""

import pytest

from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from networking.models import NetworkInterface, Subnet
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    create_network_interface,
    delete_network_interface,
    update_network_interface,
)
from tests.factories.networking import SubnetFactory

OBJECT = "namespaces/cycloud-p/networkinterfaces/ni-1"
FROM_THERE = WriteOptions(manager=OBJECT)


@pytest.fixture
def declared(project: Project, editor: Actor) -> NetworkInterface:
    """An interface that an object made."""
    subnet: Subnet = SubnetFactory.create(project=project)
    written = create_network_interface(
        actor=editor,
        project_id="p",
        network_interface_id="ni-1",
        data=NetworkInterfaceInput(subnet=subnet.resource_id),
        options=FROM_THERE,
    )
    assert written.resource is not None
    return NetworkInterface.objects.get(pk=written.resource.pk)


def test_what_an_object_makes_is_marked(declared: NetworkInterface) -> None:
    assert declared.managed_by == OBJECT


def test_the_api_changes_and_deletes_it_not(declared: NetworkInterface, editor: Actor) -> None:
    before = NetworkInterface.objects.values().get(pk=declared.pk)
    with pytest.raises(FailedPrecondition) as refused:
        update_network_interface(
            actor=editor,
            project_id="p",
            network_interface_id="ni-1",
            changes={"display_name": "x"},
        )
    assert refused.value.metadata == {"resource": declared.name, "manager": OBJECT}
    with pytest.raises(FailedPrecondition) as refused:
        delete_network_interface(actor=editor, project_id="p", network_interface_id="ni-1")
    assert refused.value.reason == "MANAGED_BY_KUBERNETES"
    assert NetworkInterface.objects.values().get(pk=declared.pk) == before


def test_its_object_does_both(declared: NetworkInterface, editor: Actor) -> None:
    update_network_interface(
        actor=editor,
        project_id="p",
        network_interface_id="ni-1",
        changes={"display_name": "x"},
        options=FROM_THERE,
    )
    declared.refresh_from_db()
    assert declared.display_name == "x"
    delete_network_interface(
        actor=editor, project_id="p", network_interface_id="ni-1", options=FROM_THERE
    )
    assert not NetworkInterface.objects.filter(pk=declared.pk).exists()
