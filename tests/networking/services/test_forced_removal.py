"""A subnet whose cluster is gone for good can be given up, with a reason."""

from uuid import uuid4

import pytest

from cycloud.core.aip.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from cycloud.core.aip.models import Operation
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import AuditEntry
from networking.models import OpenStackSubnet, Subnet
from networking.services.forced_removal import force_subnet_removal
from networking.services.subnets import delete_subnet
from tests.factories.catalog import OpenStackClusterFactory
from tests.factories.iam import OPERATOR
from tests.factories.networking import SubnetFactory

pytestmark = pytest.mark.django_db
WHY = "The hall burned down."


@pytest.fixture
def subnet() -> Subnet:
    """A subnet with a network that controllers made."""
    subnet: Subnet = SubnetFactory.create()
    OpenStackSubnet.objects.create(
        subnet=subnet,
        cluster=OpenStackClusterFactory.create(resource_id="gen7"),
        managed=True,
        provider_network_id="n-1",
        provider_subnet_id="s-1",
    )
    return subnet


def delete(subnet: Subnet) -> None:
    delete_subnet(
        actor=OPERATOR, project_id=subnet.project.resource_id, subnet_id=subnet.resource_id
    )
    AuditEntry.objects.all().delete()


def test_it_goes_at_once_and_the_audit_log_keeps_what_may_be_left(subnet: Subnet) -> None:
    delete(subnet)
    assert Subnet.objects.exists()
    left = force_subnet_removal(actor=OPERATOR, uid=subnet.uid, reason=f" {WHY} ")
    assert left == ("network n-1 and subnet s-1 in gen7",)
    assert not Subnet.objects.exists()
    assert not OpenStackSubnet.objects.exists()
    assert not Operation.objects.filter(done=False).exists()
    entry = AuditEntry.objects.get()
    assert (entry.method, entry.resource_name) == ("ForceRemoval", subnet.name)
    assert entry.detail["reason"] == WHY
    assert entry.detail["may_be_left"] == list(left)


def test_without_a_reason_or_the_right_nothing_happens(subnet: Subnet) -> None:
    delete(subnet)
    with pytest.raises(InvalidArgument):
        force_subnet_removal(actor=OPERATOR, uid=subnet.uid, reason=" ")
    with pytest.raises(PermissionDenied):
        force_subnet_removal(actor=Actor("users/dev"), uid=subnet.uid, reason=WHY)
    assert OpenStackSubnet.objects.exists()
    assert not AuditEntry.objects.exists()


def test_one_that_is_not_being_deleted_or_gone_is_refused(subnet: Subnet) -> None:
    with pytest.raises(FailedPrecondition, match="not being deleted"):
        force_subnet_removal(actor=OPERATOR, uid=subnet.uid, reason=WHY)
    with pytest.raises(NotFound):
        force_subnet_removal(actor=OPERATOR, uid=uuid4(), reason=WHY)
    assert OpenStackSubnet.objects.exists()
