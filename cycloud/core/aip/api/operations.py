"""Operations of a project (AIP-151), newest first: list, get, wait, cancel, delete."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from google.longrunning import operations_pb2

from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json
from cycloud.core.aip.errors import NotFound
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.aip.models import Operation
from cycloud.core.aip.operation_json import operation_json
from cycloud.core.aip.operation_verbs import delete_operation, wait_seconds
from cycloud.core.aip.waiting import ends_within_blocking
from cycloud.core.iam.access import in_projects
from cycloud.core.iam.actor import Actor

__all__ = ["Operations"]


class Operations(Collection[Operation]):
    """``collections``: those that say how the resource of a finished operation looks."""

    name = "operations"
    kind = "Operation"
    message = operations_pb2.Operation.DESCRIPTOR.full_name
    id_parameter = "operation_id"
    remembers_requests = False
    verbs = frozenset({"wait", "cancel"})
    read_verbs = frozenset({"wait"})
    list_key = "operations"
    orders = {
        "create_time": "create_time",
        "done": "done",
        "verb": "verb",
        "target": "target_name",
    }
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
        return self._rows(call, "list")

    def find(self, call: Call, resource_id: str) -> Operation:
        return self._find(call, resource_id, "get")

    def delete(self, call: Call, resource_id: str) -> None:
        operation = self._find(call, resource_id, "delete")
        delete_operation(actor=call.actor, operation=operation, options=call.options)

    def run_verb(self, verb: str, call: Call, resource_id: str, body: Body) -> Operation | None:
        """Wait (holding the caller's thread) or cancel. REST waits with :meth:`to_wait_for` instead."""
        if verb == "wait":
            operation, seconds = self.to_wait_for(call, resource_id, body)
            if operation.done or not ends_within_blocking(operation.uid, seconds):
                return operation
            return self._find(call, resource_id, verb)
        body.finish()
        operation = self._find(call, resource_id, verb)
        collection = self._by_kind.get(operation.target_kind, self)
        if not operation.done:
            collection.cancel(call, operation)
        return None

    def to_wait_for(self, call: Call, resource_id: str, body: Body) -> tuple[Operation, float]:
        """Return the operation as it is, and for how many seconds the request asks to wait for it."""
        seconds = wait_seconds(body.text("timeout", ""), "timeout")
        body.finish()
        return self._find(call, resource_id, "wait"), seconds

    def _rows(self, call: Call, method: str) -> QuerySet[Operation]:
        allowed = in_projects(call.actor, call.project_id, f"longrunning.operations.{method}")
        return Operation.objects.select_related("project").filter(allowed, delete_time=None)

    def _find(self, call: Call, resource_id: str, method: str) -> Operation:
        parent = f"projects/{call.project_id}/operations"
        try:
            uid = UUID(resource_id)
        except ValueError:
            uid = UUID(int=0)
        operation = self._rows(call, method).filter(uid=uid).first()
        if operation is None:
            raise NotFound(
                f"There is no {parent}/{resource_id[:80]}; operations are kept for 30 days. List {parent}.",
                resource=f"{parent}/{resource_id[:80]}",
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
            message = collection.message if collection else ""
            answer.append(operation_json(operation, response, message))
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
