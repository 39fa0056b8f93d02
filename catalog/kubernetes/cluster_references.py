"""Lists in which each item names a cluster: ``computeCluster: {kind: OpenStackCluster, name: gen8}``."""

from collections.abc import Sequence
from typing import Protocol

from catalog.kubernetes.apis import OPENSTACK_CLUSTER
from catalog.models import OpenStackCluster
from cycloud.core.aip.body import Body
from cycloud.core.aip.errors import InvalidArgument
from cycloud.kubernetes.kinds import Json

__all__ = ["ZonedPlacement", "check_clusters", "check_zones", "cluster_reference", "read_cluster"]


class _Placement(Protocol):
    @property
    def cluster(self) -> str: ...


class ZonedPlacement(_Placement, Protocol):
    """A placement that names the zone of its cluster, too."""

    @property
    def availability_zone(self) -> str: ...


def cluster_reference(cluster: OpenStackCluster) -> Json:
    """Return the reference to a cluster."""
    return {"kind": OPENSTACK_CLUSTER.kind, "name": cluster.resource_id}


def read_cluster(item: Body) -> str:
    """Return the id of the cluster that an item names; raise InvalidArgument for another kind."""
    reference = item.inner("computeCluster")
    if reference is None:
        raise InvalidArgument.field(
            item.where("computeCluster"), "is missing; it is required.", "REQUIRED"
        )
    kind = reference.text("kind", OPENSTACK_CLUSTER.kind)
    if kind != OPENSTACK_CLUSTER.kind:
        raise InvalidArgument.field(
            reference.where("kind"),
            f"{kind[:80]!r} is not a kind of clusters here. Use {OPENSTACK_CLUSTER.kind}.",
        )
    return reference.text("name")


def check_clusters(placements: Sequence[_Placement], field: str) -> dict[str, OpenStackCluster]:
    """Return the clusters by id; raise InvalidArgument (REFERENCE_NOT_FOUND) for the item whose cluster is missing.

    ``field`` is the list, such as ``spec.images``. The manifest of a cluster may come later than what refers to it.
    """
    found = {
        cluster.resource_id: cluster
        for cluster in OpenStackCluster.objects.select_related("availability_zone").filter(
            resource_id__in={placement.cluster for placement in placements}
        )
    }
    for index, placement in enumerate(placements):
        if placement.cluster not in found:
            raise InvalidArgument.field(
                f"{field}[{index}].computeCluster.name",
                f"there is no {OPENSTACK_CLUSTER.kind} {placement.cluster[:80]!r} yet. Apply it, or correct the name.",
                "REFERENCE_NOT_FOUND",
            )
    return found


def check_zones(placements: Sequence[ZonedPlacement], field: str) -> None:
    """Raise InvalidArgument for the item that names a cluster which is missing, or is in another zone."""
    clusters = check_clusters(placements, field)
    for index, placement in enumerate(placements):
        zone = clusters[placement.cluster].availability_zone.resource_id
        if placement.availability_zone != zone:
            raise InvalidArgument.field(
                f"{field}[{index}].name",
                f"the cluster {placement.cluster} is in {zone}, not in {placement.availability_zone[:80]}.",
            )
