"""Answers of the Kubernetes API that are errors, sorted by what is to be done then.

The status alone does not tell: a webhook chooses its own, and what one broken webhook answers is a 500 of the server.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import Json

__all__ = ["fault_from_answer", "fault_from_status", "is_outage"]

_LONGEST_MESSAGE = 2000
_BY_STATUS = {
    400: FaultKind.INVALID,
    401: FaultKind.UNAUTHENTICATED,
    403: FaultKind.FORBIDDEN,
    405: FaultKind.INVALID,
    406: FaultKind.INVALID,
    409: FaultKind.CONFLICT,
    410: FaultKind.GONE,
    413: FaultKind.INVALID,
    415: FaultKind.INVALID,
    422: FaultKind.INVALID,
    429: FaultKind.RATE_LIMITED,
}
# an admission webhook that refuses: the status is what it chose
_DENIED = re.compile(r'admission webhook ".*" denied the request', re.DOTALL)
# server-side apply of what the schema has not; the API server calls it an error of its own (500)
_UNTYPED = "failed to create typed patch object"
# the server itself is well then: it must not look down for every other kind
_WEBHOOK_FAILED = re.compile(r"failed calling webhook|conversion webhook for .* failed", re.DOTALL)


def fault_from_answer(
    status: int, headers: Mapping[str, str], content: bytes, *, is_json_patch: bool = False
) -> KubernetesFault:
    """Return the fault that an answer other than 2xx is."""
    document = _document(content)
    retry_after = _seconds(headers.get("Retry-After"))
    if document is None:
        return _fault_from_text(status, content, retry_after)
    fault = fault_from_status(document, status=status, retry_after=retry_after)
    if is_json_patch and status == 422 and not document.get("details"):
        # a "test" of the patch failed: that is all that the server says of it
        return KubernetesFault(
            FaultKind.CONFLICT, "the object is not as the patch expects", status=status
        )
    return fault


def fault_from_status(
    document: Json, *, status: int = 0, retry_after: float | None = None
) -> KubernetesFault:
    """Return the fault that a ``Status`` object tells of: the body of an answer, or an ERROR within a watch."""
    status = status or int(document.get("code") or 0)
    message = str(document.get("message") or document.get("reason") or f"HTTP {status}")
    details: Json = document.get("details") or {}
    if retry_after is None:
        retry_after = _seconds(details.get("retryAfterSeconds"))
    return KubernetesFault(
        _kind_of(status, message, str(document.get("reason") or ""), details),
        message[:_LONGEST_MESSAGE],
        status=status,
        retry_after=retry_after,
    )


def is_outage(fault: KubernetesFault) -> bool:
    """Tell whether the API server itself is in trouble, and not only a webhook behind it."""
    return fault.kind is FaultKind.UNREACHABLE and not _WEBHOOK_FAILED.search(fault.message)


def _kind_of(status: int, message: str, reason: str, details: Json) -> FaultKind:
    causes = {str(cause.get("reason", "")) for cause in details.get("causes") or ()}
    if "NamespaceTerminating" in causes:
        return FaultKind.TERMINATING
    if "ResourceVersionTooLarge" in causes:
        # a version that the server has not come to yet: its storage was wiped or restored
        return FaultKind.GONE
    if _DENIED.search(message) or message.startswith(_UNTYPED):
        return FaultKind.INVALID
    if status == 404:
        # of a kind that it does not know, the server names no object
        return FaultKind.NOT_FOUND if details.get("name") else FaultKind.NO_SUCH_KIND
    if status == 200 and reason in ("Expired", "Gone"):
        return FaultKind.GONE
    known = _BY_STATUS.get(status)
    if known is not None:
        return known
    return FaultKind.INVALID if 400 <= status < 500 and status != 408 else FaultKind.UNREACHABLE


def _fault_from_text(status: int, content: bytes, retry_after: float | None) -> KubernetesFault:
    text = " ".join(content[:_LONGEST_MESSAGE].decode(errors="replace").split())[:300]
    if status == 404 and text == "404 page not found":
        return KubernetesFault(
            FaultKind.NO_SUCH_KIND,
            "the server does not have this kind, or not in this version",
            status=404,
        )
    if status in (401, 403, 413, 429):
        return KubernetesFault(_BY_STATUS[status], text, status=status, retry_after=retry_after)
    # a proxy's page, say: it tells nothing about the object
    return KubernetesFault(
        FaultKind.UNREACHABLE,
        f"HTTP {status}, not as the Kubernetes API answers: {text}",
        status=status,
        retry_after=retry_after,
    )


def _document(content: bytes) -> Json | None:
    try:
        found = json.loads(content)
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.get("kind") == "Status" else None


def _seconds(value: Any) -> float | None:
    """Return a Retry-After in seconds; the form that is a date is not used by the API server."""
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return None
    return seconds if 0 < seconds < float("inf") else None
