"""REST: operations of a project (AIP-151), newest first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from cycloud.core.aip.collection import Call, Collection, Json
from cycloud.core.aip.errors import NotFound
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.aip.models import Operation
from cycloud.core.aip.rest.operations import operation_json
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor, Role

__all__ = ["Operations"]


class Operations(Collection[Operation]):
    """``collections``: those that say how the resource of a finished operation looks."""

    name = "operations"
    kind = "Operation"
    id_parameter = "operation_id"
    list_key = "operations"
    orders = {"create_time": "create_time"}
    default_order = ("-create_time", "-uid")
    filters = {
        "done": Field("done", Kind.BOOLEAN),
        "verb": Field("verb", Kind.ENUM),
        "target": Field("target_name"),
        "create_time": Field("create_time", Kind.TIME),
        "end_time": Field("end_time", Kind.TIME),
    }

    def __init__(self, collections: Iterable[Collection[Any]]) -> None:
        self._by_kind = {collection.kind: collection for collection in collections}

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[Operation]:
        project = project_for(call.actor, call.project_id, Role.VIEWER)
        return Operation.objects.select_related("project").filter(project=project)

    def find(self, call: Call, resource_id: str) -> Operation:
        try:
            uid = UUID(resource_id)
        except ValueError:
            uid = UUID(int=0)
        operation = self.rows(call, False).filter(uid=uid).first()
        if operation is None:
            parent = f"projects/{call.project_id}/operations"
            raise NotFound(
                f"There is no {parent}/{resource_id[:80]}; operations are kept for 30 days. List {parent}."
            )
        return operation

    def to_json(self, resource: Operation, actor: Actor) -> Json:
        return self.list_json([resource], actor)[0]

    def list_json(self, resources: Sequence[Operation], actor: Actor) -> list[Json]:
        targets = self._targets(resources)
        answer = []
        for operation in resources:
            target = targets.get(operation.target_uid)
            collection = self._by_kind.get(operation.target_kind)
            response = collection.to_json(target, actor) if collection and target else None
            answer.append(operation_json(operation, response))
        return answer

    def _targets(self, operations: Sequence[Operation]) -> Mapping[UUID, Any]:
        """Fetch the resources of the operations that ended well: one query for each kind."""
        uids: dict[str, set[UUID]] = {}
        for operation in operations:
            if operation.done and operation.error is None:
                uids.setdefault(operation.target_kind, set()).add(operation.target_uid)
        found: dict[UUID, Any] = {}
        for kind, wanted in sorted(uids.items()):
            collection = self._by_kind.get(kind)
            if collection is not None:
                found.update(collection.by_uid(wanted))
        return found
