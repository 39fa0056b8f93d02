"""Instance types as objects, and the generation that two manifests add."""

from typing import Any

import pytest

from catalog.models import InstanceFamily, InstanceType
from catalog.selectors.placements import InstancePlacement, choose_instance_placement
from catalog.services.instance_families import create_instance_family
from cycloud.core.aip.errors import InvalidArgument
from tests.catalog.kubernetes.declarations import (
    CLUSTERS,
    INSTANCE_TYPES,
    MIB,
    PLAIN,
    reference,
    shown,
    take,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("world")]
SPEC = PLAIN["InstanceType"]


def test_two_manifests_add_a_generation() -> None:
    take(CLUSTERS, PLAIN["OpenStackCluster"], "gen9")
    placed = {"name": "z1", "computeCluster": reference("gen9"), "providerID": "flavor-9"}
    take(INSTANCE_TYPES, {**SPEC, "availabilityZones": [placed]}, "m9a.medium")
    made = InstanceType.objects.get(resource_id="m9a.medium")
    assert (made.family.resource_id, made.vcpus, made.memory_mib) == ("m9a", 2, 4096)
    zone = made.placements.get().availability_zone
    placement = choose_instance_placement(made, zone)
    assert isinstance(placement, InstancePlacement)
    assert (placement.cluster.resource_id, placement.provider_id) == ("gen9", "flavor-9")


def test_a_family_is_the_apis_and_made_once() -> None:
    take(INSTANCE_TYPES, SPEC, "m9a.medium")
    take(INSTANCE_TYPES, SPEC, "m9a.large")
    family = InstanceFamily.objects.get(resource_id="m9a")
    assert (family.managed_by, family.display_name) == ("", "")
    assert family.types.count() == 2


def test_a_family_that_another_pass_made_meanwhile_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def made_twice(**request: Any) -> None:
        create_instance_family(**request)
        create_instance_family(**request)

    monkeypatch.setattr("catalog.kubernetes.instance_types.create_instance_family", made_twice)
    take(INSTANCE_TYPES, SPEC, "m9a.medium")
    assert InstanceType.objects.get(resource_id="m9a.medium").family.resource_id == "m9a"


def test_a_family_can_be_named_and_changed() -> None:
    take(INSTANCE_TYPES, {**SPEC, "instanceFamily": "m8a"}, "m9a.medium")
    made = InstanceType.objects.get(resource_id="m9a.medium")
    assert made.family.resource_id == "m8a"
    take(INSTANCE_TYPES, SPEC, "m9a.medium")
    made.refresh_from_db()
    assert made.family.resource_id == "m9a"


def test_a_type_without_its_family_agrees() -> None:
    take(INSTANCE_TYPES, SPEC, "m9a.medium")
    manifest = shown(INSTANCE_TYPES, "m9a.medium")
    assert manifest is not None
    assert INSTANCE_TYPES.agrees(manifest, SPEC)
    assert not INSTANCE_TYPES.agrees(manifest, {**SPEC, "instanceFamily": "m8a"})


def test_a_refused_type_leaves_no_family() -> None:
    with pytest.raises(InvalidArgument):
        take(INSTANCE_TYPES, {**SPEC, "displayName": "\n"}, "m9a.medium")
    assert not InstanceFamily.objects.filter(resource_id="m9a").exists()


def test_memory_is_told_in_bytes() -> None:
    take(INSTANCE_TYPES, {**SPEC, "memoryInfo": {"sizeBytes": 3 * MIB}})
    manifest = shown(INSTANCE_TYPES)
    assert manifest is not None
    assert manifest.spec["memoryInfo"] == {"sizeBytes": 3 * MIB}


def test_a_type_moves_to_another_cluster_of_its_zone() -> None:
    take(INSTANCE_TYPES, SPEC, "m9a.medium")
    placed = {"name": "z1", "computeCluster": reference("gen8"), "providerID": "flavor-8"}
    take(INSTANCE_TYPES, {**SPEC, "availabilityZones": [placed]}, "m9a.medium")
    made = InstanceType.objects.get(resource_id="m9a.medium")
    assert [p.cluster.resource_id for p in made.placements.all()] == ["gen8"]
