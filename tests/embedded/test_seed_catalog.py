import pytest

from catalog.selectors.catalog import list_instance_types, list_public_images, list_volume_types
from catalog.selectors.clusters import list_clusters
from catalog.services.volume_types import update_volume_type
from cycloud.core.iam.actor import system_actor
from cycloud.embedded.seed_catalog import seed_catalog
from cycloud.simulator.site import Site

pytestmark = pytest.mark.django_db
OPERATOR = system_actor("seed")


def address(cloud: str) -> str:
    return f"http://127.0.0.1:5900/{cloud}/identity/v3"


def test_each_generation_is_one_family_on_one_cluster_with_that_clouds_own_ids() -> None:
    site = Site()
    made = list(seed_catalog(OPERATOR, site, address))
    assert len(made) == len(set(made)) == 14
    placements = {
        kind.resource_id: [(p.cluster.resource_id, p.provider_id) for p in kind.placements.all()]
        for kind in list_instance_types()
    }
    assert placements == {
        f"{family}.{size}": [(cluster, site.clouds[cloud].flavor_id(f"{family}.{size}"))]
        for family, cluster, cloud in (("m7a", "gen7", "a"), ("m8a", "gen8", "b"))
        for size in ("small", "medium", "large")
    }
    assert {c.resource_id: (c.controller_name, c.auth_url) for c in list_clusters()} == {
        "gen7": ("kvm-gen7", address("a")),
        "gen8": ("kvm-gen8", address("b")),
    }


def test_volumes_of_every_type_can_move_between_the_clusters() -> None:
    list(seed_catalog(OPERATOR, Site(), address))
    for kind in list_volume_types():
        placements = list(kind.placements.all())
        assert len(placements) == 2
        assert len({p.provider_type for p in placements}) == 1
        assert {p.backend_host for p in placements} == {
            "cinder-a@shared#shared",
            "cinder-b@shared#shared",
        }
    assert [image.provider_images.count() for image in list_public_images()] == [2]


def test_a_second_time_it_makes_nothing_and_leaves_what_an_operator_changed() -> None:
    site = Site()
    list(seed_catalog(OPERATOR, site, address))
    update_volume_type(actor=OPERATOR, resource_id="cgp1", changes={"retention_seconds": 60})
    assert list(seed_catalog(OPERATOR, site, address)) == []
    kept = list_volume_types().get(resource_id="cgp1")
    assert kept.retention_seconds == 60


def test_the_clusters_follow_a_simulator_on_another_port_and_keep_their_password() -> None:
    site = Site()
    list(seed_catalog(OPERATOR, site, address))
    before = {c.resource_id: c.encrypted_password for c in list_clusters()}
    made = list(seed_catalog(OPERATOR, site, lambda cloud: f"http://127.0.0.1:6000/{cloud}"))
    assert made == [
        "openStackClusters/gen7 (new address)",
        "openStackClusters/gen8 (new address)",
    ]
    after = list_clusters()
    assert {c.auth_url for c in after} == {"http://127.0.0.1:6000/a", "http://127.0.0.1:6000/b"}
    assert {c.resource_id: c.encrypted_password for c in after} == before
    assert all(before.values())
