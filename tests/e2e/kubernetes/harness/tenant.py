"""A project of a suite: its namespace, its network, and the service account as which its objects are taken in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compute.models import Instance
from compute.services.instance_input import InlineNetworkInterface, InlineVolume, InstanceInput
from compute.services.instances import create_instance
from cycloud.core.iam.actor import Actor, Role, system_actor
from cycloud.core.iam.models import Membership, Project, ServiceAccount
from cycloud.kubernetes.models import NamespaceBinding
from networking.services.subnets import SubnetInput, create_subnet
from networking.services.vpcs import VpcInput, create_vpc
from tests.e2e.kubernetes.harness.api import GROUPS, Api
from tests.e2e.kubernetes.harness.kubectl import Kubectl
from tests.e2e.kubernetes.harness.server import ApiServer

Json = dict[str, Any]


@dataclass(frozen=True)
class Offer:
    """What the catalog has, by the names that the suites use."""

    zone: str
    image: str
    volume_type: str
    short_volume_type: str
    small_in_a: str = "m7a.small"
    small_in_b: str = "m8a.small"


@dataclass(frozen=True)
class Tenant:
    """``api`` and ``kubectl`` are an administrator's in the namespace; ``actor`` is an editor over the API."""

    project_id: str
    namespace: str
    offer: Offer
    api: Api
    kubectl: Kubectl
    actor: Actor

    @property
    def parent(self) -> str:
        return f"projects/{self.project_id}"

    # -- manifests, as a person writes them

    def volume(self, name: str, *, size: str = "1Gi", boot: bool = False, **spec: Any) -> Json:
        image = {"image": self.offer.image} if boot else {}
        base = {
            "volumeType": self.offer.volume_type,
            "availabilityZone": self.offer.zone,
            "size": size,
        }
        return self.manifest("volumes", "Volume", name, {**base, **image, **spec})

    def interface(self, name: str, address: str = "", **spec: Any) -> Json:
        fixed = {"ipAddress": address} if address else {}
        return self.manifest(
            "networkinterfaces", "NetworkInterface", name, {"subnet": "main", **fixed, **spec}
        )

    def instance(self, name: str, **spec: Any) -> Json:
        """An instance with the volumes ``<name>-root``, ``<name>-data`` and the interface ``<name>``."""
        base: Json = {
            "instanceType": self.offer.small_in_a,
            "availabilityZone": self.offer.zone,
            "volumeAttachments": [
                {"deviceIndex": 0, "volumeName": f"{name}-root"},
                {"deviceIndex": 1, "volumeName": f"{name}-data"},
            ],
            "networkInterfaceAttachments": [{"deviceIndex": 0, "networkInterfaceID": name}],
        }
        return self.manifest("instances", "Instance", name, {**base, **spec})

    def folder(self, name: str, address: str = "", **spec: Any) -> list[Json]:
        """An instance and all that it needs, the instance first: the order must not matter."""
        return [
            self.instance(name, **spec),
            self.volume(f"{name}-root", boot=True),
            self.volume(f"{name}-data"),
            self.interface(name, address),
        ]

    def manifest(self, plural: str, kind: str, name: str, spec: Mapping[str, Any]) -> Json:
        return {
            "apiVersion": f"{GROUPS[plural]}/v1",
            "kind": kind,
            "metadata": {"name": name, "namespace": self.namespace},
            "spec": dict(spec),
        }

    # -- over the API

    def create_instance(self, name: str, **changes: Any) -> Instance:
        """Make an instance of the same shape through the services."""
        offer = self.offer
        data: dict[str, Any] = {
            "instance_type": offer.small_in_a,
            "availability_zone": offer.zone,
            "volumes": (
                InlineVolume(offer.volume_type, 1, image=offer.image, volume_id=f"{name}-root"),
                InlineVolume(offer.volume_type, 1, volume_id=f"{name}-data"),
            ),
            "network_interfaces": (InlineNetworkInterface("main"),),
        }
        written = create_instance(
            actor=self.actor,
            project_id=self.project_id,
            data=InstanceInput(**{**data, **changes}),
            instance_id=name,
        )
        assert written.resource is not None
        return written.resource


def make_tenant(
    server: ApiServer,
    offer: Offer,
    project_id: str,
    *,
    cidr: str = "10.0.1.0/24",
    bound: bool = True,
) -> Tenant:
    """Make a project with a subnet ``main``; ``bound``: what is applied in its namespace is taken in."""
    operator = system_actor("suites")
    project = Project.objects.create(resource_id=project_id)
    account = ServiceAccount.objects.create(project=project, resource_id="gitops")
    Membership.objects.create(project=project, service_account=account, role=Role.EDITOR)
    namespace = f"cycloud-{project_id}"
    NamespaceBinding.objects.create(
        project=project, namespace=namespace, service_account=account if bound else None
    )
    create_vpc(actor=operator, project_id=project_id, data=VpcInput(), vpc_id="main")
    data = SubnetInput(vpc="main", availability_zone=offer.zone, cidr=cidr)
    create_subnet(actor=operator, project_id=project_id, data=data, subnet_id="main")
    return Tenant(
        project_id,
        namespace,
        offer,
        Api(server, namespace),
        Kubectl(server, namespace),
        Actor("users/dev", roles={project_id: Role.EDITOR}),
    )
