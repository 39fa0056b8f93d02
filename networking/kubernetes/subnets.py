"""Subnet: shown only."""

from django.db.models import QuerySet

from cycloud.kubernetes.kinds import Json
from networking.kubernetes.apis import SUBNET
from networking.kubernetes.project_kind import ProjectKind
from networking.models import Subnet

__all__ = ["SubnetKind"]


class SubnetKind(ProjectKind[Subnet]):
    """Made over the API only."""

    api = SUBNET
    row_kind = Subnet.kind
    collection = Subnet.collection

    def rows(self) -> QuerySet[Subnet]:
        return Subnet.objects.select_related("project", "vpc", "availability_zone")

    def spec_of(self, row: Subnet) -> Json:
        return {
            "displayName": row.display_name,
            "vpc": row.vpc.resource_id,
            "availabilityZone": row.availability_zone.resource_id,
            "cidr": row.cidr,
            "gatewayIP": row.gateway_ip,
        }
