"""What a user may do to an operation (AIP-151) besides reading it."""

import re

from django.db import transaction

from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from cycloud.core.aip.models import Operation
from cycloud.core.aip.waiting import MAX_SECONDS
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.clock import now
from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import Actor

__all__ = ["delete_operation", "wait_seconds"]

# google.protobuf.Duration as JSON
_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)s")


def delete_operation(*, actor: Actor, operation: Operation, options: WriteOptions) -> None:
    """Take a finished operation out of what users see. Raises FailedPrecondition for one that goes on.

    The row stays until its time is over, so that its request id cannot repeat the request (AIP-155).
    """
    if not operation.done:
        raise FailedPrecondition(
            f"{operation.name} goes on: only an operation that is done can be deleted. Wait for it, or cancel it.",
            reason="OPERATION_NOT_DONE",
            resource=operation.name,
        )
    if options.validate_only:
        return
    with transaction.atomic():
        Operation.objects.filter(pk=operation.pk).update(delete_time=now())
        audit(actor, "DeleteOperation", operation.name)


def wait_seconds(text: str, field: str) -> float:
    """Return how long to wait, in seconds, from a duration such as "30s"; a minute at most and by default.

    Raises InvalidArgument naming ``field``.
    """
    if not text:
        return MAX_SECONDS
    found = _DURATION.fullmatch(text)
    if found is None:
        raise InvalidArgument.field(
            field,
            f'{text[:40]!r} is no duration. Write seconds such as "30s" or "0.5s".',
            "INVALID_DURATION",
        )
    return min(float(found[1]), MAX_SECONDS)
