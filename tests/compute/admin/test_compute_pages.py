"""Operators look at compute's tables, and act on instances and volumes through the services."""

import pytest
from django.test import Client

from compute.models import Instance, OpenStackInstance, Volume
from cycloud.core.aip.models import Operation
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.models import DueRow
from tests.factories.compute import OpenStackNetworkInterfaceFactory, World
from tests.factories.iam import MembershipFactory, UserFactory

TABLES = [
    "instance",
    "volume",
    "volumebinding",
    "openstackinstance",
    "openstackvolume",
    "openstacknetworkinterface",
]


@pytest.fixture
def instance(world: World) -> Instance:
    instance = world.instance(resource_id="web-1")
    OpenStackNetworkInterfaceFactory.create(
        network_interface=instance.network_attachments.get().network_interface, cluster=world.old
    )
    instance.publish(
        [Condition(READY, Status.FALSE, "QuotaExceeded", "No quota.", 1, terminal=True)],
        now(),
        state="ERROR",
    )
    return instance


def page_of(table: str, key: object) -> str:
    return f"/admin/compute/{table}/{key}/change/"


@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_listed_searched_and_read(
    operator: Client, instance: Instance, table: str
) -> None:
    listing = operator.get(f"/admin/compute/{table}/")
    assert listing.status_code == 200
    assert operator.get(f"/admin/compute/{table}/?q=web").status_code == 200
    rows = listing.context["cl"].result_list
    assert len(rows) == 1
    assert operator.get(page_of(table, rows[0].pk)).status_code == 200


@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_added_changed_or_deleted_past_the_services(
    operator: Client, instance: Instance, table: str
) -> None:
    key = operator.get(f"/admin/compute/{table}/").context["cl"].result_list[0].pk

    assert operator.get(f"/admin/compute/{table}/add/").status_code == 403
    assert operator.post(page_of(table, key), {"state": "RUNNING"}).status_code == 403
    assert operator.post(f"/admin/compute/{table}/{key}/delete/").status_code == 403
    choices = operator.get(f"/admin/compute/{table}/").content.decode()
    assert "delete_selected" not in choices


@pytest.mark.parametrize("table", TABLES)
def test_a_user_who_is_no_operator_sees_no_admin(
    world: World, instance: Instance, table: str
) -> None:
    user = UserFactory.create()
    MembershipFactory.create(user=user, project=world.project, role="admin")
    client = Client()
    client.force_login(user)

    assert client.get(f"/admin/compute/{table}/").status_code == 302


def test_the_number_of_queries_of_a_list_does_not_grow_with_it(
    operator: Client, world: World, instance: Instance, django_assert_max_num_queries: object
) -> None:
    def count(table: str) -> int:
        with django_assert_max_num_queries(200) as captured:  # type: ignore[operator]
            operator.get(f"/admin/compute/{table}/")
        return len(captured)

    before = {table: count(table) for table in TABLES}
    for _ in range(4):
        other = world.instance()
        OpenStackNetworkInterfaceFactory.create(
            network_interface=other.network_attachments.get().network_interface,
            cluster=world.old,
        )

    after = {table: count(table) for table in TABLES}
    # Django's filters look up their choices once; rows add nothing
    assert after == before


def test_operators_read_the_clouds_own_words_about_a_fault(
    operator: Client, instance: Instance
) -> None:
    OpenStackInstance.objects.update(fault_text="No valid host was found on cmp-7.")

    assert "cmp-7" in operator.get(page_of("instance", instance.pk)).content.decode()


def test_stopping_on_the_list_asks_first(operator: Client, world: World) -> None:
    one, two = world.instance(resource_id="a-1"), world.instance(resource_id="a-2")
    selection = {"action": "stop", "_selected_action": [one.pk, two.pk]}

    asked = operator.post("/admin/compute/instance/", selection)
    assert "Stop these instances?" in asked.content.decode()
    assert set(Instance.objects.values_list("desired_state", flat=True)) == {"RUNNING"}

    operator.post("/admin/compute/instance/", {**selection, "confirmed": "yes"})
    assert set(Instance.objects.values_list("desired_state", flat=True)) == {"STOPPED"}
    assert Operation.objects.filter(verb="stop").count() == 2
    assert AuditEntry.objects.filter(principal="users/olga", method="StopInstance").count() == 2


def test_a_refusal_on_the_list_is_told_by_name_and_the_others_are_done(
    operator: Client, world: World
) -> None:
    kept = world.instance(resource_id="kept", deletion_protection=True)
    gone = world.instance(resource_id="gone")
    response = operator.post(
        "/admin/compute/instance/",
        {
            "action": "delete_instances",
            "_selected_action": [kept.pk, gone.pk],
            "confirmed": "yes",
        },
        follow=True,
    )

    text = response.content.decode()
    assert "kept: " in text
    assert "protected from deletion" in text
    kept.refresh_from_db()
    gone.refresh_from_db()
    assert (kept.delete_time, gone.delete_time is None) == (None, False)


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        ("start_this", "start"),
        ("stop_this", "stop"),
        ("restart_this", "restart"),
        ("delete_this", "delete"),
    ],
)
def test_buttons_of_one_instance_ask_first_and_then_call_the_service(
    operator: Client, instance: Instance, name: str, verb: str
) -> None:
    path = f"/admin/compute/instance/{instance.pk}/{name}/"

    asked = operator.get(path)
    assert "this instance?" in asked.content.decode()
    assert not Operation.objects.exists()

    done = operator.post(path, {"_form_submitted": "True"})
    assert done.headers["HX-Redirect"] == page_of("instance", instance.pk)
    assert Operation.objects.get().verb == verb


def test_a_refused_button_tells_why(operator: Client, world: World) -> None:
    instance = world.instance(deletion_protection=True)
    path = f"/admin/compute/instance/{instance.pk}/delete_this/"
    done = operator.post(path, {"_form_submitted": "True"})

    shown = operator.get(done.headers["HX-Redirect"]).content.decode()
    assert "protected from deletion" in shown


def test_a_volume_is_deleted_and_brought_back(operator: Client, world: World) -> None:
    volume = world.volume()
    for name, is_deleted in (("delete_this", True), ("undelete_this", False)):
        operator.post(f"/admin/compute/volume/{volume.pk}/{name}/", {"_form_submitted": "True"})
        assert (Volume.objects.get(pk=volume.pk).delete_time is not None) is is_deleted


def test_reconcile_now_puts_the_row_into_the_queue(operator: Client, instance: Instance) -> None:
    server = OpenStackInstance.objects.get()
    operator.post(
        "/admin/compute/openstackinstance/",
        {"action": "reconcile_now", "_selected_action": [server.pk]},
    )

    assert DueRow.objects.filter(controller="openstack_instance", key=str(server.uid)).exists()
    assert AuditEntry.objects.filter(method="ReconcileNow", principal="users/olga").exists()
