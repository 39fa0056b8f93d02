"""What holds for objects of every kind of the catalog, in both directions."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.kubernetes.definitions import DEFINITIONS
from catalog.models import OpenStackCluster
from cycloud.core.aip.errors import (
    AlreadyExists,
    CycloudError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
)
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.models import DueRow
from cycloud.kubernetes.crds.definition import render
from cycloud.kubernetes.kinds import Intake, Json, TakenIn
from tests.catalog.kubernetes.declarations import (
    CLUSTERS,
    IMAGES,
    INSTANCE_TYPES,
    KINDS,
    PLAIN,
    SPECS,
    VOLUME_TYPES,
    intake_of,
    make_world,
    name_of,
    shown,
    take,
    undone,
)
from tests.factories.catalog import (
    InstancePlacementFactory,
    InstanceTypeFactory,
    OpenStackClusterFactory,
    PublicOpenStackImageFactory,
    VolumePlacementFactory,
)
from tests.factories.iam import OPERATOR

pytestmark = pytest.mark.django_db
each = pytest.mark.parametrize("kind", list(KINDS.values()), ids=list(KINDS))


def trace() -> tuple[int, int, list[Any]]:
    """What every write leaves."""
    rows = [
        list(kind.rows().values_list("resource_id", "revision", "update_time"))  # type: ignore[attr-defined]
        for kind in KINDS.values()
    ]
    return AuditEntry.objects.count(), DueRow.objects.count(), rows


def schema_of(kind: TakenIn) -> Json:
    [definition] = [item for item in DEFINITIONS if item.api == kind.api]
    [version] = [v for v in render(definition)["spec"]["versions"] if v["storage"]]
    schema: Json = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return schema


@each
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_what_an_object_declares_is_what_the_row_says(kind: TakenIn, data: st.DataObject) -> None:
    with undone():
        make_world()
        for spec in data.draw(st.lists(SPECS[kind.api.kind], min_size=1, max_size=3)):
            take(kind, spec)
            manifest = shown(kind)
            assert manifest is not None
            assert kind.agrees(manifest, spec)
            assert manifest.managed_by == intake_of(kind).manager
            before = trace()
            take(kind, spec)
            # in our own words it is the same declaration
            take(kind, manifest.spec)
            assert trace() == before
            assert shown(kind) == manifest


@each
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_what_is_shown_is_what_the_definition_allows(kind: TakenIn, data: st.DataObject) -> None:
    with undone():
        make_world()
        take(kind, data.draw(SPECS[kind.api.kind]))
        manifest = shown(kind)
        assert manifest is not None
        jsonschema.validate(manifest.spec, schema_of(kind))
        # nothing is left to the API server to fill in, or to drop
        known = set(schema_of(kind)["properties"])
        assert known - set(manifest.spec) <= {"rabbitMQConfig"}
        assert set(manifest.spec) <= known


@each
def test_a_resource_is_ready_since_it_was_made(kind: TakenIn, world: None) -> None:
    take(kind, PLAIN[kind.api.kind])
    first = shown(kind)
    take(kind, {**PLAIN[kind.api.kind], "displayName": "New"})
    second = shown(kind)
    assert first is not None and second is not None
    assert first.spec != second.spec
    [ready] = second.conditions
    assert (ready.type, ready.status.value, ready.reason) == ("Ready", "True", "Available")
    assert second.settled and not second.deleting
    assert first.conditions == second.conditions


@each
def test_a_change_is_one_write(kind: TakenIn, world: None) -> None:
    take(kind, PLAIN[kind.api.kind])
    audits = AuditEntry.objects.count()
    take(kind, {**PLAIN[kind.api.kind], "displayName": "New"})
    entry = AuditEntry.objects.latest("pk")
    assert AuditEntry.objects.count() == audits + 1
    assert entry.method == f"Update{kind.api.kind}"
    assert entry.detail["fields"] == ["display_name"]


@each
def test_another_declaration_does_not_agree(kind: TakenIn, world: None) -> None:
    take(kind, PLAIN[kind.api.kind])
    manifest = shown(kind)
    assert manifest is not None
    assert kind.agrees(manifest, PLAIN[kind.api.kind])
    assert not kind.agrees(manifest, {**PLAIN[kind.api.kind], "displayName": "New"})
    assert not kind.agrees(manifest, {})
    assert not kind.agrees(manifest, {**PLAIN[kind.api.kind], "displayName": 3})


@each
def test_a_row_of_the_api_is_not_taken_over(kind: TakenIn, world: None) -> None:
    kind.take(Intake(OPERATOR, manager=""), name_of(kind), {"spec": PLAIN[kind.api.kind]})
    before = trace()
    with pytest.raises(AlreadyExists, match=f"kubernetes adopt {kind.api.kind} {name_of(kind)}"):
        take(kind, {**PLAIN[kind.api.kind], "displayName": "Mine"})
    kind.remove(intake_of(kind), name_of(kind))
    assert trace() == before


@each
def test_a_row_of_another_object_is_not_taken_over(kind: TakenIn, world: None) -> None:
    other = Intake(OPERATOR, manager="elsewhere/new.1")
    kind.take(other, name_of(kind), {"spec": PLAIN[kind.api.kind]})
    before = trace()
    with pytest.raises(FailedPrecondition, match=r"elsewhere/new\.1"):
        take(kind, PLAIN[kind.api.kind])
    kind.remove(intake_of(kind), name_of(kind))
    assert trace() == before


@each
def test_removing_is_deleting_once(kind: TakenIn, world: None) -> None:
    take(kind, PLAIN[kind.api.kind])
    kind.remove(intake_of(kind), name_of(kind))
    assert shown(kind) is None
    before = trace()
    kind.remove(intake_of(kind), name_of(kind))
    assert trace() == before


def test_a_cluster_waits_for_those_that_refer_to_it(world: None) -> None:
    take(CLUSTERS, PLAIN["OpenStackCluster"], "gen9")
    spec = dict(PLAIN["PublicImage"])
    spec["images"] = [{"computeCluster": {"name": "gen9"}, "providerID": "i"}]
    take(IMAGES, spec)
    with pytest.raises(FailedPrecondition, match="is used by"):
        CLUSTERS.remove(intake_of(CLUSTERS, "gen9"), name_of(CLUSTERS, "gen9"))
    IMAGES.remove(intake_of(IMAGES), name_of(IMAGES))
    CLUSTERS.remove(intake_of(CLUSTERS, "gen9"), name_of(CLUSTERS, "gen9"))
    assert not OpenStackCluster.objects.filter(resource_id="gen9").exists()


_PLACED: Json = PLAIN["InstanceType"]["availabilityZones"][0]
_STORED: Json = PLAIN["VolumeType"]["availabilityZones"][0]
_IMAGE: Json = PLAIN["PublicImage"]["images"][0]
REFUSED: list[tuple[TakenIn, Json, str, str]] = [
    (
        INSTANCE_TYPES,
        {"memoryInfo": {"sizeBytes": 2**20 + 1}},
        "spec.memoryInfo.sizeBytes",
        "1048576",
    ),
    (INSTANCE_TYPES, {"memoryInfo": {"sizeBytes": 2**60}}, "spec.memoryInfo.sizeBytes", "MiB"),
    (INSTANCE_TYPES, {"memoryInfo": {"sizeBytes": "4Gi"}}, "spec.memoryInfo.sizeBytes", "bytes"),
    (INSTANCE_TYPES, {"cpuInfo": {"vcpus": 0}}, "spec.cpuInfo.vcpus", "from 1"),
    (INSTANCE_TYPES, {"cpuInfo": None}, "spec.cpuInfo", "required"),
    (INSTANCE_TYPES, {"instanceFamily": "No family"}, "spec.instanceFamily", "lower-case"),
    (INSTANCE_TYPES, {"displayName": "a\nb"}, "spec.displayName", "printable"),
    (
        INSTANCE_TYPES,
        {"availabilityZones": [_PLACED, {**_PLACED, "computeCluster": {"name": "gen9"}}]},
        "spec.availabilityZones[1].computeCluster.name",
        "gen9",
    ),
    (
        INSTANCE_TYPES,
        {"availabilityZones": [{**_PLACED, "name": "z2"}]},
        "spec.availabilityZones[0].name",
        "gen7 is in z1",
    ),
    (
        INSTANCE_TYPES,
        {"availabilityZones": [{**_PLACED, "providerID": "a b"}]},
        "spec.availabilityZones[0].providerID",
        "ASCII",
    ),
    (
        INSTANCE_TYPES,
        {"availabilityZones": [{**_PLACED, "computeCluster": {"kind": "Cluster", "name": "gen7"}}]},
        "spec.availabilityZones[0].computeCluster.kind",
        "OpenStackCluster",
    ),
    (
        INSTANCE_TYPES,
        {"availabilityZones": [_PLACED, {**_PLACED, "computeCluster": {"name": "gen8"}}]},
        "spec.availabilityZones",
        "two entries for the zone z1",
    ),
    (VOLUME_TYPES, {"minimumSize": "1500Mi"}, "spec.minimumSize", "whole number of GiB"),
    (VOLUME_TYPES, {"minimumSize": "2Ti"}, "spec.maximumSize", "spec.minimumSize, which is 2048"),
    (VOLUME_TYPES, {"granularity": "3Gi"}, "spec.minimumSize", "spec.granularity, which is 3"),
    (VOLUME_TYPES, {"retentionSeconds": -1}, "spec.retentionSeconds", "seconds"),
    (
        VOLUME_TYPES,
        {"availabilityZones": [_STORED, {**_STORED, "computeCluster": {"name": "west"}}]},
        "spec.availabilityZones[1].name",
        "west is in z2",
    ),
    (
        VOLUME_TYPES,
        {"availabilityZones": [{**_STORED, "backendHost": "host"}]},
        "spec.availabilityZones[0].backendHost",
        "host@backend#pool",
    ),
    (IMAGES, {"minimumSize": "0Gi"}, "spec.minimumSize", "not a size"),
    (IMAGES, {"images": [_IMAGE, _IMAGE]}, "spec.images", "two entries"),
    (
        IMAGES,
        {"images": [_IMAGE, {**_IMAGE, "computeCluster": {"name": "gen9"}}]},
        "spec.images[1].computeCluster.name",
        "gen9",
    ),
    (CLUSTERS, {"availabilityZone": "z9"}, "spec.availabilityZone", "z9"),
    (CLUSTERS, {"controllerName": "No"}, "spec.controllerName", "lower-case"),
    (CLUSTERS, {"computeMicroversion": "new"}, "spec.computeMicroversion", "2.90"),
    (CLUSTERS, {"cloudCredentials": {"name": ""}}, "spec.cloudCredentials.name", "clouds.yaml"),
    (CLUSTERS, {"cloudCredentials": {"name": "a\n"}}, "spec.cloudCredentials.name", "printable"),
    (CLUSTERS, {"state": "Gone"}, "spec.state", "not a state"),
]


@pytest.mark.parametrize(
    ("kind", "change", "field", "words"),
    REFUSED,
    ids=[f"{kind.api.kind} {field} {words}" for kind, _, field, words in REFUSED],
)
@pytest.mark.parametrize("is_there", [False, True], ids=["new", "changed"])
def test_a_refusal_names_the_objects_field_and_changes_nothing(
    kind: TakenIn, change: Json, field: str, words: str, is_there: bool, world: None
) -> None:
    if is_there:
        take(kind, PLAIN[kind.api.kind])
    before = trace()
    with pytest.raises(InvalidArgument) as caught:
        take(kind, {**PLAIN[kind.api.kind], **change})
    assert [violation.field for violation in caught.value.violations] == [field]
    assert words in caught.value.message
    assert caught.value.message.startswith(f"{field}: ")
    assert trace() == before


@each
def test_a_name_that_the_catalog_does_not_take_is_refused(kind: TakenIn, world: None) -> None:
    with pytest.raises(InvalidArgument) as caught:
        take(kind, {**PLAIN[kind.api.kind], "instanceFamily": "m8a"}, "8a")
    assert [violation.field for violation in caught.value.violations] == ["metadata.name"]


@pytest.mark.parametrize("kind", [INSTANCE_TYPES, VOLUME_TYPES, IMAGES])
def test_what_refers_to_a_cluster_may_come_before_it(kind: TakenIn, db: None) -> None:
    with pytest.raises(InvalidArgument) as caught:
        take(kind, PLAIN[kind.api.kind])
    assert [v.reason for v in caught.value.violations] == ["REFERENCE_NOT_FOUND"]
    make_world()
    take(kind, PLAIN[kind.api.kind])
    assert shown(kind) is not None


def test_all_objects_of_a_page_are_read_with_a_constant_number_of_queries(
    world: None, django_assert_num_queries: Any
) -> None:
    for _ in range(4):
        InstancePlacementFactory.create()
        VolumePlacementFactory.create()
        PublicOpenStackImageFactory.create()
        OpenStackClusterFactory.create()
    InstanceTypeFactory.create()
    for kind, queries, count in (
        (INSTANCE_TYPES, 4, 5),
        (VOLUME_TYPES, 4, 4),
        (IMAGES, 3, 4),
        (CLUSTERS, 1, 19),
    ):
        names = list(kind.names())
        with django_assert_num_queries(queries):
            manifests = kind.manifests([*names, f"{kind.collection}/none"])
        assert sorted(manifests) == sorted(names)
        assert len(names) == count
        with django_assert_num_queries(1):
            by_uid = kind.names_of([manifest.uid for manifest in manifests.values()])
        assert by_uid == {manifest.uid: name for name, manifest in manifests.items()}


@each
def test_only_operators_may_write_the_catalog(kind: TakenIn, world: None) -> None:
    from_user = Intake(OPERATOR.__class__("users/alice"), manager=intake_of(kind).manager)
    with pytest.raises(CycloudError) as caught:
        kind.take(from_user, name_of(kind), {"spec": PLAIN[kind.api.kind]})
    assert not isinstance(caught.value, NotFound)
    assert caught.value.reason == "PERMISSION_DENIED"
    assert shown(kind) is None
