"""Rows to objects and back: nothing is lost, nothing is made up, and nothing is written twice."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compute.kubernetes.instance_spec import read_instance_spec
from compute.kubernetes.kinds import KINDS
from compute.models import Instance, Volume
from cycloud.core.aip.errors import InvalidArgument
from cycloud.kubernetes.crds import definitions
from cycloud.kubernetes.kinds import Json, Kind, Manifest
from cycloud.kubernetes.row_kinds import spoken
from tests.compute.kubernetes.objects import (
    Applied,
    as_stored,
    attachments,
    instance_object,
    interfaces,
    managed,
    volume_object,
    written,
)
from tests.factories.compute import OpenStackNetworkInterfaceFactory, World

KEYS = [
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ6mE6mq0tMZ2hN3l0dG1mVtY3JldGtleXNvbWV0aGlu a@b",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ6mE6mq0tMZ2hN3l0dG1mVtY3JldGtleXNvbWV0aGlu",
]
FIELDS = [
    "displayName",
    "instanceType",
    "desiredState",
    "volumeAttachments",
    "networkInterfaceAttachments",
    "sshPublicKeys",
    "deletionProtection",
    "userData",
]
in_database = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

names = st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=40)
parts = st.from_regex(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,20}[A-Za-z0-9])?", fullmatch=True)
domains = st.sampled_from(
    [
        "",
        "cycloud.jp/",
        "a.example.com/",
        "app.kubernetes.io/",
        "argocd.argoproj.io/",
        "a..b/",
        "x-/",
    ]
)
keys = st.builds("{}{}".format, domains, parts)
labels = st.dictionaries(keys, st.just("") | parts, max_size=5)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
annotations = st.dictionaries(keys, texts, max_size=5)
indexes = st.lists(st.integers(1, 99), unique=True, min_size=0, max_size=3)


@contextmanager
def undone() -> Iterator[None]:
    """What an example leaves behind goes with it."""
    with transaction.atomic():
        point = transaction.savepoint()
        yield
        transaction.savepoint_rollback(point)


def metadata(manifest: Manifest) -> dict[str, Any]:
    return {"labels": dict(manifest.labels), "annotations": dict(manifest.annotations)}


@in_database
@given(
    display_name=names,
    state=st.sampled_from(["RUNNING", "STOPPED"]),
    protected=st.booleans(),
    user_data=texts,
    ssh_keys=st.lists(st.sampled_from(KEYS), max_size=2),
    labels=labels,
    annotations=annotations,
    volumes=st.integers(1, 4),
)
def test_an_instance_as_it_is_written_out_is_no_change(
    world: World,
    display_name: str,
    state: str,
    protected: bool,
    user_data: str,
    ssh_keys: list[str],
    labels: dict[str, str],
    annotations: dict[str, str],
    volumes: int,
) -> None:
    with undone():
        instance = world.instance(
            resource_id="web",
            volumes=volumes,
            display_name=display_name,
            desired_state=state,
            deletion_protection=protected,
            user_data=user_data,
            ssh_public_keys=ssh_keys,
            labels=labels,
            annotations=annotations,
        )
        applied = instance_object(world)
        managed(world, applied, instance)
        before = written()
        manifest = applied.manifest
        assert applied.kind.agrees(manifest, as_stored(manifest))
        applied.take(as_stored(manifest), **metadata(manifest))
        assert written() == before


@in_database
@given(display_name=names, size=st.integers(1, 10), labels=labels, annotations=annotations)
def test_a_volume_as_it_is_written_out_is_no_change(
    world: World,
    display_name: str,
    size: int,
    labels: dict[str, str],
    annotations: dict[str, str],
) -> None:
    with undone():
        volume = world.volume(
            resource_id="data",
            display_name=display_name,
            size_gib=size * 10,
            labels=labels,
            annotations=annotations,
        )
        applied = volume_object(world)
        managed(world, applied, volume)
        before = written()
        manifest = applied.manifest
        assert applied.kind.agrees(manifest, as_stored(manifest))
        applied.take(as_stored(manifest), **metadata(manifest))
        assert written() == before


@st.composite
def instance_fields(draw: st.DrawFn) -> dict[str, Any]:
    """Optional fields of a good declaration."""
    optional: dict[str, st.SearchStrategy[Any]] = {
        "displayName": names,
        "desiredState": st.sampled_from(["Running", "Stopped"]),
        "sshPublicKeys": st.lists(st.sampled_from(KEYS), max_size=2),
        "deletionProtection": st.booleans(),
        "userData": texts,
    }
    chosen = draw(st.sets(st.sampled_from(sorted(optional))))
    return {field: draw(optional[field]) for field in sorted(chosen)}


@in_database
@given(
    first=instance_fields(),
    second=instance_fields(),
    first_indexes=indexes,
    second_indexes=indexes,
    new_type=st.booleans(),
)
def test_whatever_is_declared_is_there_and_declared_again_writes_nothing(
    world: World,
    first: dict[str, Any],
    second: dict[str, Any],
    first_indexes: list[int],
    second_indexes: list[int],
    new_type: bool,
) -> None:
    with undone():
        applied = instance_object(world)
        disks = [world.volume(resource_id=f"disk-{i}").resource_id for i in range(4)]
        nics = [world.network_interface(resource_id=f"ni-{i}").resource_id for i in range(2)]
        needed = {
            "instanceType": world.small.resource_id,
            "availabilityZone": world.zone.resource_id,
            "networkInterfaceAttachments": interfaces(*nics),
        }
        taken(applied, {**needed, "volumeAttachments": at(disks, first_indexes), **first})
        # parts can be changed while it is stopped
        changed = {**needed, "volumeAttachments": at(disks, second_indexes), **second}
        changed["networkInterfaceAttachments"] = interfaces(*reversed(nics))
        changed["instanceType"] = (world.new_small if new_type else world.medium).resource_id
        taken(applied, changed | {"desiredState": "Stopped"})
        taken(applied, changed)


def at(disks: list[str], places: list[int]) -> list[Json]:
    """The first volume boots; the others have these indexes, in no order."""
    return [
        {"deviceIndex": place, "volumeName": disk}
        for place, disk in zip([*places, 0], [*disks[1 : len(places) + 1], disks[0]], strict=True)
    ]


def taken(applied: Applied, spec: Json) -> None:
    applied.take(spec)
    assert applied.kind.agrees(applied.manifest, spec)
    user_data = spec.get("userData")
    assert user_data in (None, Instance.objects.get(resource_id="web").user_data)
    before = written()
    applied.take(spec)
    assert written() == before


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(FIELDS), json_values))
def test_whatever_is_in_an_object_it_is_read_or_refused_by_a_field(changes: Json) -> None:
    spec = {
        "instanceType": "m8a.medium",
        "availabilityZone": "apne1a",
        "volumeAttachments": attachments("root"),
        "networkInterfaceAttachments": interfaces("ni"),
        **changes,
    }
    try:
        read_instance_spec(spec)
    except InvalidArgument as error:
        assert all(violation.field.startswith("spec.") for violation in error.violations)


def closed(schema: Any) -> Any:
    """The schema as server-side apply takes it: fields that it does not have are refused."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    if "properties" in found:
        found["additionalProperties"] = False
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.api.kind)
def test_every_kind_is_written_as_its_definition_has_it(world: World, kind: Kind) -> None:
    instance = world.instance(
        resource_id="web", volumes=2, display_name="Web", ssh_public_keys=KEYS, state="RUNNING"
    )
    OpenStackNetworkInterfaceFactory.create(
        network_interface=instance.network_attachments.get().network_interface, cluster=world.old
    )
    Volume.objects.update(image=world.image)
    (definition,) = [d for d in definitions() if d["metadata"]["name"] == kind.api.definition]
    (version,) = [v for v in definition["spec"]["versions"] if v["storage"]]
    schema = version["schema"]["openAPIV3Schema"]["properties"]
    names = list(kind.names())
    assert names
    for manifest in kind.manifests(names).values():
        jsonschema.validate(as_stored(manifest), closed(schema["spec"]))
        status = {key: value for key, value in manifest.status.items() if value is not None}
        jsonschema.validate(status, closed(schema["status"]))


@pytest.mark.parametrize(
    ("kind", "states"),
    [
        ("instances", "PENDING RUNNING STOPPING STOPPED STARTING DELETING ERROR"),
        ("volumes", "PENDING AVAILABLE IN_USE ERROR"),
    ],
)
def test_every_state_is_one_that_the_definition_has(kind: str, states: str) -> None:
    (definition,) = [d for d in definitions() if d["spec"]["names"]["plural"] == kind]
    for version in definition["spec"]["versions"]:
        schema = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
        assert {spoken(state) for state in states.split()} <= set(schema["state"]["enum"])
