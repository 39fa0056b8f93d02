"""Starting and ending operations, within the caller's transaction."""

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol
from uuid import UUID

from cycloud.core.aip.errors import Code
from cycloud.core.aip.models import Operation
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, find_condition

__all__ = ["cancel_earlier", "end_operations", "start_operation"]

# what a reason of Ready=False means for the operation that waits for it
_CODES = {
    "QuotaExceeded": Code.RESOURCE_EXHAUSTED,
    "InsufficientCapacity": Code.RESOURCE_EXHAUSTED,
    "InvalidConfiguration": Code.INVALID_ARGUMENT,
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
    """Return the google.rpc.Status that a terminal Ready condition ends an operation with."""
    code = _CODES.get(condition.reason, Code.FAILED_PRECONDITION)
    return {
        "code": code.grpc,
        "status": code.name,
        "message": condition.message or condition.reason,
        "reason": condition.reason,
    }


def end_operations(
    target_uid: UUID, generation: int, conditions: Sequence[Condition], *, gone: bool = False
) -> int:
    """End the open operations up to ``generation`` if Ready is settled for it; return how many.

    ``gone`` ends all of them well: the resource was deleted. Safe to call again.
    """
    open_operations = Operation.objects.filter(target_uid=target_uid, done=False)
    if gone:
        return open_operations.update(done=True, end_time=now(), progress_message="")
    ready = find_condition(conditions, READY)
    if ready is None or ready.observed_generation < generation:
        return 0
    open_operations = open_operations.filter(generation__lte=generation)
    if not ready.settled:
        open_operations.update(progress_message=f"{ready.reason}: {ready.message}"[:500])
        return 0
    error = None if ready.status == "True" else status_of(ready)
    return open_operations.update(done=True, end_time=now(), error=error, progress_message="")


def cancel_earlier(target_uid: UUID, reason: str) -> int:
    """End open operations that a newer verb has made moot (for example a start, by a stop)."""
    return Operation.objects.filter(target_uid=target_uid, done=False).update(
        done=True,
        end_time=now(),
        error={
            "code": Code.ABORTED.grpc,
            "status": "ABORTED",
            "message": reason,
            "reason": "Superseded",
        },
    )
