"""The catalog over REST: everybody reads it without clusters, operators write it."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.models import AvailabilityZone, OpenStackCluster
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import AuditEntry
from tests.factories.catalog import (
    AvailabilityZoneFactory,
    InstancePlacementFactory,
    InstanceTypeFactory,
    OpenStackClusterFactory,
    PublicImageFactory,
    PublicOpenStackImageFactory,
    VolumePlacementFactory,
    VolumeTypeFactory,
)
from tests.factories.iam import ProjectFactory
from tests.factories.rest import Answer, RestClient, client_with, operator_client

pytestmark = pytest.mark.django_db
PUBLIC = [
    "availabilityZones",
    "instanceFamilies",
    "instanceTypes",
    "volumeTypes",
    "publicImages",
]
SECRETS = (
    "hidden-cluster",
    "hidden-controller",
    "hidden-provider",
    "hidden-host",
    "hidden-storage",
)


@pytest.fixture
def catalog() -> None:
    zone = AvailabilityZoneFactory.create(resource_id="offered-zone")
    cluster = OpenStackClusterFactory.create(
        resource_id="hidden-cluster", controller_name="hidden-controller", availability_zone=zone
    )
    kind = InstanceTypeFactory.create(resource_id="offered.medium", family__resource_id="offered")
    InstancePlacementFactory.create(
        instance_type=kind, availability_zone=zone, cluster=cluster, provider_id="hidden-provider"
    )
    VolumePlacementFactory.create(
        volume_type=VolumeTypeFactory.create(resource_id="offered-volume"),
        cluster=cluster,
        provider_id="hidden-provider",
        provider_type="hidden-storage",
        backend_host="hidden-host@hidden-storage#pool",
    )
    PublicOpenStackImageFactory.create(
        public_image=PublicImageFactory.create(resource_id="offered-image"),
        cluster=cluster,
        provider_id="hidden-provider",
    )


@pytest.fixture
def user() -> RestClient:
    return client_with(Role.ADMIN, ProjectFactory.create())


@pytest.fixture
def operator() -> RestClient:
    return operator_client()


def ids(answer: Answer) -> list[str]:
    (items,) = (value for value in answer.json.values() if isinstance(value, list))
    return [item["name"].partition("/")[2] for item in items]


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("path", PUBLIC)
def test_no_user_ever_sees_a_cluster(user: RestClient, path: str) -> None:
    listed = user("GET", path)
    assert listed.status == 200
    answers = [listed] + [user("GET", f"{path}/{id_}") for id_ in ids(listed)]
    answers += [user("PATCH", f"{path}/{id_}", {}) for id_ in ids(listed)]
    answers += [user("DELETE", f"{path}/{id_}") for id_ in ids(listed)]
    assert len(answers) >= 4
    for answer in answers:
        assert not any(secret in answer.text for secret in SECRETS), answer.text


@pytest.mark.usefixtures("catalog")
def test_users_see_in_which_zones_a_type_is_offered(user: RestClient) -> None:
    assert user("GET", "instanceTypes/offered.medium").json["availability_zones"] == [
        "offered-zone"
    ]
    OpenStackCluster.objects.update(state="Cordoned")
    assert user("GET", "instanceTypes/offered.medium").json["availability_zones"] == []
    assert user("GET", "volumeTypes/offered-volume").json["availability_zones"] == []


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("path", [*PUBLIC, "openStackClusters"])
@pytest.mark.parametrize("member", ["", "/offered-zone", "/hidden-cluster", "/nothing"])
@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
def test_only_operators_write(user: RestClient, method: str, path: str, member: str) -> None:
    if (method == "POST") == bool(member):
        return
    before = AuditEntry.objects.filter(outcome="OK").count()
    answer = user(method, f"{path}{member}", None if method == "DELETE" else {})
    # a creation without an id or a field may be refused for that first
    assert answer.status == 403 or (method == "POST" and answer.status == 400), answer.text
    assert AuditEntry.objects.filter(outcome="OK").count() == before


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE", "POST"])
def test_a_user_cannot_tell_whether_a_cluster_exists(user: RestClient, method: str) -> None:
    verb = ":drain" if method == "POST" else ""
    seen = []
    for name in ("hidden-cluster", "nothing"):
        with CaptureQueriesContext(connection) as queries:
            answer = user(method, f"openStackClusters/{name}{verb}")
        seen.append((answer.status, answer.text, len(queries)))
    # the first call also notes when the token was used
    assert seen[0][:2] == seen[1][:2]
    assert seen[0][0] == 403
    assert user("GET", "openStackClusters").status == 403


@pytest.mark.parametrize("path", [*PUBLIC, "openStackClusters"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_who_is_not_signed_in_sees_nothing(path: str, method: str) -> None:
    assert RestClient()(method, path).status == 401


CLUSTER = {
    "availability_zone": "zone-1",
    "controller_name": "kvm-gen7",
    "auth_url": "https://keystone.example:5000/v3",
    "username": "cycloud",
    "project_name": "cycloud",
    "password": "very secret",
}
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("availabilityZones?availability_zone_id=zone-1", {"display_name": "Zone 1"}),
    ("openStackClusters?openstack_cluster_id=gen7", CLUSTER),
    ("instanceFamilies?instance_family_id=m7a", {}),
    (
        "instanceTypes?instance_type_id=m7a.small",
        {
            "family": "m7a",
            "vcpus": 2,
            "memory_mib": 2048,
            "placements": [{"cluster": "gen7", "provider_id": "1"}],
        },
    ),
    (
        "volumeTypes?volume_type_id=cgp1",
        {
            "minimum_size": "10Gi",
            "maximum_size": "1Ti",
            "granularity": "2Gi",
            "retention_seconds": 60,
            "placements": [
                {
                    "cluster": "gen7",
                    "provider_id": "t",
                    "provider_type": "shared",
                    "backend_host": "h@b#p",
                }
            ],
        },
    ),
    (
        "publicImages?public_image_id=ubuntu-24.04",
        {"minimum_size": "4Gi", "provider_images": [{"cluster": "gen7", "provider_id": "i"}]},
    ),
]


def test_an_operator_offers_all_of_it_over_rest(operator: RestClient) -> None:
    for path, body in STEPS:
        answer = operator("POST", path, body)
        assert answer.status == 200, answer.text
        again = operator("GET", answer.json["name"])
        assert again.json == answer.json
        shown = {field: again.json.get(field) for field in body if field != "password"}
        sent = json.loads(json.dumps(body))
        sent.pop("password", None)
        for placement in shown.get("placements") or []:
            placement.pop("availability_zone", None)
        if "maximum_size" in sent:
            sent["maximum_size"] = "1024Gi"
        assert shown == sent
        assert operator("POST", path, body).reason == "ALREADY_EXISTS"
        # what was read can be sent back
        assert operator("PATCH", answer.json["name"], again.json).status == 200
    for path, _ in reversed(STEPS):
        collection, _, id_ = path.partition("?")
        answer = operator("DELETE", f"{collection}/{id_.partition('=')[2]}")
        assert (answer.status, answer.json) == (200, {}), answer.text


def test_validate_only_and_missing_ids_change_nothing(operator: RestClient) -> None:
    for path, body in STEPS[:1]:
        answer = operator("POST", f"{path}&validate_only=true", body)
        assert (answer.status, answer.json["name"]) == (200, "availabilityZones/zone-1")
        assert operator("POST", path.partition("?")[0], body).field == "availability_zone_id"
    assert not AvailabilityZone.objects.exists()


def test_a_clusters_password_is_written_and_never_shown(operator: RestClient) -> None:
    operator("POST", *STEPS[0])
    made = operator("POST", *STEPS[1])
    changed = operator("PATCH", "openStackClusters/gen7", {"password": "another secret"})
    kept = operator("PATCH", "openStackClusters/gen7", {"password": "", "region_name": "R"})
    for answer in (made, changed, kept, operator("GET", "openStackClusters")):
        assert answer.status == 200, answer.text
        assert "secret" not in answer.text
    assert kept.json["has_password"] is True
    assert "secret" not in str(list(AuditEntry.objects.values()))


def test_a_cluster_goes_through_its_states_by_verbs(operator: RestClient) -> None:
    operator("POST", *STEPS[0])
    operator("POST", *STEPS[1])
    for verb, state in (("cordon", "Cordoned"), ("activate", "Active"), ("drain", "Draining")):
        assert operator("POST", f"openStackClusters/gen7:{verb}").json["state"] == state
    assert operator("POST", "openStackClusters/gen7:retire").json["state"] == "Retired"
    assert operator("POST", "openStackClusters/gen7:activate").reason == "CLUSTER_STATE"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("instanceTypes?instance_type_id=a", {"vcpus": 1, "memory_mib": 1}, "family"),
        ("instanceTypes?instance_type_id=a", {"family": "f", "vcpus": "1"}, "vcpus"),
        ("instanceTypes?instance_type_id=a", {"family": "f", "vcpus": True}, "vcpus"),
        ("instanceTypes?instance_type_id=a", {"family": "f", "vcpus": 2**40}, "vcpus"),
        (
            "instanceTypes?instance_type_id=a",
            {"family": "f", "vcpus": 1, "memory_mib": 1, "placements": [{"cluster": "c"}]},
            "placements[0].provider_id",
        ),
        (
            "instanceTypes?instance_type_id=a",
            {
                "family": "f",
                "vcpus": 1,
                "memory_mib": 1,
                "placements": [{"cluster": "c", "provider_id": "x", "host": "h"}],
            },
            "placements[0].host",
        ),
        ("volumeTypes?volume_type_id=a", {"minimum_size": 10}, "minimum_size"),
        ("volumeTypes?volume_type_id=a", {"minimum_size": "10GB"}, "minimum_size"),
        ("publicImages?public_image_id=a", {"provider_images": ["x"]}, "provider_images"),
        ("openStackClusters?openstack_cluster_id=a", {"state": "Active"}, "availability_zone"),
        ("openStackClusters?openstack_cluster_id=a&request_id=1", {}, "request_id"),
    ],
)
def test_a_wrong_field_is_named(
    operator: RestClient, path: str, body: dict[str, Any], field: str
) -> None:
    answer = operator("POST", path, body)
    assert (answer.status, answer.field) == (400, field), answer.text


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("path", PUBLIC)
def test_a_list_takes_the_same_queries_for_few_and_many(user: RestClient, path: str) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert user("GET", path).status == 200
        return len(queries)

    count()
    few = count()
    for _ in range(4):
        InstancePlacementFactory.create()
        VolumePlacementFactory.create()
        PublicOpenStackImageFactory.create()
    assert count() == few
