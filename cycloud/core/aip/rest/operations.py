"""How an operation (AIP-151) looks in REST."""

from collections.abc import Callable
from typing import TypeVar

from django.db.models import Model

from cycloud.core.aip.collection import Json
from cycloud.core.aip.models import Operation
from cycloud.core.aip.representation import time_text
from cycloud.core.aip.rest.errors import status_body
from cycloud.core.aip.writes import Written

__all__ = ["dry_run_json", "operation_json", "written_json"]

R = TypeVar("R", bound=Model)


def operation_json(operation: Operation, response: Json | None) -> Json:
    """Return an operation; ``response`` is the resource, shown once it is done without error.

    A deleted resource that is gone by then leaves an empty response (google.protobuf.Empty).
    """
    answer: Json = {
        "name": operation.name,
        "done": operation.done,
        "metadata": {
            "verb": operation.verb,
            "target": operation.target_name,
            "create_time": time_text(operation.create_time),
            "end_time": time_text(operation.end_time),
            "progress_message": operation.progress_message,
        },
    }
    if operation.done and operation.error is not None:
        answer["error"] = status_body(operation.error)
    elif operation.done:
        answer["response"] = response or {}
    return answer


def dry_run_json(written: Written[R], to_json: Callable[[R], Json]) -> Json:
    """Return the answer to validate_only (AIP-163): what would be, under no operation's name."""
    operation = written.operation
    return {
        "done": True,
        "metadata": {"verb": operation.verb, "target": operation.target_name},
        "response": {} if written.resource is None else to_json(written.resource),
    }


def written_json(written: Written[R], to_json: Callable[[R], Json]) -> Json:
    done = written.operation.done and written.operation.error is None
    response = to_json(written.resource) if done and written.resource is not None else None
    return operation_json(written.operation, response)
