"""What a caller is told of exceptions that are no CycloudError: the same for both faces."""

import logging
from uuid import uuid4

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, UnreadablePostError

from cycloud.core.aip import errors
from cycloud.core.aip.errors import CycloudError

__all__ = ["error_of"]

logger = logging.getLogger(__name__)
_DATABASE_RETRY_SECONDS = 5.0


def error_of(exception: BaseException) -> CycloudError:
    """Return the error that a caller is shown for ``exception``; a CycloudError is itself.

    What nobody foresaw is logged whole under an incident's id, and that id is all that the caller sees.
    """
    if isinstance(exception, CycloudError):
        return exception
    if isinstance(exception, Http404):
        return errors.NotFound("There is nothing here.")
    if isinstance(exception, PermissionDenied):
        return errors.PermissionDenied("This is not allowed.")
    if isinstance(exception, RequestDataTooBig):
        return errors.InvalidArgument(
            "The body is too large. Send less at once.", reason="BODY_TOO_LARGE", http_status=413
        )
    if isinstance(exception, BadRequest | SuspiciousOperation | UnreadablePostError):
        return errors.InvalidArgument("The request is malformed.")
    if isinstance(exception, DataError):
        # a check is missing before the database; the caller's value was wrong all the same
        logger.error("the database refused a value", exc_info=exception)
        return errors.InvalidArgument("A value in the request is too long or out of range.")
    if isinstance(exception, OperationalError | InterfaceError):
        logger.warning("the database failed a call: %s", exception)
        return errors.Unavailable(
            "Cycloud cannot reach its data at the moment. Repeat the request in a few seconds.",
            reason="DATABASE_UNAVAILABLE",
            retry_after=_DATABASE_RETRY_SECONDS,
        )
    return _internal(exception)


def _internal(exception: BaseException) -> CycloudError:
    incident = uuid4().hex
    logger.error("incident %s in a call", incident, exc_info=exception)
    return CycloudError(
        f"Cycloud failed to answer; this is not your fault. Report the incident {incident} to your platform team.",
        metadata={"incident": incident},
    )
