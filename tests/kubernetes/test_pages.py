"""The operators' pages of what can be declared in Kubernetes: shown, filtered, handed over."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from catalog.models import InstanceType
from compute.models import Instance
from cycloud.core.iam.models import AuditEntry
from cycloud.kubernetes.models import NamespaceBinding
from tests.factories.catalog import (
    InstancePlacementFactory,
    InstanceTypeFactory,
    OpenStackClusterFactory,
    PublicOpenStackImageFactory,
    VolumePlacementFactory,
)
from tests.factories.compute import World, make_world
from tests.factories.iam import OperatorFactory, ServiceAccountFactory

# a row of each kind that is taken in
ROWS: dict[str, Callable[[World], Any]] = {
    "compute_instance": lambda world: world.instance(resource_id="x1"),
    "compute_volume": lambda world: world.volume(resource_id="x1"),
    "networking_networkinterface": lambda world: world.network_interface(resource_id="x1"),
    "catalog_instancetype": lambda _: InstancePlacementFactory.create().instance_type,
    "catalog_volumetype": lambda _: VolumePlacementFactory.create().volume_type,
    "catalog_publicimage": lambda _: PublicOpenStackImageFactory.create().public_image,
    "catalog_openstackcluster": lambda _: OpenStackClusterFactory.create(),
}


@pytest.fixture
def world(db: None, settings: Any) -> World:
    """A project whose namespace is bound, with a Kubernetes API that is configured but not there."""
    settings.CYCLOUD_KUBERNETES_ENABLED = True
    world = make_world()
    NamespaceBinding.objects.create(
        project=world.project,
        namespace="team",
        service_account=ServiceAccountFactory.create(project=world.project),
    )
    return world


@pytest.fixture
def operator(world: World) -> Client:
    client = Client()
    client.force_login(OperatorFactory.create(username="olga"))
    return client


def page(table: str, row: Any) -> str:
    return reverse(f"admin:{table}_change", args=[row.pk])


def button(table: str, row: Any, name: str) -> str:
    return reverse(f"admin:{table}_change", args=[row.pk]).replace("/change/", f"/{name}/")


def buttons(client: Client, table: str, row: Any) -> set[str]:
    """Return the names of the buttons on the page of one row."""
    text = client.get(page(table, row)).content.decode()
    names = ("adopt_this", "release_this", "start_this", "stop_this", "delete_this", "cordon")
    return {name for name in names if f"/{row.pk}/{name}/" in text}


def press(client: Client, table: str, row: Any, name: str) -> str:
    """Confirm a button, and return the page that follows."""
    done = client.post(button(table, row, name), {"_form_submitted": "True"})
    return client.get(done.headers["HX-Redirect"]).content.decode()


@pytest.mark.parametrize("table", ROWS)
def test_a_row_is_adopted_and_released_by_buttons_that_ask_first(
    operator: Client, world: World, table: str
) -> None:
    row = ROWS[table](world)
    assert "adopt_this" in buttons(operator, table, row)
    asked = operator.get(button(table, row, "adopt_this")).content.decode()
    assert "Adopt this into Kubernetes?" in asked
    row.refresh_from_db()
    assert row.managed_by == ""

    shown = press(operator, table, row, "adopt_this")
    row.refresh_from_db()
    assert row.managed_by.endswith(f"s/{row.resource_id}")
    assert row.managed_by in shown
    assert "release_this" in buttons(operator, table, row)
    assert "adopt_this" not in buttons(operator, table, row)

    shown = press(operator, table, row, "release_this")
    row.refresh_from_db()
    assert row.managed_by == ""
    assert "The API" in shown
    assert AuditEntry.objects.filter(principal="users/olga", method__startswith="Adopt").exists()


@pytest.mark.parametrize("table", ROWS)
def test_a_list_is_filtered_by_manager_and_handed_over_after_a_question(
    operator: Client, world: World, table: str
) -> None:
    row = ROWS[table](world)
    address = reverse(f"admin:{table}_changelist")
    selection = {"action": "adopt", "_selected_action": [row.pk]}
    assert "Adopt these into Kubernetes?" in operator.post(address, selection).content.decode()
    row.refresh_from_db()
    assert row.managed_by == ""
    operator.post(address, {**selection, "confirmed": "yes"})
    row.refresh_from_db()
    assert row.managed_by

    listed = operator.get(f"{address}?manager=kubernetes").context["cl"].result_list
    assert [found.pk for found in listed] == [row.pk]
    others = operator.get(f"{address}?manager=api").context["cl"].result_list
    assert row.pk not in {found.pk for found in others}
    assert operator.get(f"{address}?manager=nobody").status_code == 200

    operator.post(address, {**selection, "action": "release", "confirmed": "yes"})
    row.refresh_from_db()
    assert row.managed_by == ""


def test_buttons_that_would_be_refused_are_gone_from_an_adopted_instance(
    operator: Client, world: World
) -> None:
    instance = world.instance()
    assert buttons(operator, "compute_instance", instance) == {
        "adopt_this",
        "start_this",
        "stop_this",
        "delete_this",
    }
    press(operator, "compute_instance", instance, "adopt_this")
    assert buttons(operator, "compute_instance", instance) == {"release_this"}
    assert operator.post(button("compute_instance", instance, "stop_this")).status_code == 403
    assert Instance.objects.get(pk=instance.pk).desired_state == "RUNNING"


@pytest.mark.parametrize("table", [table for table in ROWS if table.startswith("catalog")])
def test_the_catalog_is_read_only_where_it_is_declared_in_kubernetes(
    operator: Client, world: World, table: str
) -> None:
    row = ROWS[table](world)
    assert 'name="_save"' in operator.get(page(table, row)).content.decode()
    press(operator, table, row, "adopt_this")
    row.refresh_from_db()
    shown = operator.get(page(table, row)).content.decode()
    assert row.managed_by in shown
    assert 'name="_save"' not in shown
    assert "/delete/" not in shown
    assert operator.post(page(table, row), {"display_name": "x"}).status_code == 403
    deleted = operator.post(reverse(f"admin:{table}_delete", args=[row.pk]), {"post": "yes"})
    assert deleted.status_code == 403
    assert type(row).objects.get(pk=row.pk).revision == row.revision
    assert "cordon" not in buttons(operator, table, row)


def test_a_refusal_is_told_by_name(operator: Client, world: World) -> None:
    NamespaceBinding.objects.update(service_account=None)
    shown = press(operator, "compute_volume", world.volume(), "adopt_this")
    assert "manage.py kubernetes bind" in shown


@pytest.mark.parametrize("table", ROWS)
def test_without_an_api_nothing_is_offered_but_to_release_what_is_left(
    operator: Client, world: World, settings: Any, table: str
) -> None:
    row = ROWS[table](world)
    settings.CYCLOUD_KUBERNETES_ENABLED = False
    address = reverse(f"admin:{table}_changelist")
    assert not {"adopt_this", "release_this"} & buttons(operator, table, row)
    listing = operator.get(address).content.decode()
    assert "Adopt into Kubernetes" not in listing
    assert "Release to the API" not in listing
    assert "namespacebinding" not in listing
    type(row).objects.filter(pk=row.pk).update(managed_by="things/x1")
    press(operator, table, row, "release_this")
    row.refresh_from_db()
    assert row.managed_by == ""


def test_the_list_of_a_kind_needs_no_query_per_row(
    operator: Client, world: World, django_assert_max_num_queries: Any
) -> None:
    address = reverse("admin:catalog_instancetype_changelist")

    def count() -> int:
        with django_assert_max_num_queries(200) as captured:
            operator.get(address)
        return len(captured)

    before = count()
    InstanceTypeFactory.create_batch(3)
    InstanceType.objects.update(managed_by="instancetypes/x")
    assert count() == before
