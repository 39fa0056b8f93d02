"""VPC: shown only."""

from django.db.models import QuerySet

from cycloud.kubernetes.kinds import Json
from networking.kubernetes.apis import VPC as API
from networking.kubernetes.project_kind import ProjectKind
from networking.models import VPC

__all__ = ["VpcKind"]


class VpcKind(ProjectKind[VPC]):
    """Made over the API only."""

    api = API
    row_kind = VPC.kind
    collection = VPC.collection

    def rows(self) -> QuerySet[VPC]:
        return VPC.objects.select_related("project")

    def spec_of(self, row: VPC) -> Json:
        return {"displayName": row.display_name}
