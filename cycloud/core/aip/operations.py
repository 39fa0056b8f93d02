"""Starting and ending operations, within the caller's transaction."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias
from uuid import UUID

from django.db.models import F, QuerySet

from cycloud.core.aip.errors import Code
from cycloud.core.aip.models import Operation
from cycloud.core.aip.progress import Progress
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, find_condition

__all__ = ["cancel_earlier", "end_cancelled", "end_operations", "start_operation"]

# from an operation's verb, and of how many steps it was said to be, to how far it is
ProgressOf: TypeAlias = Callable[[str, int], Progress]
# what a reason of Ready=False means for the operation that waits for it
_CODES = {
    "QuotaExceeded": Code.RESOURCE_EXHAUSTED,
    "InsufficientCapacity": Code.RESOURCE_EXHAUSTED,
    "InvalidConfiguration": Code.INVALID_ARGUMENT,
    "ProviderUnreachable": Code.UNAVAILABLE,
}


class Target(Protocol):
    """A resource that an operation can be about."""

    uid: UUID
    project_id: int
    generation: int
    kind: ClassVar[str]

    @property
    def name(self) -> str: ...


def start_operation(target: Target, verb: str, *, done: bool = False) -> Operation:
    """Record that ``verb`` was asked for at the target's present generation."""
    time = now()
    return Operation.objects.create(
        project_id=target.project_id,
        verb=verb,
        target_kind=target.kind,
        target_uid=target.uid,
        target_name=target.name,
        generation=target.generation,
        done=done,
        create_time=time,
        end_time=time if done else None,
    )


def status_of(condition: Condition) -> dict[str, Any]:
    """Return the error that a terminal Ready condition ends an operation with, as it is stored."""
    code = _CODES.get(condition.reason, Code.FAILED_PRECONDITION)
    return _error(code, condition.reason, condition.message or condition.reason)


def end_operations(
    target_uid: UUID,
    generation: int,
    conditions: Sequence[Condition],
    *,
    gone: bool = False,
    progress: ProgressOf | None = None,
) -> int:
    """End the open operations up to ``generation`` if Ready is settled for it; return how many.

    ``gone`` ends all of them well: the resource was deleted. Safe to call again. ``progress`` tells of an operation's
    verb, and the number of steps that it was said to have, how far it is; asked only of those that stay open.
    """
    open_operations = Operation.objects.filter(target_uid=target_uid, done=False)
    if gone:
        return _end_well(open_operations)
    ready = find_condition(conditions, READY)
    if ready is None or ready.observed_generation < generation:
        return 0
    open_operations = open_operations.filter(generation__lte=generation)
    if not ready.settled:
        for operation in open_operations:
            _show_progress(operation, ready, progress)
        return 0
    if ready.status == "True":
        return _end_well(open_operations)
    return _end(open_operations, status_of(ready))


def _show_progress(operation: Operation, ready: Condition, progress: ProgressOf | None) -> None:
    shown = Progress(f"{ready.reason}: {ready.message}")
    if progress is not None:
        shown = progress(operation.verb, operation.progress_total)
    fields = {
        "progress_message": shown.message[:500],
        "progress_step": shown.step,
        "progress_total": shown.total,
    }
    if any(getattr(operation, field) != value for field, value in fields.items()):
        Operation.objects.filter(pk=operation.pk, done=False).update(**fields)


def cancel_earlier(target_uid: UUID, message: str) -> int:
    """End open operations that a newer verb has made moot (for example a start, by a stop)."""
    error = _error(Code.ABORTED, "SUPERSEDED", message)
    return _end(Operation.objects.filter(target_uid=target_uid), error)


def end_cancelled(operation: Operation, message: str) -> bool:
    """End an operation as its user asked; tell whether it was still open.

    The caller has turned back, in the same transaction, what the operation was for.
    """
    error = _error(Code.CANCELLED, "CANCELLED", message)
    return _end(Operation.objects.filter(pk=operation.pk), error) > 0


def _end_well(operations: QuerySet[Operation]) -> int:
    return operations.update(
        done=True, end_time=now(), progress_message="", progress_step=F("progress_total")
    )


def _end(operations: QuerySet[Operation], error: dict[str, Any]) -> int:
    return operations.filter(done=False).update(
        done=True, end_time=now(), error=error, progress_message=""
    )


def _error(code: Code, reason: str, message: str) -> dict[str, Any]:
    return {"code": code.grpc, "status": code.name, "message": message, "reason": reason}
