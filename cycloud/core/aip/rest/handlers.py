"""Django's own error pages, and their JSON form below ``/v1/``."""

import sys

from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.views import defaults

from cycloud.core.aip.rest.errors import json_error, unknown_url

__all__ = ["bad_request", "not_found", "permission_denied", "server_failure"]


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/v1/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """400: a wrong Host header, an upload over the limit and the like."""
    if _is_api(request):
        return json_error(request, BadRequest())
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if _is_api(request):
        return json_error(request, PermissionDenied())
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if _is_api(request):
        return (
            unknown_url(request)
            if isinstance(exception, Http404)
            else json_error(request, Http404())
        )
    return defaults.page_not_found(request, exception)


def server_failure(request: HttpRequest) -> HttpResponseBase:
    """500 outside a REST view; Django logged the traceback, which is shown to nobody."""
    error = sys.exc_info()[1]
    if _is_api(request):
        return json_error(request, error or RuntimeError("unknown"))
    return defaults.server_error(request)
