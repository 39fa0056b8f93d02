"""Answers and exceptions of OpenStack as :class:`ProviderFault`.

The kinds follow what the services answer (2025.1 and 2026.2): quota is Nova 403, Cinder 413 and
Neutron 409; "in use" is 400 at Nova and Cinder, 409 at Neutron; Glance answers in HTML.
"""

import html
import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import requests
from keystoneauth1 import exceptions as ksa
from openstack import exceptions as sdk

from cycloud.openstack.faults import FaultKind, ProviderFault

LONGEST_TEXT = 2000

# paste's text for a path that no controller owns: it tells of a wrong URL, not of an absent object
_NO_SUCH_PATH = "The resource could not be found."
_NO_IMAGE = re.compile(r"no image found|failed to find image", re.IGNORECASE)
_QUOTA = re.compile(r"quota|maximum number of", re.IGNORECASE)
# 400 of Nova and Cinder that mean "not in this state"; the rest of 400 is about the request itself
_STATE = re.compile(
    r"status must be|must be available|must not be migrating|already attached|already managed"
    r"|is in use|in-use|still in use|marker not found"
    # an object that a create needs is gone: the next observation tells, the request was not wrong
    r"|failed to get volume|Port id \S+ could not be found",
    re.IGNORECASE,
)
_TOKENS = (
    re.compile(r"gAAAA[\w-]{20,}=*"),  # a Fernet token
    re.compile(r"(?i)(x-(?:auth|subject|service)-token['\"]?\s*[:=]\s*['\"]?)[^\s'\",}]+"),
    re.compile(r"(?i)(password['\"]?\s*[:=]\s*['\"]?)[^\s'\",}]+"),
    re.compile(r"(://[^/\s:@]+:)[^/\s@]+(?=@)"),
)


def safe_text(text: str, secrets: Iterable[str] = ()) -> str:
    """Return ``text`` without tokens, passwords and the given secrets, of at most 2000 characters."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    for pattern in _TOKENS:
        text = pattern.sub(lambda m: (m.group(1) if m.lastindex else "") + "***", text)
    return text[:LONGEST_TEXT]


def fault_from_response(
    service: str, response: requests.Response, secrets: Iterable[str] = ()
) -> ProviderFault | None:
    """Return the fault that the answer tells of, None for 2xx."""
    status = response.status_code
    if 200 <= status < 300:
        return None
    error_type, text = _error_of(response)
    return ProviderFault(
        _kind_of(service, status, error_type, text),
        safe_text(text or f"HTTP {status}", secrets),
        service=service,
        status=status,
        retry_after=retry_after_of(response.headers),
    )


def fault_from_exception(
    service: str, error: Exception, secrets: Iterable[str] = ()
) -> ProviderFault:
    """Return the fault that an exception of the SDK, keystoneauth or requests tells of."""
    text = safe_text(str(error) or type(error).__name__, secrets)
    status: int | None = None
    retry_after: float | None = None
    match error:
        case ksa.HttpError():  # Keystone's own answers, on the way to a token
            status = error.http_status
            kind = _kind_of_http_error(status)
            if isinstance(error.response, requests.Response):
                retry_after = retry_after_of(error.response.headers)
        case ksa.ConnectionError() | ksa.RetriableConnectionFailure():
            kind = FaultKind.UNREACHABLE
        case requests.JSONDecodeError() | requests.exceptions.ContentDecodingError():
            kind = FaultKind.SERVER_ERROR  # an answer that cannot be read
        case OSError():  # all others of requests, such as an answer that was cut off
            kind = FaultKind.UNREACHABLE
        case sdk.ConfigException() | ksa.CatalogException() | ksa.EndpointNotFound():
            kind = FaultKind.INVALID
        case ksa.AuthorizationFailure() | ksa.MissingAuthPlugin():
            kind = FaultKind.FORBIDDEN
        case _:
            kind = FaultKind.SERVER_ERROR
    return ProviderFault(kind, text, service=service, status=status, retry_after=retry_after)


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header (a number or a date), None without one."""
    value = headers.get("Retry-After", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _kind_of_http_error(status: int) -> FaultKind:
    if status == 429:
        return FaultKind.RATE_LIMITED
    if status in (401, 403):
        return FaultKind.FORBIDDEN
    # a 404 of Keystone says nothing about the object that was asked for
    return FaultKind.SERVER_ERROR if status >= 500 else FaultKind.INVALID


def _kind_of(service: str, status: int, error_type: str, text: str) -> FaultKind:
    match status:
        case 404:
            return (
                FaultKind.NOT_FOUND
                if _is_about_object(error_type, text)
                else FaultKind.SERVER_ERROR
            )
        case 429:
            return FaultKind.RATE_LIMITED
        case 413:
            return FaultKind.QUOTA_EXCEEDED if _QUOTA.search(text) else FaultKind.RATE_LIMITED
        case 409:
            return FaultKind.QUOTA_EXCEEDED if error_type == "OverQuota" else FaultKind.CONFLICT
        case 412 | 423:
            return FaultKind.CONFLICT
        case 403:
            return FaultKind.QUOTA_EXCEEDED if _QUOTA.search(text) else FaultKind.FORBIDDEN
        case 401:
            return FaultKind.FORBIDDEN
        case 400 if service in ("nova", "cinder") and _STATE.search(text):
            return FaultKind.CONFLICT
        case 408:
            return FaultKind.UNREACHABLE
    # 1xx and 3xx are not answers of these APIs: something else listens there
    return FaultKind.INVALID if 400 <= status < 500 else FaultKind.SERVER_ERROR


def _is_about_object(error_type: str, text: str) -> bool:
    """Whether a 404 tells of an absent object.

    A proxy, or a wrong path, answers 404 too; taking that for absence would make things twice.
    """
    if error_type:
        return error_type != "HTTPNotFound" and text != _NO_SUCH_PATH
    return _NO_IMAGE.search(text) is not None


def _error_of(response: requests.Response) -> tuple[str, str]:
    """Return (type, message) of an error body; the type is "" where the body is not the service's."""
    body = response.text or ""
    if "html" in response.headers.get("Content-Type", "") or body.lstrip().startswith("<"):
        return "", _text_of_html(body)
    try:
        document: Any = json.loads(body)
    except ValueError:
        return "", body.strip()
    if not isinstance(document, dict) or not document:
        return "", body.strip()
    key, value = next(iter(document.items()))
    if isinstance(value, dict):
        return str(value.get("type") or key), str(value.get("message", ""))
    # Glance, where JSON is accepted: {"message": "...<br />", "code": "404 Not Found", "title": ...}
    return "", _text_of_html(str(document.get("message") or value))


def _text_of_html(body: str) -> str:
    inner = body.split("</h1>", 1)[-1]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", inner)).split())
