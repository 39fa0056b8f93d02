"""What methods answer: errors with their status, and the headers of answers."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from google.rpc import error_details_pb2

from cycloud.core.aip.errors import (
    AlreadyExists,
    CycloudError,
    InvalidArgument,
    NotFound,
    OutOfRange,
    PermissionDenied,
    ResourceExhausted,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)
from cycloud.core.aip.openapi.schemas import Components, Json
from cycloud.core.aip.rest.errors import error_body

__all__ = ["HEADERS", "add_error_schemas", "error_refs", "error_responses", "header_refs"]

_DETAILS: Final = (
    error_details_pb2.ErrorInfo,
    error_details_pb2.BadRequest,
    error_details_pb2.PreconditionFailure,
    error_details_pb2.QuotaFailure,
    error_details_pb2.ResourceInfo,
    error_details_pb2.RetryInfo,
    error_details_pb2.Help,
    error_details_pb2.LocalizedMessage,
)
HEADERS: Final[Mapping[str, Json]] = {
    "X-Request-Id": {
        "description": "The id of this request, for questions about it; the one that was sent, if it was good.",
        "schema": {"type": "string"},
        "required": True,
    },
    "ETag": {
        "description": (
            "The resource's etag (AIP-154) with a digest of the answer behind a dot, for If-Match and "
            "If-None-Match; of a list a digest."
        ),
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "In how many seconds to try again.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "Which credentials are wanted.",
        "schema": {"type": "string"},
    },
}
_UNAUTHENTICATED: Final = 401
_WAITING: Final = (429, 503)
# status -> when, and an error like those that come with it
_ERRORS: Final[Mapping[int, tuple[str, CycloudError]]] = {
    400: (
        "The request is wrong (INVALID_ARGUMENT), or the resource is not in the state that it needs "
        "(FAILED_PRECONDITION). It changes nothing.",
        InvalidArgument.field("size", "is missing; it is required.", "REQUIRED"),
    ),
    401: (
        "There are no credentials, or they are not known (UNAUTHENTICATED).",
        Unauthenticated(
            "Send an API token: Authorization: Bearer <token>.", reason="CREDENTIALS_MISSING"
        ),
    ),
    403: (
        "The caller may not do this (PERMISSION_DENIED).",
        PermissionDenied(
            "You may not create volumes in projects/demo: ask one of its administrators for the role editor.",
            resource="projects/demo",
        ),
    ),
    404: (
        "There is no such resource, or the caller may not know of it (NOT_FOUND).",
        NotFound(
            "There is no projects/demo/volumes/data-1.", resource="projects/demo/volumes/data-1"
        ),
    ),
    405: (
        "There is no such method (UNIMPLEMENTED): with allow_missing, of a kind that cannot be created.",
        Unimplemented("quotas has no such method.", reason="METHOD_NOT_ALLOWED", http_status=405),
    ),
    409: (
        "There is one of that name already (ALREADY_EXISTS), or it has another etag than the one that was sent "
        "(ABORTED).",
        AlreadyExists(
            "There is a projects/demo/volumes/data-1 already: choose another id.",
            resource="projects/demo/volumes/data-1",
        ),
    ),
    410: (
        "The resource_version is no longer kept (OUT_OF_RANGE): list again, and watch from that list's.",
        OutOfRange("Version 17 is no longer kept. List again.", http_status=410),
    ),
    413: (
        "The body is too large (INVALID_ARGUMENT).",
        InvalidArgument(
            "The body is larger than 2621440 bytes. Send less at once.",
            reason="BODY_TOO_LARGE",
            http_status=413,
        ),
    ),
    415: (
        "The body is not application/json (INVALID_ARGUMENT).",
        InvalidArgument(
            "The body must be JSON: send the header 'Content-Type: application/json'.",
            reason="UNSUPPORTED_MEDIA_TYPE",
            http_status=415,
        ),
    ),
    429: (
        "A quota is used up, or the caller asks too often (RESOURCE_EXHAUSTED).",
        ResourceExhausted("You ask too often. Try again in 2 seconds.", retry_after=2.0),
    ),
    500: (
        "A fault of Cycloud (INTERNAL). Tell an operator the request id.",
        CycloudError("The request failed for an unknown reason. Tell an operator its id."),
    ),
    503: (
        "A part that is needed is away for now (UNAVAILABLE).",
        Unavailable("The service is busy. Try again.", retry_after=5.0),
    ),
}


def header_refs(*names: str) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def add_error_schemas(components: Components) -> None:
    """Add ``Error``, the body of every refusal, and ``Status``, which failed operations have."""
    details = [components.with_type(message.DESCRIPTOR) for message in _DETAILS]
    components.add("ErrorDetail", lambda: {"anyOf": details})
    items: Json = {"type": "array", "items": {"$ref": "#/components/schemas/ErrorDetail"}}
    status: Json = {
        "message": {"type": "string", "description": "For developers, in English."},
        "details": {**items, "description": "ErrorInfo, with the stable reason, is the first."},
    }
    code = {
        "type": "integer",
        "description": "google.rpc.Code, for example 9: FAILED_PRECONDITION.",
    }
    components.add(
        "Status",
        lambda: {
            "type": "object",
            "description": "Why an operation failed (google.rpc.Status).",
            "properties": {"code": code, **status},
            "required": ["code", "message", "details"],
        },
    )
    error: Json = {
        "type": "object",
        "properties": {
            "code": {"type": "integer", "description": "The HTTP status."},
            "status": {"type": "string", "description": "The name of the google.rpc.Code."},
            **status,
        },
        "required": ["code", "status", "message", "details"],
        "additionalProperties": False,
    }
    components.add(
        "Error",
        lambda: {
            "type": "object",
            "description": "A refusal (AIP-193).",
            "properties": {"error": error},
            "required": ["error"],
            "additionalProperties": False,
        },
    )


def error_responses() -> dict[str, Json]:
    """Return ``components/responses``: one for each status that a refusal can have."""
    return {_name_of(status): _response(status) for status in _ERRORS}


def _name_of(status: int) -> str:
    return f"Error{status}"


def error_refs(statuses: Sequence[int]) -> dict[str, Json]:
    """Return the responses of an operation that can be refused with these statuses."""
    return {
        str(status): {"$ref": f"#/components/responses/{_name_of(status)}"}
        for status in sorted(statuses)
    }


def _response(status: int) -> Json:
    description, example = _ERRORS[status]
    headers = ["X-Request-Id"]
    if status == _UNAUTHENTICATED:
        headers.append("WWW-Authenticate")
    if status in _WAITING:
        headers.append("Retry-After")
    content: Any = {
        "schema": {"$ref": "#/components/schemas/Error"},
        "examples": {example.reason: {"value": error_body(example, "en")}},
    }
    return {
        "description": description,
        "headers": header_refs(*headers),
        "content": {"application/json": content},
    }
