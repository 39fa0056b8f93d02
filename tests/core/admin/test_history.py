"""The button "History" leads to the audit log, which knows what was done by whatever way."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from compute.models import OpenStackInstance, OpenStackNetworkInterface, VolumeBinding
from compute.services.instance_power import stop_instance
from tests.factories.compute import OpenStackNetworkInterfaceFactory, World, make_world
from tests.factories.iam import OperatorFactory, UserFactory


@pytest.fixture
def world(db: None) -> World:
    return make_world()


def history_of(client: Client, row: Any) -> Any:
    meta = row._meta
    return client.get(f"/admin/{meta.app_label}/{meta.model_name}/{row.pk}/history/")


def test_it_shows_what_was_done_to_the_object_over_the_api(world: World) -> None:
    instance = world.instance(resource_id="web-1")
    actor = world.actor()
    stop_instance(actor=actor, project_id=world.project.resource_id, instance_id="web-1")
    client = Client()
    client.force_login(OperatorFactory.create())
    answer = history_of(client, instance)
    assert answer.status_code == 302
    page = client.get(answer["Location"]).content.decode()
    assert "StopInstance" in page
    assert actor.principal in page


def test_provider_rows_lead_to_the_resource_that_they_belong_to(world: World) -> None:
    instance = world.instance()
    attachment = instance.network_attachments.get()
    nic = attachment.network_interface
    port = OpenStackNetworkInterfaceFactory.create(network_interface=nic, cluster=world.old)
    client = Client()
    client.force_login(OperatorFactory.create())
    binding = VolumeBinding.objects.get()
    found = {}
    for row in (OpenStackInstance.objects.get(), port, binding, binding.provider_volume):
        location = history_of(client, row)["Location"]
        found[type(row)] = parse_qs(urlsplit(location).query)["q"][0]
    assert found[OpenStackInstance] == instance.name
    assert found[OpenStackNetworkInterface] == nic.name
    assert found[VolumeBinding] == found[type(binding.provider_volume)] == binding.volume_name


def test_who_is_no_operator_is_not_led_there(world: World) -> None:
    client = Client()
    client.force_login(UserFactory.create())
    answer = history_of(client, world.instance())
    assert answer.status_code in (302, 403)
    assert "auditentry" not in answer.get("Location", "")


def test_what_is_gone_has_no_history(world: World) -> None:
    client = Client()
    client.force_login(OperatorFactory.create())
    assert client.get("/admin/compute/instance/999/history/").status_code == 404
