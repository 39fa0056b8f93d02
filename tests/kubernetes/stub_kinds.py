"""Three kinds with rows behind them, as the apps have them: two that are taken in, and one that is only shown."""

from collections.abc import Collection, Iterator
from typing import Any, ClassVar
from uuid import UUID

from catalog.models import InstanceType
from compute.models import Instance
from cycloud.kubernetes.kinds import ApiKind, Intake, Json, Kind, Manifest, TakenIn
from networking.models import Subnet

__all__ = ["KINDS"]


class _Rows(Kind):
    model: ClassVar[Any]

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        return {
            row.name: Manifest(row.uid, {}, managed_by=row.managed_by)
            for row in self.model.objects.all()
            if row.name in names
        }

    def names(self) -> Iterator[str]:
        for row in self.model.objects.all():
            yield row.name

    def names_of(self, uids: Collection[UUID]) -> dict[UUID, str]:
        return {row.uid: row.name for row in self.model.objects.filter(uid__in=uids)}


class _TakenRows(_Rows, TakenIn):
    def take(self, intake: Intake, name: str, manifest: Json) -> None:
        raise NotImplementedError

    def remove(self, intake: Intake, name: str) -> None:
        raise NotImplementedError


class _Instances(_TakenRows):
    api = ApiKind("compute.test", "Instance", "instances")
    row_kind = "Instance"
    collection = "instances"
    model = Instance


class _InstanceTypes(_TakenRows):
    api = ApiKind("compute.test", "InstanceType", "instancetypes", namespaced=False)
    row_kind = "InstanceType"
    collection = "instanceTypes"
    model = InstanceType


class _Subnets(_Rows):
    api = ApiKind("networking.test", "Subnet", "subnets")
    row_kind = "Subnet"
    collection = "subnets"
    model = Subnet


KINDS = (_InstanceTypes(), _Subnets(), _Instances())
