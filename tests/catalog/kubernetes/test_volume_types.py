"""Volume types as objects."""

import pytest

from tests.catalog.kubernetes.declarations import PLAIN, VOLUME_TYPES, reference, shown, take

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("world")]
SPEC = PLAIN["VolumeType"]


def test_sizes_are_shown_in_one_way() -> None:
    take(VOLUME_TYPES, {**SPEC, "minimumSize": "2048Mi", "maximumSize": "2Ti"})
    manifest = shown(VOLUME_TYPES)
    assert manifest is not None
    assert (manifest.spec["minimumSize"], manifest.spec["maximumSize"]) == ("2Gi", "2048Gi")


def test_two_clusters_of_a_zone_may_show_one_storage_in_any_order() -> None:
    [first] = SPEC["availabilityZones"]
    second = {**first, "computeCluster": reference("gen8")}
    take(VOLUME_TYPES, {**SPEC, "availabilityZones": [second, first]})
    manifest = shown(VOLUME_TYPES)
    assert manifest is not None
    placements = manifest.spec["availabilityZones"]
    assert [item["computeCluster"]["name"] for item in placements] == ["gen7", "gen8"]
    assert VOLUME_TYPES.agrees(manifest, {**SPEC, "availabilityZones": [second, first]})
    assert not VOLUME_TYPES.agrees(manifest, SPEC)
