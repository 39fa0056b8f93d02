"""What a caller is told of exceptions that are no CycloudError."""

import logging

import pytest
from django.core.exceptions import (
    BadRequest,
    DisallowedHost,
    PermissionDenied,
    RequestDataTooBig,
    TooManyFieldsSent,
)
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, UnreadablePostError

from cycloud.core.aip.errors import Code, NotFound
from cycloud.core.aip.unforeseen import error_of


@pytest.mark.parametrize(
    ("exception", "code", "reason", "http"),
    [
        (Http404(), Code.NOT_FOUND, "NOT_FOUND", 404),
        (PermissionDenied(), Code.PERMISSION_DENIED, "PERMISSION_DENIED", 403),
        (BadRequest("secret"), Code.INVALID_ARGUMENT, "INVALID_ARGUMENT", 400),
        (DisallowedHost("secret"), Code.INVALID_ARGUMENT, "INVALID_ARGUMENT", 400),
        (TooManyFieldsSent("secret"), Code.INVALID_ARGUMENT, "INVALID_ARGUMENT", 400),
        (RequestDataTooBig("secret"), Code.INVALID_ARGUMENT, "BODY_TOO_LARGE", 413),
        (UnreadablePostError("secret"), Code.INVALID_ARGUMENT, "INVALID_ARGUMENT", 400),
        (DataError("secret"), Code.INVALID_ARGUMENT, "INVALID_ARGUMENT", 400),
        (OperationalError("secret"), Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", 503),
        (InterfaceError("secret"), Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", 503),
        (RuntimeError("secret"), Code.INTERNAL, "INTERNAL", 500),
        (RecursionError("secret"), Code.INTERNAL, "INTERNAL", 500),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_a_caller_sees_a_code_and_no_inner_text(
    exception: Exception, code: Code, reason: str, http: int
) -> None:
    error = error_of(exception)
    assert (error.code, error.reason, error.http_status) == (code, reason, http)
    assert "secret" not in error.message
    assert "secret" not in str(error.metadata)


def test_an_error_of_ours_is_itself() -> None:
    error = NotFound("There is none.")
    assert error_of(error) is error


def test_an_unavailable_database_tells_when_to_repeat() -> None:
    assert error_of(OperationalError()).retry_after == 5


def test_the_incident_finds_the_log_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        error = error_of(RuntimeError("secret"))
    assert error.metadata["incident"] in caplog.text
    assert "secret" in caplog.text
