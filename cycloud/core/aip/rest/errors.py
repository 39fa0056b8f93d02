"""Errors of the REST face (AIP-193): every refusal is ``{"error": {code, status, message, details}}``."""

import logging
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.core.exceptions import (
    BadRequest,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.core.exceptions import (
    PermissionDenied as DjangoPermissionDenied,
)
from django.db import OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response

from cycloud.core.aip.errors import DOMAIN, Code, CycloudError, FieldViolation, Unauthenticated

__all__ = [
    "error_body",
    "exception_handler",
    "json_error",
    "server_error",
    "status_body",
    "unknown_url",
]

logger = logging.getLogger(__name__)
_TYPE = "type.googleapis.com/google.rpc."
# DRF's own refusals that AIP's codes have no HTTP status of their own for
_HTTP = {
    exceptions.MethodNotAllowed: (405, Code.UNIMPLEMENTED, "METHOD_NOT_ALLOWED"),
    exceptions.UnsupportedMediaType: (415, Code.INVALID_ARGUMENT, "UNSUPPORTED_MEDIA_TYPE"),
    exceptions.Throttled: (429, Code.RESOURCE_EXHAUSTED, "RATE_LIMIT_EXCEEDED"),
    exceptions.NotFound: (404, Code.NOT_FOUND, "NOT_FOUND"),
    exceptions.PermissionDenied: (403, Code.PERMISSION_DENIED, "PERMISSION_DENIED"),
}


def error_body(
    code: Code,
    reason: str,
    message: str,
    *,
    http: int | None = None,
    metadata: Mapping[str, str] | None = None,
    violations: tuple[FieldViolation, ...] = (),
) -> dict[str, Any]:
    """Return the body of a refusal. ``http`` is the HTTP status where it is not the code's own."""
    details: list[dict[str, Any]] = [_error_info(reason, metadata)]
    if violations:
        items = [
            {"field": v.field, "description": v.description, "reason": v.reason} for v in violations
        ]
        details.append({"@type": f"{_TYPE}BadRequest", "field_violations": items})
    return {
        "error": {
            "code": http or code.http,
            "status": code.name,
            "message": message,
            "details": details,
        }
    }


def status_body(error: Mapping[str, Any]) -> dict[str, Any]:
    """Return the google.rpc.Status of a failed operation; ``code`` is the canonical (gRPC) number."""
    return {
        "code": error["code"],
        "status": error["status"],
        "message": error["message"],
        "details": [_error_info(str(error["reason"]), None)],
    }


def _error_info(reason: str, metadata: Mapping[str, str] | None) -> dict[str, Any]:
    return {
        "@type": f"{_TYPE}ErrorInfo",
        "reason": reason,
        "domain": DOMAIN,
        "metadata": dict(metadata or {}),
    }


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response:
    """Turn what a view raised into an answer; what nobody foresaw is logged and answered INTERNAL."""
    if isinstance(error, CycloudError):
        return _refusal(error)
    if isinstance(error, exceptions.APIException):
        return _framework_refusal(error)
    if isinstance(error, Http404):
        return Response(error_body(Code.NOT_FOUND, "NOT_FOUND", "There is nothing here."), 404)
    if isinstance(error, DjangoPermissionDenied):
        text = "This is not allowed."
        return Response(error_body(Code.PERMISSION_DENIED, "PERMISSION_DENIED", text), 403)
    if isinstance(error, RequestDataTooBig):
        return Response(_too_large(), 413)
    if isinstance(error, BadRequest | SuspiciousOperation):
        return Response(_bad_request(), 400)
    if isinstance(error, OperationalError):
        return _database_failure(error)
    return Response(_internal(error), 500)


def _database_failure(error: OperationalError) -> Response:
    """The database is away, or too busy for a lock in time: the same request may do later."""
    logger.warning("the database failed a REST call: %s", error)
    text = "Cycloud cannot reach its data at the moment. Repeat the request in a few seconds."
    response = Response(error_body(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", text), 503)
    response["Retry-After"] = "5"
    return response


def _refusal(error: CycloudError) -> Response:
    http = int(getattr(error, "http", error.code.http))
    body = error_body(
        error.code,
        error.reason,
        error.message,
        http=http,
        metadata=error.metadata,
        violations=error.violations,
    )
    response = Response(body, http)
    if isinstance(error, Unauthenticated):
        response["WWW-Authenticate"] = 'Bearer realm="cycloud"'
    return response


def _framework_refusal(error: exceptions.APIException) -> Response:
    http, code, reason = _HTTP.get(type(error), (400, Code.INVALID_ARGUMENT, "INVALID_ARGUMENT"))
    message = str(error.detail)
    if isinstance(error, exceptions.UnsupportedMediaType):
        message = "The body must be JSON: send the header 'Content-Type: application/json'."
    response = Response(error_body(code, reason, message, http=http), http)
    wait = getattr(error, "wait", None)
    if wait is not None:
        response["Retry-After"] = str(int(wait))
    return response


def _internal(error: BaseException) -> dict[str, Any]:
    incident = uuid4().hex
    logger.error("incident %s in a REST call", incident, exc_info=error)
    return error_body(
        Code.INTERNAL,
        "INTERNAL",
        f"Cycloud failed to answer; this is not your fault. Report the incident {incident} to your platform team.",
        metadata={"incident": incident},
    )


def _too_large() -> dict[str, Any]:
    text = "The body is too large. Send less at once."
    return error_body(Code.INVALID_ARGUMENT, "BODY_TOO_LARGE", text, http=413)


def _bad_request() -> dict[str, Any]:
    text = "The request is malformed."
    return error_body(Code.INVALID_ARGUMENT, "INVALID_ARGUMENT", text)


def server_error(request: HttpRequest, error: BaseException) -> JsonResponse:
    """Answer what nobody foresaw, outside a REST view."""
    return JsonResponse(_internal(error), status=500)


def json_error(request: HttpRequest, error: Exception) -> JsonResponse:
    """Answer an error that arose outside a REST view, for example in a middleware, below ``/v1/``."""
    response = exception_handler(error, {})
    return JsonResponse(response.data, status=response.status_code)


def unknown_url(request: HttpRequest) -> JsonResponse:
    """Answer 404 for a path that no collection has."""
    text = (
        f"There is no method at {request.path[:200]!r}. Paths are like /v1/projects/p/instances/i."
    )
    return JsonResponse(error_body(Code.NOT_FOUND, "METHOD_NOT_FOUND", text), status=404)
