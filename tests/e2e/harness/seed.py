"""Fills a new portal for the suites. ``main`` runs inside the portal (``manage.py shell -c``).

Catalog and network go through the services, as an operator's writes do. The provider's own ids are
facts that the suite looked up in the clouds.
"""

import json
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from catalog.services import (
    availability_zones,
    instance_families,
    instance_types,
    openstack_clusters,
    public_images,
    volume_types,
)
from cycloud.core.iam.actor import Actor, Role, system_actor
from cycloud.core.iam.models import ApiToken, Membership, Project, User
from cycloud.core.iam.tokens import PREFIX_LENGTH, digest_of, new_secret
from networking.services import subnets, vpcs

ZONE = "apne1a"
PROJECT = "suite"
PARENT = f"projects/{PROJECT}"
SUBNET, CIDR = "suite-subnet", "10.0.1.0/24"
IMAGE = "ubuntu-24.04"
VOLUME_TYPE, SHORT_VOLUME_TYPE = "cgp1", "cgp1-short"
PROVIDER_TYPE = "shared"
# the suites clean up after themselves, and may not wait a week for it
SOON_SECONDS = 1


@dataclass(frozen=True)
class CloudFacts:
    """What an operator enters about one cloud. ``flavors``: name -> (id, vCPUs, MiB)."""

    name: str
    family: str
    flavors: dict[str, tuple[str, int, int]]
    volume_type_id: str
    backend_host: str
    image_id: str

    @property
    def cluster(self) -> str:
        return f"cluster-{self.name}"

    @property
    def controller_name(self) -> str:
        return f"kvm-{self.name}"


@dataclass(frozen=True)
class Facts:
    """Everything that ``main`` needs; ``short_retention_seconds`` is for tests of purging."""

    clouds: tuple[CloudFacts, ...]
    short_retention_seconds: int

    def dump(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def load(cls, path: Path) -> "Facts":
        data = json.loads(path.read_text())
        clouds = tuple(CloudFacts(**cloud) for cloud in data["clouds"])
        return cls(clouds, data["short_retention_seconds"])


def main(path: str) -> None:
    """Seed the portal and print tokens as JSON: {"user": ..., "operator": ...}."""
    facts = Facts.load(Path(path))
    actor = system_actor("suite")
    seed_catalog(actor, facts)
    tokens = _seed_people()
    _seed_network(actor)
    print(json.dumps(tokens))


def seed_catalog(actor: Actor, facts: Facts) -> None:
    """Fill the catalog with both clouds, as an operator would enter them."""
    availability_zones.create_availability_zone(
        actor=actor, resource_id=ZONE, data=availability_zones.AvailabilityZoneInput(ZONE)
    )
    for cloud in facts.clouds:
        _seed_cluster(actor, cloud)
    for name, retention in (
        (VOLUME_TYPE, SOON_SECONDS),
        (SHORT_VOLUME_TYPE, facts.short_retention_seconds),
    ):
        _seed_volume_type(actor, facts, name, retention)
    images = tuple(public_images.ProviderImageInput(c.cluster, c.image_id) for c in facts.clouds)
    public_images.create_public_image(
        actor=actor,
        resource_id=IMAGE,
        data=public_images.PublicImageInput(provider_images=images),
    )


def _seed_cluster(actor: Actor, cloud: CloudFacts) -> None:
    openstack_clusters.create_openstack_cluster(
        actor=actor,
        resource_id=cloud.cluster,
        data=openstack_clusters.OpenStackClusterInput(
            availability_zone=ZONE,
            controller_name=cloud.controller_name,
            cloud_name=cloud.name,
            manages_networks=True,
        ),
    )
    instance_families.create_instance_family(
        actor=actor,
        resource_id=cloud.family,
        data=instance_families.InstanceFamilyInput(cloud.family),
    )
    for name, (flavor, vcpus, memory) in cloud.flavors.items():
        placement = instance_types.InstancePlacementInput(cloud.cluster, flavor, ZONE)
        instance_types.create_instance_type(
            actor=actor,
            resource_id=name,
            data=instance_types.InstanceTypeInput(
                family=cloud.family, vcpus=vcpus, memory_mib=memory, placements=(placement,)
            ),
        )


def _seed_volume_type(actor: Actor, facts: Facts, name: str, retention_seconds: int) -> None:
    placements = tuple(
        volume_types.VolumePlacementInput(
            cloud.cluster, cloud.volume_type_id, PROVIDER_TYPE, cloud.backend_host
        )
        for cloud in facts.clouds
    )
    volume_types.create_volume_type(
        actor=actor,
        resource_id=name,
        data=volume_types.VolumeTypeInput(
            maximum_gib=100, retention_seconds=retention_seconds, placements=placements
        ),
    )


def _seed_people() -> dict[str, str]:
    project = Project.objects.create(resource_id=PROJECT)
    user = User.objects.create_user("suite-user")
    Membership.objects.create(project=project, user=user, role=Role.EDITOR)
    operator = User.objects.create_superuser("suite-operator")
    return {"user": _new_token(user), "operator": _new_token(operator)}


def _new_token(user: User) -> str:
    secret = new_secret()
    ApiToken.objects.create(
        user=user,
        display_name="suite",
        prefix=secret[:PREFIX_LENGTH],
        digest=digest_of(secret),
        expire_time=timezone.now() + timedelta(days=1),
    )
    return secret


def _seed_network(actor: Actor) -> None:
    vpcs.create_vpc(
        actor=actor, project_id=PROJECT, vpc_id="suite-vpc", data=vpcs.VpcInput("suite")
    )
    data = subnets.SubnetInput(vpc="suite-vpc", availability_zone=ZONE, cidr=CIDR)
    subnets.create_subnet(actor=actor, project_id=PROJECT, subnet_id=SUBNET, data=data)
