"""The catalog of the embedded portal: one zone, a hardware generation per simulated cloud.

The ids of flavors, volume types and images are read once, from the simulator's own state, and kept in
the catalog, as an operator would enter them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from catalog.selectors.clusters import get_cluster
from catalog.services.availability_zones import AvailabilityZoneInput, create_availability_zone
from catalog.services.instance_families import InstanceFamilyInput, create_instance_family
from catalog.services.instance_types import (
    InstancePlacementInput,
    InstanceTypeInput,
    create_instance_type,
)
from catalog.services.openstack_clusters import (
    OpenStackClusterInput,
    create_openstack_cluster,
    update_openstack_cluster,
)
from catalog.services.public_images import (
    ProviderImageInput,
    PublicImageInput,
    create_public_image,
)
from catalog.services.volume_types import (
    VolumePlacementInput,
    VolumeTypeInput,
    create_volume_type,
)
from cycloud.core.aip.errors import AlreadyExists
from cycloud.core.iam.actor import Actor
from cycloud.simulator.cloud import Cloud
from cycloud.simulator.site import Site

__all__ = ["IMAGE", "SHORT_VOLUME_TYPE", "VOLUME_TYPE", "ZONE", "seed_catalog"]

ZONE = "apne1a"
IMAGE = "ubuntu-24.04"
VOLUME_TYPE = "cgp1"
SHORT_VOLUME_TYPE = "cgp1-short"
SIZES = ("small", "medium", "large")
WEEK_SECONDS = 7 * 24 * 3600
# long enough to undelete by hand, short enough to watch a purge
SHORT_SECONDS = 120
# the simulated storage that both clouds share
BACKEND = "shared"


@dataclass(frozen=True)
class Generation:
    """A hardware generation: the cluster that is it, the simulated cloud behind that, and its family."""

    cluster: str
    cloud: str
    family: str
    display_name: str

    @property
    def controller_name(self) -> str:
        return f"kvm-{self.cluster}"


GENERATIONS = (
    Generation("gen7", "a", "m7a", "General purpose, 7th generation"),
    Generation("gen8", "b", "m8a", "General purpose, 8th generation"),
)


def seed_catalog(actor: Actor, site: Site, auth_url: Callable[[str], str]) -> Iterator[str]:
    """Make what is missing and yield the name of each thing made.

    What is there stays as it is, also where an operator changed it; only a cluster's address follows the
    simulator.
    """
    yield from _create(
        f"availabilityZones/{ZONE}",
        lambda: create_availability_zone(
            actor=actor, resource_id=ZONE, data=AvailabilityZoneInput("Tokyo, building A")
        ),
    )
    for generation in GENERATIONS:
        cloud = site.clouds[generation.cloud]
        yield from _seed_cluster(actor, site, generation, auth_url(generation.cloud))
        yield from _seed_instance_types(actor, cloud, generation)
    clouds = {generation.cluster: site.clouds[generation.cloud] for generation in GENERATIONS}
    yield from _seed_volume_type(actor, clouds, VOLUME_TYPE, "General purpose SSD", WEEK_SECONDS)
    yield from _seed_volume_type(
        actor, clouds, SHORT_VOLUME_TYPE, "Deleted data is kept for two minutes", SHORT_SECONDS
    )
    yield from _create(
        f"publicImages/{IMAGE}",
        lambda: create_public_image(
            actor=actor,
            resource_id=IMAGE,
            data=PublicImageInput(
                display_name="Ubuntu 24.04 LTS",
                provider_images=tuple(
                    ProviderImageInput(cluster, cloud.image_id(IMAGE))
                    for cluster, cloud in clouds.items()
                ),
            ),
        ),
    )


def _seed_cluster(actor: Actor, site: Site, generation: Generation, auth_url: str) -> Iterator[str]:
    yield from _create(
        f"openStackClusters/{generation.cluster}",
        lambda: create_openstack_cluster(
            actor=actor,
            resource_id=generation.cluster,
            data=OpenStackClusterInput(
                availability_zone=ZONE,
                controller_name=generation.controller_name,
                display_name=generation.display_name,
                auth_url=auth_url,
                username="cycloud",
                password=site.password,
                project_name="cycloud",
                manages_networks=True,
            ),
        ),
    )
    cluster = get_cluster(generation.cluster)
    if cluster.auth_url and cluster.auth_url != auth_url:
        # the simulator listens on another port this time
        update_openstack_cluster(
            actor=actor, resource_id=generation.cluster, changes={"auth_url": auth_url}
        )
        yield f"openStackClusters/{generation.cluster} (new address)"


def _seed_instance_types(actor: Actor, cloud: Cloud, generation: Generation) -> Iterator[str]:
    family = generation.family
    yield from _create(
        f"instanceFamilies/{family}",
        lambda: create_instance_family(
            actor=actor, resource_id=family, data=InstanceFamilyInput(generation.display_name)
        ),
    )
    for size in SIZES:
        name = f"{family}.{size}"
        flavor = cloud.flavors[cloud.flavor_id(name)]
        data = InstanceTypeInput(
            family=family,
            vcpus=flavor.vcpus,
            memory_mib=flavor.ram,
            placements=(InstancePlacementInput(generation.cluster, flavor.id, ZONE),),
        )
        yield from _create(
            f"instanceTypes/{name}",
            partial(create_instance_type, actor=actor, resource_id=name, data=data),
        )


def _seed_volume_type(
    actor: Actor, clouds: dict[str, Cloud], name: str, display_name: str, retention_seconds: int
) -> Iterator[str]:
    data = VolumeTypeInput(
        maximum_gib=1024,
        retention_seconds=retention_seconds,
        display_name=display_name,
        placements=tuple(
            VolumePlacementInput(
                cluster,
                cloud.volume_type_id(BACKEND),
                BACKEND,
                next(pool for pool in cloud.pools() if pool.endswith(f"#{BACKEND}")),
            )
            for cluster, cloud in clouds.items()
        ),
    )
    yield from _create(
        f"volumeTypes/{name}",
        lambda: create_volume_type(actor=actor, resource_id=name, data=data),
    )


def _create(name: str, create: Callable[[], object]) -> Iterator[str]:
    try:
        create()
    except AlreadyExists:
        return
    yield name
