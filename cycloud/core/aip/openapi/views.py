"""``/v1/openapi.json`` for programs and ``/v1/docs`` for people. Both are open: they tell what the API is, no data."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.csrf import csrf_exempt, ensure_csrf_cookie
from django.views.decorators.http import condition

from cycloud.core.aip.errors import Unimplemented
from cycloud.core.aip.openapi.generator import ApiSchemaGenerator
from cycloud.core.aip.rest.errors import json_error

__all__ = ["docs", "openapi_json"]

# every file comes from the portal itself; Swagger UI has its icons in its style sheet
_CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_FRESH_SECONDS: Final = 300


@dataclass(frozen=True)
class _Document:
    content: bytes
    etag: str


@cache
def _document() -> _Document:
    """Return the schema, which only another version of the code changes."""
    schema = ApiSchemaGenerator().get_schema(public=True)
    content = json.dumps(schema, ensure_ascii=False, separators=(",", ":")).encode()
    return _Document(content, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


def _safe(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse all but GET and HEAD, in the way of everything below ``/v1/``."""

    @wraps(view)
    def wrapped(request: HttpRequest) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return view(request)
        text = f"{request.path} can only be read."
        error = Unimplemented(text, reason="METHOD_NOT_ALLOWED", http_status=405)
        response = json_error(request, error)
        response["Allow"] = "GET, HEAD"
        return response

    return wrapped


def _etag(request: HttpRequest) -> str:
    return _document().etag


@csrf_exempt
@_safe
@condition(etag_func=_etag)
def openapi_json(request: HttpRequest) -> HttpResponse:
    """Answer the OpenAPI 3.1 schema, or 304 to who has it already."""
    response = HttpResponse(_document().content, content_type="application/json")
    patch_cache_control(response, public=True, max_age=_FRESH_SECONDS)
    return response


@csrf_exempt
@_safe
@ensure_csrf_cookie
def docs(request: HttpRequest) -> HttpResponse:
    """Show the schema in Swagger UI. Who is signed in to the console can try methods out at once."""
    response = render(request, "docs/api.html")
    response["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    return response
