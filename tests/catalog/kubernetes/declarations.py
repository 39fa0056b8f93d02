"""What operators may declare in objects of the catalog, and the world that it refers to."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from hypothesis import strategies as st

from catalog.kubernetes.instance_types import InstanceTypeKind
from catalog.kubernetes.openstack_clusters import OpenStackClusterKind
from catalog.kubernetes.public_images import PublicImageKind
from catalog.kubernetes.volume_types import VolumeTypeKind
from cycloud.core.iam.actor import system_actor
from cycloud.kubernetes.kinds import Intake, Json, Manifest, TakenIn
from tests.factories.catalog import AvailabilityZoneFactory, OpenStackClusterFactory

CLUSTERS = OpenStackClusterKind()
INSTANCE_TYPES = InstanceTypeKind()
VOLUME_TYPES = VolumeTypeKind()
IMAGES = PublicImageKind()
KINDS: dict[str, TakenIn] = {
    kind.api.kind: kind for kind in (CLUSTERS, INSTANCE_TYPES, VOLUME_TYPES, IMAGES)
}
# each with its zone
WHERE = {"gen7": "z1", "gen8": "z1", "west": "z2"}
MIB = 1024 * 1024


def make_world() -> None:
    """Make two zones, one of them with two clusters."""
    zones = {name: AvailabilityZoneFactory.create(resource_id=name) for name in ("z1", "z2")}
    for cluster, zone in WHERE.items():
        OpenStackClusterFactory.create(resource_id=cluster, availability_zone=zones[zone])


@contextmanager
def undone() -> Iterator[None]:
    """One example of many in one test: the next one finds the database as this one did."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def name_of(kind: TakenIn, resource_id: str = "new.1") -> str:
    return f"{kind.collection}/{resource_id}"


def intake_of(kind: TakenIn, resource_id: str = "new.1") -> Intake:
    return Intake(system_actor("kubernetes"), manager=f"{kind.api.plural}/{resource_id}")


def take(kind: TakenIn, spec: Json, resource_id: str = "new.1") -> None:
    with transaction.atomic():
        kind.take(intake_of(kind, resource_id), name_of(kind, resource_id), {"spec": spec})


def shown(kind: TakenIn, resource_id: str = "new.1") -> Manifest | None:
    name = name_of(kind, resource_id)
    return kind.manifests([name]).get(name)


def reference(cluster: str) -> Json:
    return {"kind": "OpenStackCluster", "name": cluster}


_texts = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=20)
_provider_ids = st.from_regex(r"[!-~]{1,20}", fullmatch=True)


def _sizes(gib: int) -> st.SearchStrategy[str]:
    ways = [f"{gib}Gi", f"{gib * 1024}Mi"]
    return st.sampled_from([*ways, f"{gib // 1024}Ti"] if gib % 1024 == 0 else ways)


def cluster_spec(**fixed: Any) -> st.SearchStrategy[Json]:
    microversions = st.sampled_from(["", "2.1", "3.59"])
    return st.fixed_dictionaries(
        {
            "availabilityZone": st.just("z1"),
            "controllerName": st.sampled_from(["kvm-1", "kvm-2"]),
            "cloudCredentials": st.fixed_dictionaries(
                {"name": st.sampled_from(["cloud-a", "cloud-b"])},
                optional={"kind": st.just("CloudsYAML")},
            ),
            **{name: st.just(value) for name, value in fixed.items()},
        },
        optional={
            "displayName": _texts,
            "state": st.sampled_from(["Active", "Cordoned", "Draining"]),
            "regionName": _texts,
            "computeMicroversion": microversions,
            "blockStorageMicroversion": microversions,
            "serverAvailabilityZone": _texts,
            "managesNetworks": st.booleans(),
            "rabbitMQConfig": st.just({"name": "events"}),
        },
    )


def instance_type_spec() -> st.SearchStrategy[Json]:
    """A zone has one cluster at most."""
    items = st.lists(
        st.sampled_from(sorted(WHERE)).flatmap(
            lambda cluster: st.fixed_dictionaries(
                {
                    "name": st.just(WHERE[cluster]),
                    "computeCluster": st.just(reference(cluster)),
                    "providerID": _provider_ids,
                }
            )
        ),
        unique_by=lambda item: str(item["name"]),
    )
    return st.fixed_dictionaries(
        {
            "cpuInfo": st.fixed_dictionaries({"vcpus": st.integers(1, 1024)}),
            "memoryInfo": st.integers(1, 64 * MIB).map(lambda mib: {"sizeBytes": mib * MIB}),
            "availabilityZones": items,
        },
        optional={"displayName": _texts, "instanceFamily": st.sampled_from(["m8a", "c9"])},
    )


@st.composite
def volume_type_spec(draw: st.DrawFn) -> Json:
    granularity = draw(st.sampled_from([1, 2, 8]))
    minimum = draw(st.integers(1, 64)) * granularity
    maximum = minimum + draw(st.integers(0, 1024)) * granularity
    clusters = draw(st.lists(st.sampled_from(sorted(WHERE)), unique=True))
    return {
        **draw(st.fixed_dictionaries({}, optional={"displayName": _texts})),
        "minimumSize": draw(_sizes(minimum)),
        "maximumSize": draw(_sizes(maximum)),
        "granularity": draw(_sizes(granularity)),
        "retentionSeconds": draw(st.integers(0, 10**8)),
        "availabilityZones": [
            {
                "name": WHERE[cluster],
                "computeCluster": reference(cluster),
                "providerID": draw(_provider_ids),
                "providerType": draw(_provider_ids),
                "backendHost": "host@backend#pool",
            }
            for cluster in clusters
        ],
    }


@st.composite
def image_spec(draw: st.DrawFn) -> Json:
    clusters = draw(st.lists(st.sampled_from(sorted(WHERE)), unique=True))
    return {
        **draw(st.fixed_dictionaries({}, optional={"displayName": _texts})),
        "minimumSize": draw(st.integers(1, 16384).flatmap(_sizes)),
        "images": [
            {"computeCluster": reference(cluster), "providerID": draw(_provider_ids)}
            for cluster in clusters
        ],
    }


SPECS: dict[str, st.SearchStrategy[Json]] = {
    "OpenStackCluster": cluster_spec(),
    "InstanceType": instance_type_spec(),
    "VolumeType": volume_type_spec(),
    "PublicImage": image_spec(),
}
# the least of each kind
PLAIN: dict[str, Json] = {
    "OpenStackCluster": {
        "availabilityZone": "z1",
        "controllerName": "kvm-1",
        "cloudCredentials": {"kind": "CloudsYAML", "name": "cloud-a"},
    },
    "InstanceType": {
        "cpuInfo": {"vcpus": 2},
        "memoryInfo": {"sizeBytes": 4096 * MIB},
        "availabilityZones": [
            {"name": "z1", "computeCluster": reference("gen7"), "providerID": "flavor-1"}
        ],
    },
    "VolumeType": {
        "minimumSize": "1Gi",
        "maximumSize": "1Ti",
        "granularity": "1Gi",
        "retentionSeconds": 60,
        "availabilityZones": [
            {
                "name": "z1",
                "computeCluster": reference("gen7"),
                "providerID": "type-1",
                "providerType": "shared",
                "backendHost": "h@b#p",
            }
        ],
    },
    "PublicImage": {
        "minimumSize": "10Gi",
        "images": [{"computeCluster": reference("gen7"), "providerID": "image-1"}],
    },
}
