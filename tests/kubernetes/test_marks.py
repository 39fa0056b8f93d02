"""Changes of any resource ask for its sync, in the same transaction; and nothing does where Kubernetes is off."""

import pytest
from django.conf import LazySettings
from django.db import transaction

from catalog.models import InstanceType
from catalog.services.instance_types import update_instance_type
from compute.models import Instance, OpenStackInstance
from compute.services.instances import create_instance, delete_instance
from cycloud.core.iam.actor import system_actor
from cycloud.core.reconcile.models import DueRow
from cycloud.kubernetes.registry import all_kinds, kind_of_rows, split_key
from tests.compute.services.calls import DRY, create, instance_input
from tests.factories.compute import World, make_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def mirrored(settings: LazySettings) -> None:
    settings.CYCLOUD_MIRRORS = ["cycloud.kubernetes.marks.mark_changed"]


def asked_for() -> set[str]:
    return set(DueRow.objects.filter(controller="kubernetes").values_list("key", flat=True))


def test_a_new_instance_asks_for_itself_and_all_that_came_with_it(
    world: World, mirrored: None
) -> None:
    create(world)

    instance = Instance.objects.get(resource_id="web")
    volume = instance.volume_attachments.get().volume
    interface = instance.network_attachments.get().network_interface
    assert asked_for() >= {
        f"Instance:{instance.name}",
        f"Volume:{volume.name}",
        f"NetworkInterface:{interface.name}",
    }
    rows = DueRow.objects.filter(controller="kubernetes")
    assert set(rows.values_list("queue", "project")) == {("kubernetes", world.project.resource_id)}


def test_without_kubernetes_nothing_is_asked_for(world: World) -> None:
    create(world)

    assert asked_for() == set()


def test_what_is_rolled_back_asks_for_nothing(world: World, mirrored: None) -> None:
    create_instance(
        actor=world.actor(),
        project_id=world.project.resource_id,
        data=instance_input(world),
        options=DRY,
    )

    assert asked_for() == set()


def test_a_provider_row_asks_for_itself_at_each_stored_change(world: World, mirrored: None) -> None:
    create(world)
    instance = Instance.objects.get(resource_id="web")
    with transaction.atomic():
        row = OpenStackInstance.objects.create(instance=instance, cluster=world.old, flavor_id="f")
    key = f"OpenStackInstance:{instance.name}"
    assert key in asked_for()
    DueRow.objects.all().delete()

    row.delete()

    assert key in asked_for()


def test_a_deleted_instance_asks_for_itself(world: World, mirrored: None) -> None:
    create(world)
    DueRow.objects.all().delete()
    instance = Instance.objects.get(resource_id="web")

    delete_instance(actor=world.actor(), project_id=world.project.resource_id, instance_id="web")

    assert f"Instance:{instance.name}" in asked_for()


def test_a_change_of_the_catalog_asks_for_itself(world: World, mirrored: None) -> None:
    kind = InstanceType.objects.get(pk=world.small.pk)

    update_instance_type(
        actor=system_actor("test"),
        resource_id=kind.resource_id,
        changes={"display_name": "Small"},
    )

    assert asked_for() == {f"InstanceType:{kind.name}"}


def test_every_kind_of_rows_that_is_watched_or_made_by_controllers_has_its_kind() -> None:
    rows = {
        "Instance",
        "Volume",
        "NetworkInterface",
        "Vpc",
        "Subnet",
        "VolumeBinding",
        "OpenStackInstance",
        "OpenStackVolume",
        "OpenStackNetworkInterface",
        "OpenStackCluster",
        "InstanceType",
        "VolumeType",
        "PublicImage",
    }

    assert {kind.row_kind for kind in all_kinds()} == rows
    assert all(kind_of_rows(row) is not None for row in rows)


def test_a_key_tells_kind_and_name_even_with_a_colon_in_it() -> None:
    assert split_key("Instance:projects/p/instances/a:b") == (
        "Instance",
        "projects/p/instances/a:b",
    )


def test_events_keep_quiet_about_every_kind_whose_objects_name_clusters() -> None:
    quiet = {kind.api.kind for kind in all_kinds() if kind.names_clusters}

    assert quiet == {
        "VolumeBinding",
        "OpenStackInstance",
        "OpenStackVolume",
        "OpenStackNetworkInterface",
        "OpenStackCluster",
        "InstanceType",
        "VolumeType",
        "PublicImage",
    }
