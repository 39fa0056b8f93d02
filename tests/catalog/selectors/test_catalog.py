from typing import Any
from uuid import uuid4

import pytest

from catalog.selectors import catalog, clusters, placements
from catalog.selectors.placements import NoPlacement
from cycloud.core.aip.errors import NotFound
from tests.factories.catalog import (
    AvailabilityZoneFactory,
    InstancePlacementFactory,
    InstanceTypeFactory,
    OpenStackClusterFactory,
    PublicOpenStackImageFactory,
    VolumePlacementFactory,
    VolumeTypeFactory,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "get",
    [
        catalog.get_availability_zone,
        catalog.get_instance_family,
        catalog.get_instance_type,
        catalog.get_volume_type,
        catalog.get_public_image,
        clusters.get_cluster,
    ],
)
def test_what_is_not_offered_is_not_found(get: Any) -> None:
    with pytest.raises(NotFound, match="none"):
        get("none")


def test_lists_read_everything_with_a_constant_number_of_queries(
    django_assert_num_queries: Any,
) -> None:
    for _ in range(4):
        InstancePlacementFactory.create()
        VolumePlacementFactory.create()
        PublicOpenStackImageFactory.create()
    with django_assert_num_queries(4):
        rows = list(catalog.list_instance_types())
        assert all(catalog.zones_of_instance_type(row) for row in rows)
        assert len({row.family.resource_id for row in rows}) == 4
    with django_assert_num_queries(4):
        assert all(catalog.zones_of_volume_type(row) for row in catalog.list_volume_types())
    with django_assert_num_queries(3):
        images = list(catalog.list_public_images())
        assert all(image.provider_images.all()[0].cluster.resource_id for image in images)
    with django_assert_num_queries(1):
        assert len({c.availability_zone.resource_id for c in clusters.list_clusters()}) == 12


def test_users_see_the_zones_in_which_a_type_can_be_made_now() -> None:
    made = InstanceTypeFactory.create()
    for state in ("Active", "Cordoned", "Draining", "Retired"):
        zone = AvailabilityZoneFactory.create(resource_id=state.lower())
        cluster = OpenStackClusterFactory.create(state=state, availability_zone=zone)
        InstancePlacementFactory.create(instance_type=made, cluster=cluster)
    assert catalog.zones_of_instance_type(catalog.get_instance_type(made.resource_id)) == ["active"]


def test_an_instance_is_placed_by_type_and_zone() -> None:
    row = InstancePlacementFactory.create()
    other = AvailabilityZoneFactory.create()
    assert placements.instance_placement(row.instance_type, row.availability_zone) == row
    assert placements.instance_placement(row.instance_type, other) is None
    choose = placements.choose_instance_placement
    assert choose(row.instance_type, row.availability_zone) == row
    assert choose(row.instance_type, other) is NoPlacement.NOT_OFFERED
    row.cluster.state = "Draining"
    row.cluster.save()
    assert choose(row.instance_type, row.availability_zone) is NoPlacement.NOT_ACCEPTING
    assert choose(row.instance_type, row.availability_zone, row.cluster.uid) == row


def test_a_volume_is_placed_by_type_and_cluster() -> None:
    zone, made = AvailabilityZoneFactory.create(), VolumeTypeFactory.create()
    first, second = (
        VolumePlacementFactory.create(volume_type=made, cluster__availability_zone=zone)
        for _ in range(2)
    )
    elsewhere = VolumePlacementFactory.create(volume_type=made)
    assert placements.volume_placement(made, second.cluster) == second
    assert placements.volume_placement(VolumeTypeFactory.create(), second.cluster) is None
    assert set(placements.volume_placements(made, zone)) == {first, second}
    chosen = placements.choose_volume_placement(made, zone, second.cluster.uid)
    assert chosen == second
    assert (
        placements.choose_volume_placement(made, AvailabilityZoneFactory.create())
        is NoPlacement.NOT_OFFERED
    )
    assert elsewhere not in placements.volume_placements(made, zone)


def test_an_image_has_its_own_id_in_each_cluster() -> None:
    row = PublicOpenStackImageFactory.create()
    assert placements.image_in_cluster(row.public_image, row.cluster) == row.provider_id
    assert placements.image_in_cluster(row.public_image, OpenStackClusterFactory.create()) is None


def test_clusters_that_share_a_storage_are_found_once_each() -> None:
    first = VolumePlacementFactory.create(provider_type="shared").cluster
    VolumePlacementFactory.create(provider_type="shared", cluster=first)
    second = VolumePlacementFactory.create(
        provider_type="shared", cluster__state="Draining"
    ).cluster
    VolumePlacementFactory.create(provider_type="shared", cluster__state="Retired")
    VolumePlacementFactory.create(provider_type="fast")
    assert clusters.clusters_sharing("shared") == sorted(
        [first, second], key=lambda cluster: cluster.resource_id
    )


def test_a_cluster_is_found_by_uid() -> None:
    cluster = OpenStackClusterFactory.create()
    assert clusters.find_cluster(cluster.uid) == cluster
    assert clusters.find_cluster(uuid4()) is None
    assert clusters.get_cluster(cluster.resource_id) == cluster
