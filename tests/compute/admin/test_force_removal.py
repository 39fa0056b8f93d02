"""The button "Force removal": where it is, what it asks for, what it tells afterwards."""

from typing import Any

import pytest
from django.test import Client

from compute.models import (
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    Volume,
    VolumeBinding,
)
from cycloud.core.clock import now
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.models import DueRow
from tests.factories.compute import OpenStackNetworkInterfaceFactory, World
from tests.factories.iam import MembershipFactory, UserFactory

MODELS = [Instance, Volume, OpenStackInstance, OpenStackVolume, OpenStackNetworkInterface]
REASON = "The hall burned down on Monday; decided by the head of operations."


@pytest.fixture
def rows(world: World) -> dict[Any, Any]:
    """A row of each kind."""
    instance = world.instance(volumes=0)
    nic = instance.network_attachments.get().network_interface
    OpenStackNetworkInterfaceFactory.create(network_interface=nic, cluster=world.old)
    world.volume()
    return {model: model._default_manager.get() for model in MODELS}


def begin_deletion() -> None:
    time = now()
    Instance.objects.update(delete_time=time)
    Volume.objects.update(delete_time=time, purge_time=time)
    VolumeBinding.objects.update(purge_time=time, purge_begun=time)
    for model in (OpenStackInstance, OpenStackVolume, OpenStackNetworkInterface):
        model._default_manager.update(wanted=False)


def page_of(row: Any) -> str:
    return f"/admin/compute/{row._meta.model_name}/{row.pk}/change/"


def button_of(row: Any) -> str:
    return f"/admin/compute/{row._meta.model_name}/{row.pk}/force_this/"


@pytest.mark.parametrize("model", MODELS)
def test_the_button_is_there_only_while_something_is_being_deleted(
    operator: Client, rows: dict[Any, Any], model: Any
) -> None:
    row = rows[model]
    assert button_of(row) not in operator.get(page_of(row)).content.decode()
    assert operator.post(button_of(row), {"reason": REASON}).status_code == 403
    assert model._default_manager.filter(pk=row.pk).exists()
    begin_deletion()
    assert button_of(row) in operator.get(page_of(row)).content.decode()


@pytest.mark.parametrize("model", MODELS)
def test_it_explains_the_danger_and_asks_for_a_reason(
    operator: Client, rows: dict[Any, Any], model: Any
) -> None:
    begin_deletion()
    asked = operator.get(button_of(rows[model])).content.decode()
    assert "Nothing is deleted in any cluster" in asked
    assert 'name="reason"' in asked
    for reason in ("", "   "):
        again = operator.post(button_of(rows[model]), {"_form_submitted": "True", "reason": reason})
        assert "This field is required" in again.content.decode()
    assert not AuditEntry.objects.exists()
    assert OpenStackInstance.objects.exists()


@pytest.mark.parametrize("model", MODELS)
def test_with_a_reason_it_is_done_audited_and_told(
    operator: Client, rows: dict[Any, Any], model: Any
) -> None:
    begin_deletion()
    row = rows[model]
    done = operator.post(button_of(row), {"_form_submitted": "True", "reason": REASON})
    told = operator.get(done.headers["HX-Redirect"]).content.decode()
    assert "This may be left, clean it up by hand" in told
    entry = AuditEntry.objects.get()
    assert (entry.principal, entry.method) == ("users/olga", "ForceRemoval")
    assert entry.detail["reason"] == REASON
    controllers = set(DueRow.objects.values_list("controller", flat=True))
    assert controllers & {"instance", "volume_binding"}


def test_who_is_no_operator_cannot_reach_it(world: World, rows: dict[Any, Any]) -> None:
    begin_deletion()
    user = UserFactory.create()
    MembershipFactory.create(user=user, project=world.project, role="admin")
    client = Client()
    client.force_login(user)
    for row in rows.values():
        answer = client.post(button_of(row), {"_form_submitted": "True", "reason": REASON})
        assert answer.status_code in (302, 403)
    assert all(model._default_manager.exists() for model in MODELS)
    assert not AuditEntry.objects.exists()
