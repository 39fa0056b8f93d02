"""What the API server asks a webhook, and how it is answered (admission.k8s.io/v1, apiextensions.k8s.io/v1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cycloud.kubernetes.kinds import Json

__all__ = [
    "ADMISSION",
    "CONVERSION",
    "AdmissionRequest",
    "Cause",
    "ConversionRequest",
    "Denial",
    "MalformedReview",
    "Verdict",
    "admission_answer",
    "admission_request",
    "conversion_answer",
    "conversion_request",
]

ADMISSION = ("admission.k8s.io/v1", "AdmissionReview")
CONVERSION = ("apiextensions.k8s.io/v1", "ConversionReview")


class MalformedReview(Exception):
    """What was sent is no review that an API server sends; the text says what is wrong with it."""


@dataclass(frozen=True)
class AdmissionRequest:
    """One write that the API server is about to do.

    ``new`` is None in a deletion, ``old`` in a creation. ``name`` and ``namespace`` are those of the object: the
    request's own are empty where a whole collection is deleted.
    """

    uid: str
    group: str
    kind: str
    operation: str
    namespace: str
    name: str
    new: Json | None = None
    old: Json | None = None


@dataclass(frozen=True)
class Cause:
    """One field of the object and what is wrong with it (StatusCause). kubectl shows ``field: message``."""

    field: str
    message: str
    reason: str = "FieldValueInvalid"


@dataclass(frozen=True)
class Denial:
    """Why a write is refused (metav1.Status). ``code`` is an HTTP status, ``reason`` a CamelCase word.

    kubectl shows nothing but kind, name and causes where the reason is ``Invalid``, and the message otherwise.
    """

    code: int
    reason: str
    message: str
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """``denial`` is None where the write is allowed. Each warning is a line that kubectl prints."""

    denial: Denial | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConversionRequest:
    """Objects, in that order, that are wanted in another version."""

    uid: str
    desired_api_version: str
    objects: tuple[Json, ...]


def admission_request(review: object) -> AdmissionRequest:
    """Return what a review asks. Raises MalformedReview."""
    request = _request(review, ADMISSION)
    new, old = _object(request, "object"), _object(request, "oldObject")
    kind = _part(request, "kind", dict)
    metadata = (new or old or {}).get("metadata") or {}
    return AdmissionRequest(
        uid=_part(request, "uid", str),
        group=_part(kind, "group", str),
        kind=_part(kind, "kind", str),
        operation=_part(request, "operation", str),
        namespace=_segment(request.get("namespace") or metadata.get("namespace")),
        name=_segment(request.get("name") or metadata.get("name")),
        new=new,
        old=old,
    )


def admission_answer(request: AdmissionRequest, verdict: Verdict) -> Json:
    """Return the review that answers."""
    response: Json = {"uid": request.uid, "allowed": verdict.denial is None}
    if verdict.denial is not None:
        response["status"] = _status(request, verdict.denial)
    if verdict.warnings:
        response["warnings"] = list(verdict.warnings)
    return _answer(ADMISSION, response)


def conversion_request(review: object) -> ConversionRequest:
    """Return what a review asks. Raises MalformedReview."""
    request = _request(review, CONVERSION)
    objects = _part(request, "objects", list)
    if not all(isinstance(item, dict) for item in objects):
        raise MalformedReview("request.objects has something that is no object.")
    return ConversionRequest(
        uid=_part(request, "uid", str),
        desired_api_version=_part(request, "desiredAPIVersion", str),
        objects=tuple(objects),
    )


def conversion_answer(
    request: ConversionRequest, converted: Sequence[Json], failure: str = ""
) -> Json:
    """Return the review that answers: all objects in the order asked for, or why none is there."""
    response: Json = {"uid": request.uid, "convertedObjects": list(converted)}
    response["result"] = (
        {"status": "Failure", "message": failure} if failure else {"status": "Success"}
    )
    return _answer(CONVERSION, response)


def _status(request: AdmissionRequest, denial: Denial) -> Json:
    details: Json = {"name": request.name, "group": request.group, "kind": request.kind}
    if denial.causes:
        details["causes"] = [
            {"field": cause.field, "message": cause.message, "reason": cause.reason}
            for cause in denial.causes
        ]
    return {
        "status": "Failure",
        "code": denial.code,
        "reason": denial.reason,
        "message": denial.message,
        "details": details,
    }


def _answer(type_: tuple[str, str], response: Json) -> Json:
    api_version, kind = type_
    return {"apiVersion": api_version, "kind": kind, "response": response}


def _request(review: object, type_: tuple[str, str]) -> Json:
    api_version, kind = type_
    if not isinstance(review, dict):
        raise MalformedReview(f"This takes one {kind}, which is a JSON object.")
    if (review.get("apiVersion"), review.get("kind")) != type_:
        raise MalformedReview(f"This takes one {kind} of {api_version} and nothing else.")
    request: Json = _part(review, "request", dict)
    return request


def _object(request: Json, key: str) -> Json | None:
    if request.get(key) is None:
        return None
    found: Json = _part(request, key, dict)
    metadata = found.get("metadata") or {}
    parts = [metadata, found.get("spec") or {}]
    if isinstance(metadata, dict):
        parts += [metadata.get("labels") or {}, metadata.get("annotations") or {}]
    if not all(isinstance(part, dict) for part in parts):
        raise MalformedReview(f"The review's {key} is no object of Kubernetes.")
    return found


def _segment(value: object) -> str:
    """Return a name, which becomes a part of a resource's full name; empty where there is none."""
    if value is None:
        return ""
    if not isinstance(value, str) or "/" in value:
        raise MalformedReview("The review's name or namespace is none of Kubernetes'.")
    return value


def _part(parent: Json, key: str, type_: type[Any]) -> Any:
    value = parent.get(key)
    if not isinstance(value, type_):
        raise MalformedReview(f"The review's {key} is missing or of the wrong type.")
    return value
