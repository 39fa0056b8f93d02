"""Ports as they are to exist in clusters, as custom resources for operators."""

from django.db.models import QuerySet

from compute.kubernetes.apis import OPENSTACK_NETWORK_INTERFACE
from compute.models import OpenStackNetworkInterface
from cycloud.kubernetes.kinds import Manifest, Owner
from cycloud.kubernetes.row_kinds import RowKind, cluster_reference, is_settled
from networking.selectors.networks import NetworkInterface

__all__ = ["OpenStackNetworkInterfaces"]


class OpenStackNetworkInterfaces(RowKind[OpenStackNetworkInterface]):
    api = OPENSTACK_NETWORK_INTERFACE
    row_kind = OpenStackNetworkInterface.kind
    collection = NetworkInterface.collection
    names_clusters = True
    name_fields = ("network_interface__project__resource_id", "network_interface__resource_id")

    def every(self) -> QuerySet[OpenStackNetworkInterface]:
        return OpenStackNetworkInterface.objects.all()

    def loaded(self) -> QuerySet[OpenStackNetworkInterface]:
        return OpenStackNetworkInterface.objects.select_related(
            "network_interface__project", "cluster"
        )

    def name(self, row: OpenStackNetworkInterface) -> str:
        return row.name

    def manifest(self, row: OpenStackNetworkInterface) -> Manifest:
        interface = row.network_interface.resource_id
        return Manifest(
            uid=row.uid,
            spec={
                "networkInterfaceID": interface,
                "computeCluster": cluster_reference(row.cluster.resource_id),
                "wanted": row.wanted,
            },
            status={"portID": row.port_id, "portStatus": row.port_status},
            conditions=row.condition_list(),
            settled=is_settled(row),
            deleting=not row.wanted,
            owner=Owner(NetworkInterface.kind, interface),
        )
