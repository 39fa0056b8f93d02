"""What operators may declare: one table per kind, each wrong value refused by the name of its field."""

from dataclasses import replace
from typing import Any

import pytest

from catalog.domain.availability_zone import AvailabilityZoneInput
from catalog.domain.fields import check_catalog_id, with_changes
from catalog.domain.instance_type import (
    InstanceFamilyInput,
    InstancePlacementInput,
    InstanceTypeInput,
)
from catalog.domain.openstack_cluster import OpenStackClusterInput
from catalog.domain.public_image import ProviderImageInput, PublicImageInput
from catalog.domain.volume_type import VolumePlacementInput, VolumeTypeInput
from cycloud.core.aip.errors import InvalidArgument

TYPE = InstanceTypeInput("m7a", 2, 4096, placements=(InstancePlacementInput("gen7", "f-1"),))
VOLUME_PLACEMENT = VolumePlacementInput("gen7", "t-1", "shared", "cinder-a@shared#shared")
VOLUME_TYPE = VolumeTypeInput(placements=(VOLUME_PLACEMENT,))
IMAGE = PublicImageInput(2, "Ubuntu", (ProviderImageInput("gen7", "i-1"),))
NAMED = OpenStackClusterInput("z1", "kvm-1", cloud_name="a")
GIVEN = OpenStackClusterInput(
    "z1",
    "kvm-1",
    auth_url="https://keystone.example:5000/v3",
    username="u",
    password="secret-word",
    project_name="p",
)


def wrong_field(check: Any) -> str:
    with pytest.raises(InvalidArgument) as caught:
        check()
    return caught.value.violations[0].field


@pytest.mark.parametrize("value", ["a", "m8a.medium", "ubuntu-24.04", "a" * 63])
def test_ids_of_the_catalog_may_have_dots(value: str) -> None:
    assert check_catalog_id(value, "id") == value


@pytest.mark.parametrize(
    "value", ["", "A", "1a", "a.", "-a", "a b", "a/b", "a" * 64, "ä", "a\n", None, 5]
)
def test_what_is_no_id_is_refused(value: Any) -> None:
    assert wrong_field(lambda: check_catalog_id(value, "the_id")) == "the_id"


@pytest.mark.parametrize(
    "good", [AvailabilityZoneInput("Tokyo 1"), InstanceFamilyInput("AMD"), TYPE, VOLUME_TYPE, IMAGE]
)
def test_good_inputs_pass(good: Any) -> None:
    good.check()


@pytest.mark.parametrize(
    ("good", "change", "field"),
    [
        (AvailabilityZoneInput(), {"display_name": "a\nb"}, "display_name"),
        (InstanceFamilyInput(), {"display_name": "a" * 256}, "display_name"),
        (TYPE, {"display_name": None}, "display_name"),
        (TYPE, {"vcpus": 0}, "vcpus"),
        (TYPE, {"vcpus": -1}, "vcpus"),
        (TYPE, {"vcpus": True}, "vcpus"),
        (TYPE, {"vcpus": "2"}, "vcpus"),
        (TYPE, {"vcpus": 2000}, "vcpus"),
        (TYPE, {"memory_mib": 0}, "memory_mib"),
        (TYPE, {"memory_mib": 1.5}, "memory_mib"),
        (TYPE, {"family": "M 7"}, "family"),
        (TYPE, {"placements": TYPE.placements * 2}, "placements"),
        (TYPE, {"placements": (InstancePlacementInput("c", ""),)}, "placements.provider_id"),
        (TYPE, {"placements": (InstancePlacementInput("c", "a b"),)}, "placements.provider_id"),
        (VOLUME_TYPE, {"minimum_gib": 0}, "minimum_gib"),
        (VOLUME_TYPE, {"maximum_gib": 2**40}, "maximum_gib"),
        (VOLUME_TYPE, {"minimum_gib": 20, "maximum_gib": 10}, "maximum_gib"),
        (VOLUME_TYPE, {"granularity_gib": 10}, "minimum_gib"),
        (
            VOLUME_TYPE,
            {"minimum_gib": 10, "maximum_gib": 25, "granularity_gib": 10},
            "maximum_gib",
        ),
        (VOLUME_TYPE, {"retention_seconds": -1}, "retention_seconds"),
        (VOLUME_TYPE, {"placements": VOLUME_TYPE.placements * 2}, "placements"),
        (IMAGE, {"minimum_gib": 0}, "minimum_gib"),
        (IMAGE, {"provider_images": IMAGE.provider_images * 2}, "provider_images"),
        (
            IMAGE,
            {"provider_images": (ProviderImageInput("gen7", ""),)},
            "provider_images.provider_id",
        ),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_field(
    good: Any, change: dict[str, Any], field: str
) -> None:
    assert wrong_field(replace(good, **change).check) == field


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"provider_id": ""}, "placements.provider_id"),
        ({"provider_type": "two words"}, "placements.provider_type"),
        ({"provider_type": ""}, "placements.provider_type"),
        ({"backend_host": "host@backend"}, "placements.backend_host"),
        ({"backend_host": "host#pool"}, "placements.backend_host"),
        ({"backend_host": "h@b#p#q"}, "placements.backend_host"),
        ({"backend_host": "h" * 255 + "@b#p"}, "placements.backend_host"),
    ],
)
def test_a_wrong_volume_placement_is_refused(change: dict[str, str], field: str) -> None:
    placements = (replace(VOLUME_PLACEMENT, **change),)
    assert wrong_field(replace(VOLUME_TYPE, placements=placements).check) == field


def test_credentials_are_named_or_given() -> None:
    NAMED.check(has_password=False)
    GIVEN.check(has_password=False)
    replace(GIVEN, password=None).check(has_password=True)


@pytest.mark.parametrize(
    ("good", "change", "field"),
    [
        (NAMED, {"availability_zone": ""}, "availability_zone"),
        (NAMED, {"controller_name": "KVM 1"}, "controller_name"),
        (NAMED, {"controller_name": "a.b"}, "controller_name"),
        (NAMED, {"cloud_name": "a" * 256}, "cloud_name"),
        (NAMED, {"auth_url": "http://x"}, "cloud_name"),
        (NAMED, {"password": "x"}, "cloud_name"),
        (NAMED, {"region_name": "a\nb"}, "region_name"),
        (NAMED, {"ca_certificate": "nonsense"}, "ca_certificate"),
        (NAMED, {"compute_microversion": "latest"}, "compute_microversion"),
        (NAMED, {"compute_microversion": "2.090"}, "compute_microversion"),
        (NAMED, {"block_storage_microversion": "3"}, "block_storage_microversion"),
        (GIVEN, {"auth_url": ""}, "auth_url"),
        (GIVEN, {"username": ""}, "username"),
        (GIVEN, {"project_name": ""}, "project_name"),
        (GIVEN, {"password": None}, "password"),
        (GIVEN, {"password": ""}, "password"),
        (GIVEN, {"auth_url": "ftp://keystone.example"}, "auth_url"),
        (GIVEN, {"auth_url": "https://user:word@keystone.example"}, "auth_url"),
        (GIVEN, {"auth_url": "https://"}, "auth_url"),
        (GIVEN, {"auth_url": "https://host:99999"}, "auth_url"),
        (GIVEN, {"auth_url": "https://ho st/"}, "auth_url"),
        (GIVEN, {"auth_url": "https://[::1"}, "auth_url"),
    ],
)
def test_a_wrong_cluster_is_refused_by_the_name_of_its_field(
    good: OpenStackClusterInput, change: dict[str, Any], field: str
) -> None:
    assert wrong_field(lambda: replace(good, **change).check(has_password=False)) == field


def test_good_limits_and_certificates_pass() -> None:
    replace(
        NAMED,
        compute_microversion="2.90",
        block_storage_microversion="3.0",
        ca_certificate="-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    ).check(has_password=False)


def test_a_password_is_in_no_repr() -> None:
    assert "secret-word" not in repr(GIVEN)


def test_only_known_fields_can_be_changed() -> None:
    assert with_changes(TYPE, {"vcpus": 4}).vcpus == 4
    assert wrong_field(lambda: with_changes(TYPE, {"color": "red"})) == "update_mask"
