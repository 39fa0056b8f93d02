"""Reading VPCs, subnets and network interfaces. Every list has a constant number of queries."""

from typing import TypeVar
from uuid import UUID

from django.db.models import QuerySet, Sum
from django.db.models.functions import Coalesce

from catalog.selectors.clusters import OpenStackCluster
from cycloud.core.aip.errors import NotFound
from cycloud.core.iam.access import in_projects, project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.resources.models import ProjectResource
from networking.models import VPC, FreeRange, NetworkInterface, OpenStackSubnet, Subnet

__all__ = [
    "VPC",
    "NetworkInterface",
    "OpenStackSubnet",
    "Subnet",
    "count_free_addresses",
    "find_network_interface",
    "get_network_interface",
    "get_subnet",
    "get_vpc",
    "list_network_interfaces",
    "list_subnets",
    "list_vpcs",
    "subnet_in_cluster",
]

R = TypeVar("R", bound=ProjectResource)


def list_vpcs(*, actor: Actor, project_id: str) -> QuerySet[VPC]:
    """Return the VPCs of a project (``-``: of all) by id; raise NotFound for who is no member."""
    wanted = in_projects(actor, project_id, "networking.vpcs.list")
    return _vpcs().filter(wanted).order_by("resource_id")


def get_vpc(*, actor: Actor, project_id: str, vpc_id: str) -> VPC:
    """Return the VPC; raise NotFound."""
    project = project_for(actor, project_id, "networking.vpcs.get")
    return _one(_vpcs(), project, vpc_id)


def list_subnets(*, actor: Actor, project_id: str) -> QuerySet[Subnet]:
    """Return the subnets of a project (``-``: of all) by id, with VPC and zone; raise NotFound for who is no member."""
    wanted = in_projects(actor, project_id, "networking.subnets.list")
    return _subnets().filter(wanted).order_by("resource_id")


def get_subnet(*, actor: Actor, project_id: str, subnet_id: str) -> Subnet:
    """Return the subnet; raise NotFound."""
    project = project_for(actor, project_id, "networking.subnets.get")
    return _one(_subnets(), project, subnet_id)


def list_network_interfaces(*, actor: Actor, project_id: str) -> QuerySet[NetworkInterface]:
    """Return the interfaces of a project (``-``: of all) by id, with subnet, zone and the instance each is attached to.

    The instance is ``interface.attachment.instance``; an interface that is not attached has no
    ``attachment`` (``hasattr`` tells). Raises NotFound for who is no member.
    """
    wanted = in_projects(actor, project_id, "networking.networkInterfaces.list")
    return _interfaces().filter(wanted).order_by("resource_id")


def get_network_interface(
    *, actor: Actor, project_id: str, network_interface_id: str
) -> NetworkInterface:
    """Return the interface; raise NotFound."""
    project = project_for(actor, project_id, "networking.networkInterfaces.get")
    return _one(_interfaces(), project, network_interface_id)


def find_network_interface(uid: UUID | str) -> NetworkInterface | None:
    """Return the interface by its uid, if it is still there. For controllers."""
    return _interfaces().filter(uid=uid).first()


def subnet_in_cluster(subnet: Subnet, cluster: OpenStackCluster) -> OpenStackSubnet | None:
    """Return which network and subnet it is in the cluster, if that is known. For controllers."""
    return (
        OpenStackSubnet.objects.select_related("subnet", "cluster")
        .filter(subnet=subnet, cluster=cluster)
        .first()
    )


def count_free_addresses(subnet: Subnet) -> int:
    """Return how many addresses can still be given out."""
    total = FreeRange.objects.filter(subnet=subnet).aggregate(
        total=Coalesce(Sum("last") - Sum("first"), 0)
    )["total"]
    return int(total) + FreeRange.objects.filter(subnet=subnet).count()


def _vpcs() -> QuerySet[VPC]:
    return VPC.objects.select_related("project")


def _subnets() -> QuerySet[Subnet]:
    return Subnet.objects.select_related("project", "vpc__project", "availability_zone")


def _interfaces() -> QuerySet[NetworkInterface]:
    return NetworkInterface.objects.select_related(
        "project",
        "subnet__project",
        "subnet__availability_zone",
        "subnet__vpc",
        "attachment__instance__project",
    )


def _one(rows: QuerySet[R], project: Project, resource_id: str) -> R:
    resource = rows.filter(project=project, resource_id=resource_id).first()
    if resource is None:
        model = rows.model
        raise NotFound(
            f"There is no {model.kind} {project.name}/{model.collection}/{resource_id[:80]}. "
            f"List {project.name}/{model.collection} to see what is there.",
            resource=f"{project.name}/{model.collection}/{resource_id[:80]}",
        )
    return resource
