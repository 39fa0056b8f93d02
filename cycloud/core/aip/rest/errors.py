"""Errors of the REST face (AIP-193): every refusal is ``{"error": {code, status, message, details}}``."""

import math
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response

from cycloud.core.aip import errors
from cycloud.core.aip.errors import CycloudError, Unauthenticated
from cycloud.core.aip.language import language_of
from cycloud.core.aip.status import error_status
from cycloud.core.aip.unforeseen import error_of
from cycloud.core.iam.authentication import request_id_of

__all__ = ["error_body", "error_headers", "exception_handler", "json_error", "unknown_url"]


def error_body(error: CycloudError, language: str) -> dict[str, Any]:
    """Return the body of a refusal: google.rpc.Status, with the HTTP status for ``code`` (AIP-193)."""
    status = error_status(error, code=error.http_status, language=language)
    return {"error": {"code": status.pop("code"), "status": error.code.name, **status}}


def error_headers(error: CycloudError) -> dict[str, str]:
    """Return the headers that go with a refusal."""
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = 'Bearer realm="cycloud"'
    return headers


def exception_handler(exception: Exception, context: Mapping[str, Any]) -> Response:
    """Turn what a view raised into an answer; what nobody foresaw is logged and answered INTERNAL."""
    if isinstance(exception, exceptions.APIException):
        error = _framework_error(exception)
    else:
        error = error_of(exception)
    request = context.get("request")
    body = error_body(error, _language(request))
    return Response(body, error.http_status, headers=error_headers(error))


def json_error(request: HttpRequest, exception: BaseException) -> JsonResponse:
    """Answer an error that arose outside a REST view, for example in a middleware, below ``/v1/``."""
    error = error_of(exception)
    body = error_body(error, _language(request))
    response = JsonResponse(body, status=error.http_status, headers=error_headers(error))
    response["X-Request-Id"] = request_id_of(request)
    return response


@csrf_exempt
def unknown_url(request: HttpRequest) -> JsonResponse:
    """Answer 404 for a path that no collection has."""
    text = (
        f"There is no method at {request.path[:200]!r}. Paths are like /v1/projects/p/instances/i."
    )
    return json_error(request, errors.NotFound(text, reason="METHOD_NOT_FOUND"))


def _language(request: HttpRequest | None) -> str:
    return language_of("" if request is None else request.headers.get("Accept-Language", ""))


def _framework_error(exception: exceptions.APIException) -> CycloudError:
    """Return DRF's own refusals as ours; some have an HTTP status that no code has."""
    text = str(exception.detail)
    match exception:
        case exceptions.MethodNotAllowed():
            return errors.Unimplemented(text, reason="METHOD_NOT_ALLOWED", http_status=405)
        case exceptions.UnsupportedMediaType():
            return errors.InvalidArgument(
                "The body must be JSON: send the header 'Content-Type: application/json'.",
                reason="UNSUPPORTED_MEDIA_TYPE",
                http_status=415,
            )
        case exceptions.NotFound():
            return errors.NotFound(text)
        case exceptions.PermissionDenied():
            return errors.PermissionDenied(text)
    if exception.status_code >= 500:
        return error_of(RuntimeError(text))
    return errors.InvalidArgument(text)
