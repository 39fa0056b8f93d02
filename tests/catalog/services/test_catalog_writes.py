"""What holds for every kind of the catalog: operators only, audit, wake-up, etags, dry runs, ids."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from catalog.models import (
    AvailabilityZone,
    InstanceFamily,
    InstanceType,
    OpenStackCluster,
    PublicImage,
    VolumeType,
)
from catalog.services import availability_zones as zones
from catalog.services import instance_families as families
from catalog.services import instance_types as types
from catalog.services import openstack_clusters as clusters
from catalog.services import public_images as images
from catalog.services import volume_types as volumes
from cycloud.core.aip.errors import (
    Aborted,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry
from cycloud.core.mirrors import Changed
from cycloud.core.reconcile.models import DueRow
from tests.factories.catalog import (
    AvailabilityZoneFactory,
    InstanceFamilyFactory,
    InstancePlacementFactory,
    OpenStackClusterFactory,
    PublicOpenStackImageFactory,
    VolumePlacementFactory,
)
from tests.factories.iam import OPERATOR

pytestmark = pytest.mark.django_db
USER = Actor("users/alice", roles={"p": Role.ADMIN})


@dataclass(frozen=True)
class Kind:
    model: Any
    create: Callable[..., Any]
    update: Callable[..., Any]
    delete: Callable[..., Any]
    data: Any
    # makes a row, and something that needs it
    in_use: Callable[[], Any]
    changes: dict[str, Any] = field(default_factory=lambda: {"display_name": "New"})


KINDS = {
    "zone": Kind(
        AvailabilityZone,
        zones.create_availability_zone,
        zones.update_availability_zone,
        zones.delete_availability_zone,
        zones.AvailabilityZoneInput("Old"),
        lambda: OpenStackClusterFactory.create().availability_zone,
    ),
    "family": Kind(
        InstanceFamily,
        families.create_instance_family,
        families.update_instance_family,
        families.delete_instance_family,
        families.InstanceFamilyInput("Old"),
        lambda: InstancePlacementFactory.create().instance_type.family,
    ),
    "instance type": Kind(
        InstanceType,
        types.create_instance_type,
        types.update_instance_type,
        types.delete_instance_type,
        types.InstanceTypeInput(
            "m7a", 2, 4096, placements=(types.InstancePlacementInput("gen7", "f"),)
        ),
        lambda: None,
    ),
    "volume type": Kind(
        VolumeType,
        volumes.create_volume_type,
        volumes.update_volume_type,
        volumes.delete_volume_type,
        volumes.VolumeTypeInput(
            placements=(volumes.VolumePlacementInput("gen7", "t", "shared", "h@b#p"),)
        ),
        lambda: None,
    ),
    "image": Kind(
        PublicImage,
        images.create_public_image,
        images.update_public_image,
        images.delete_public_image,
        images.PublicImageInput(provider_images=(images.ProviderImageInput("gen7", "i"),)),
        lambda: None,
    ),
    "cluster": Kind(
        OpenStackCluster,
        clusters.create_openstack_cluster,
        clusters.update_openstack_cluster,
        clusters.delete_openstack_cluster,
        clusters.OpenStackClusterInput("z1", "kvm-1", cloud_name="a"),
        lambda: VolumePlacementFactory.create().cluster,
    ),
}


@pytest.fixture(params=list(KINDS.values()), ids=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    zone = AvailabilityZoneFactory.create(resource_id="z1")
    OpenStackClusterFactory.create(resource_id="gen7", availability_zone=zone)
    InstanceFamilyFactory.create(resource_id="m7a")
    return request.param  # type: ignore[no-any-return]


def make(kind: Kind, **options: Any) -> Any:
    return kind.create(
        actor=OPERATOR, resource_id="new.1", data=kind.data, options=WriteOptions(**options)
    )


def test_each_write_is_audited_and_wakes_what_waits(kind: Kind) -> None:
    made = make(kind)
    key = f"{kind.model.kind}:{made.uid}"
    assert DueRow.objects.get(controller="catalog", key=key).sequence == 1
    kind.update(actor=OPERATOR, resource_id="new.1", changes=kind.changes)
    kind.delete(actor=OPERATOR, resource_id="new.1")
    assert not kind.model.objects.filter(resource_id="new.1").exists()
    assert DueRow.objects.get(controller="catalog", key=key).sequence == 3
    entries = AuditEntry.objects.order_by("pk").values_list("method", "resource_name")
    name = f"{kind.model.collection}/new.1"
    assert list(entries) == [
        (f"{verb}{kind.model.kind}", name) for verb in ("Create", "Update", "Delete")
    ]


def children_of(resource: Any) -> set[str]:
    """Return the placements, or ids in clusters, that belong to the resource."""
    relations = (getattr(resource, name, None) for name in ("placements", "provider_images"))
    return {f"{row} {row.provider_id}" for rows in relations if rows for row in rows.all()}


def test_an_update_changes_only_what_it_names(kind: Kind) -> None:
    made = make(kind)
    children = children_of(made)
    kind.update(actor=OPERATOR, resource_id="new.1", changes=kind.changes)
    changed = kind.model.objects.get(resource_id="new.1")
    assert (changed.display_name, changed.revision) == ("New", made.revision + 1)
    assert children_of(changed) == children


def test_users_may_not_write(kind: Kind) -> None:
    make(kind)
    for write in (
        lambda: kind.create(actor=USER, resource_id="other", data=kind.data),
        lambda: kind.update(actor=USER, resource_id="new.1", changes=kind.changes),
        lambda: kind.delete(actor=USER, resource_id="new.1"),
    ):
        with pytest.raises(PermissionDenied):
            write()
    assert kind.model.objects.get(resource_id="new.1").revision == 1


def test_an_id_is_used_once(kind: Kind) -> None:
    make(kind)
    with pytest.raises(AlreadyExists):
        make(kind)


def test_a_dry_run_keeps_nothing_and_shows_everything(kind: Kind) -> None:
    shown = make(kind, validate_only=True)
    assert shown.resource_id == "new.1"
    for relation in ("placements", "provider_images"):
        if hasattr(shown, relation):
            assert [row.cluster.resource_id for row in getattr(shown, relation).all()] == ["gen7"]
    assert not kind.model.objects.filter(resource_id="new.1").exists()
    assert not AuditEntry.objects.exists() and not DueRow.objects.exists()


def test_an_old_etag_is_refused(kind: Kind) -> None:
    old = WriteOptions(etag=make(kind).etag)
    kind.update(actor=OPERATOR, resource_id="new.1", changes=kind.changes, options=old)
    with pytest.raises(Aborted):
        kind.update(actor=OPERATOR, resource_id="new.1", changes=kind.changes, options=old)
    with pytest.raises(Aborted):
        kind.delete(actor=OPERATOR, resource_id="new.1", options=old)
    assert kind.model.objects.filter(resource_id="new.1").exists()


def test_what_an_object_elsewhere_declares_is_changed_only_from_there(kind: Kind) -> None:
    make(kind)
    there = WriteOptions(manager="things/new.1")
    kind.model.objects.update(managed_by=there.manager)
    for options in (WriteOptions(), WriteOptions(manager="things/new.2")):
        for write in (
            lambda options: kind.update(
                actor=OPERATOR, resource_id="new.1", changes=kind.changes, options=options
            ),
            lambda options: kind.delete(actor=OPERATOR, resource_id="new.1", options=options),
        ):
            with pytest.raises(FailedPrecondition) as refused:
                write(options)
            assert refused.value.reason == "MANAGED_BY_KUBERNETES"
    assert kind.model.objects.get(resource_id="new.1").revision == 1
    kind.update(actor=OPERATOR, resource_id="new.1", changes=kind.changes, options=there)
    assert kind.model.objects.get(resource_id="new.1").display_name == "New"
    kind.delete(actor=OPERATOR, resource_id="new.1", options=there)
    assert not kind.model.objects.filter(resource_id="new.1").exists()


@pytest.mark.parametrize("name", ["instance type", "volume type", "image", "cluster"])
def test_what_an_object_elsewhere_makes_is_marked(name: str) -> None:
    zone = AvailabilityZoneFactory.create(resource_id="z1")
    OpenStackClusterFactory.create(resource_id="gen7", availability_zone=zone)
    InstanceFamilyFactory.create(resource_id="m7a")
    made = make(KINDS[name], manager="things/new.1")
    assert KINDS[name].model.objects.get(pk=made.pk).managed_by == "things/new.1"


told: list[Changed] = []


def listen(changed: Sequence[Changed]) -> None:
    """Stands in for somebody who keeps copies."""
    told.extend(changed)


def test_who_keeps_copies_is_told_of_every_write_but_a_dry_run(kind: Kind, settings: Any) -> None:
    settings.CYCLOUD_MIRRORS = [f"{__name__}.listen"]
    told.clear()
    make(kind, validate_only=True)
    made = make(kind)
    kind.update(actor=OPERATOR, resource_id="new.1", changes=kind.changes)
    kind.delete(actor=OPERATOR, resource_id="new.1")
    assert told == [Changed(kind.model.kind, made.uid, f"{kind.model.collection}/new.1")] * 3


def test_what_is_not_there_and_what_cannot_be_changed_is_said(kind: Kind) -> None:
    with pytest.raises(NotFound):
        kind.update(actor=OPERATOR, resource_id="none", changes={})
    with pytest.raises(NotFound):
        kind.delete(actor=OPERATOR, resource_id="none")
    make(kind)
    for changes in ({"uid": "x"}, {"display_name": "a\tb"}):
        with pytest.raises(InvalidArgument):
            kind.update(actor=OPERATOR, resource_id="new.1", changes=changes)
    assert kind.model.objects.get(resource_id="new.1").revision == 1


@pytest.mark.parametrize("name", ["zone", "family", "cluster"])
def test_what_is_in_use_is_not_deleted(name: str) -> None:
    kind = KINDS[name]
    used = kind.in_use()
    with pytest.raises(FailedPrecondition) as caught:
        kind.delete(actor=OPERATOR, resource_id=used.resource_id)
    assert caught.value.reason == "IN_USE"
    assert kind.model.objects.filter(pk=used.pk).exists()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("instance type", {"family": "none"}),
        ("instance type", {"placements": (types.InstancePlacementInput("none", "f"),)}),
        ("instance type", {"placements": (types.InstancePlacementInput("gen7", "f", "z9"),)}),
        ("volume type", {"placements": (volumes.VolumePlacementInput("none", "t", "s", "h@b#p"),)}),
        ("image", {"provider_images": (images.ProviderImageInput("none", "i"),)}),
    ],
)
def test_what_is_referred_to_must_be_there(name: str, changes: dict[str, Any]) -> None:
    zone = AvailabilityZoneFactory.create(resource_id="z1")
    OpenStackClusterFactory.create(resource_id="gen7", availability_zone=zone)
    InstanceFamilyFactory.create(resource_id="m7a")
    make(KINDS[name])
    with pytest.raises(InvalidArgument, match=r"none|z9"):
        KINDS[name].update(actor=OPERATOR, resource_id="new.1", changes=changes)


def test_placements_are_replaced_as_a_whole_and_one_per_zone() -> None:
    InstanceFamilyFactory.create(resource_id="m7a")
    zone = AvailabilityZoneFactory.create()
    for name in ("gen7", "gen8"):
        OpenStackClusterFactory.create(resource_id=name, availability_zone=zone)
    OpenStackClusterFactory.create(resource_id="other")
    make(KINDS["instance type"])
    row = InstanceType.objects.get().placements.get()

    def replace_by(*ids: str) -> None:
        placements = tuple(types.InstancePlacementInput(name, f"flavor-{name}") for name in ids)
        types.update_instance_type(
            actor=OPERATOR, resource_id="new.1", changes={"placements": placements}
        )

    replace_by("gen8", "other")
    placements = {p.cluster.resource_id: p for p in InstanceType.objects.get().placements.all()}
    assert placements.keys() == {"gen8", "other"}
    # in the same zone the row stays and names the other cluster
    assert placements["gen8"].pk == row.pk
    with pytest.raises(InvalidArgument, match="two entries for the zone"):
        replace_by("gen7", "gen8")
    assert InstanceType.objects.get().placements.count() == 2
    replace_by()
    assert not InstanceType.objects.get().placements.exists()


def test_an_image_can_leave_a_cluster() -> None:
    row = PublicOpenStackImageFactory.create()
    images.update_public_image(
        actor=OPERATOR,
        resource_id=row.public_image.resource_id,
        changes={"provider_images": ()},
    )
    assert not row.public_image.provider_images.exists()
