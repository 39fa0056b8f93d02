"""Two simulated clouds with a catalog, a project and a subnet over them; what a compute test stands on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from catalog.models import OpenStackCluster
from catalog.selectors.clusters import get_cluster, list_clusters
from compute.models import Instance, Volume, VolumeBinding
from compute.services.instance_input import InlineNetworkInterface, InlineVolume, InstanceInput
from compute.services.instances import create_instance
from cycloud.core.iam.actor import Actor, Role, system_actor
from cycloud.core.iam.models import Project
from cycloud.embedded.seed_catalog import IMAGE, VOLUME_TYPE, ZONE, seed_catalog
from cycloud.openstack.limits import ClusterLimits, set_limits
from cycloud.openstack.sessions import forget_clients
from cycloud.simulator.cloud import Cloud
from cycloud.simulator.server import SimulatorServer
from cycloud.simulator.site import Site
from networking.services.subnets import SubnetInput, create_subnet
from networking.services.vpcs import VpcInput, create_vpc
from tests.support.engine import Clock, describe, settle

PROJECT = "demo"


@dataclass
class Clouds:
    """``a`` holds the family m7a, ``b`` m8a."""

    site: Site
    server: SimulatorServer
    clock: Clock
    actor: Actor = field(default_factory=lambda: Actor("users/dev", roles={PROJECT: Role.EDITOR}))

    @property
    def a(self) -> Cloud:
        return self.site.clouds["a"]

    @property
    def b(self) -> Cloud:
        return self.site.clouds["b"]

    def settle(self, seconds: float = 120.0) -> int:
        return settle(self.clock, seconds=seconds)

    def cluster(self, cloud: str) -> OpenStackCluster:
        return get_cluster({"a": "gen7", "b": "gen8"}[cloud])

    def create(self, instance_id: str = "web-1", **changes: Any) -> Instance:
        spec: dict[str, Any] = {
            "instance_type": "m7a.small",
            "availability_zone": ZONE,
            "volumes": (
                InlineVolume(VOLUME_TYPE, 10, image=IMAGE, volume_id=f"{instance_id}-root"),
                InlineVolume(VOLUME_TYPE, 20, volume_id=f"{instance_id}-data"),
            ),
            "network_interfaces": (InlineNetworkInterface("main", "10.0.1.23"),),
        }
        written = create_instance(
            actor=self.actor,
            project_id=PROJECT,
            data=InstanceInput(**{**spec, **changes}),
            instance_id=instance_id,
        )
        assert written.resource is not None
        return written.resource

    def ready_reason(self, instance: Instance) -> str:
        instance.refresh_from_db()
        ready = instance.ready
        return f"{ready.status}/{ready.reason}: {ready.message}" if ready else "none"

    def running(self, instance_id: str = "web-1", **changes: Any) -> Instance:
        """An instance that runs in its cloud."""
        instance = self.create(instance_id, **changes)
        self.settle()
        instance.refresh_from_db()
        assert instance.is_ready, f"{self.ready_reason(instance)}\n{describe()}"
        return instance

    def object_of(self, volume: Volume) -> str:
        """The name of the volume's object in the storage."""
        return VolumeBinding.objects.get(volume_uid=volume.uid).backend_reference


@contextmanager
def simulated_clouds(clock: Clock) -> Iterator[Clouds]:
    """Clouds on a free port of loopback, with the seed's catalog; the site's clock is the test's."""
    site = Site(clock=clock.timestamp)
    forget_clients()
    with SimulatorServer(site) as server:
        operator = system_actor("test")
        for _ in seed_catalog(operator, site, server.auth_url):
            pass
        for cluster in list_clusters():
            limits = ClusterLimits(calls_per_second=1e6, burst=10**6, clock=clock.timestamp)
            set_limits(str(cluster.uid), limits)
        Project.objects.create(resource_id=PROJECT)
        create_vpc(actor=operator, project_id=PROJECT, data=VpcInput(), vpc_id="main")
        create_subnet(
            actor=operator,
            project_id=PROJECT,
            data=SubnetInput(vpc="main", availability_zone=ZONE, cidr="10.0.1.0/24"),
            subnet_id="main",
        )
        yield Clouds(site, server, clock)
    forget_clients()
