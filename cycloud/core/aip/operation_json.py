"""How a google.longrunning.Operation (AIP-151) looks as JSON, the same on both faces."""

from collections.abc import Callable
from typing import Final, TypeVar

from django.db.models import Model

from cycloud.core.aip.collection import Json
from cycloud.core.aip.models import Operation
from cycloud.core.aip.representation import time_text
from cycloud.core.aip.status import TYPE_PREFIX, stored_error
from cycloud.core.aip.writes import Written

__all__ = ["dry_run_json", "missing_json", "operation_json", "written_json"]

R = TypeVar("R", bound=Model)
_METADATA: Final = "cycloud.common.v1.OperationMetadata"
_EMPTY: Final = "google.protobuf.Empty"


def operation_json(operation: Operation, response: Json | None, message: str) -> Json:
    """Return an operation; ``response`` is the resource, shown once it is done without error.

    ``message`` is the full name of the resource's proto message. A deleted resource that is gone by then
    leaves an empty response (google.protobuf.Empty).
    """
    answer: Json = {
        "name": operation.name,
        "done": operation.done,
        "metadata": _any(
            _METADATA,
            {
                "verb": operation.verb,
                "target": operation.target_name,
                "create_time": time_text(operation.create_time),
                "end_time": time_text(operation.end_time),
                "progress_message": operation.progress_message,
                "progress_step": operation.progress_step,
                "progress_total": operation.progress_total,
            },
        ),
    }
    if operation.done and operation.error is not None:
        answer["error"] = stored_error(operation.error, operation.target_name)
    elif operation.done:
        answer["response"] = _response(response, message)
    return answer


def dry_run_json(written: Written[R], to_json: Callable[[R], Json], message: str) -> Json:
    """Return the answer to validate_only (AIP-163): what would be, under no operation's name."""
    operation = written.operation
    shown = None if written.resource is None else to_json(written.resource)
    return _finished(operation.verb, operation.target_name, _response(shown, message))


def written_json(written: Written[R], to_json: Callable[[R], Json], message: str) -> Json:
    """Return the operation that a write started."""
    done = written.operation.done and written.operation.error is None
    response = to_json(written.resource) if done and written.resource is not None else None
    return operation_json(written.operation, response, message)


def missing_json(verb: str, target: str) -> Json:
    """Return the answer to a delete with allow_missing of what is not there (AIP-135): done, under no name."""
    return _finished(verb, target, _response(None, ""))


def _finished(verb: str, target: str, response: Json) -> Json:
    metadata = _any(_METADATA, {"verb": verb, "target": target})
    return {"done": True, "metadata": metadata, "response": response}


def _response(resource: Json | None, message: str) -> Json:
    return _any(_EMPTY, {}) if resource is None else _any(message, resource)


def _any(message: str, fields: Json) -> Json:
    return {"@type": f"{TYPE_PREFIX}{message}", **fields}
