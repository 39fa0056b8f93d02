"""The errors that a user can meet (AIP-193): a canonical code, a stable reason, a message to act on.

Services raise them; the REST and gRPC faces turn them into an answer (``cycloud.core.aip.status``) and add
nothing. The messages name the object, the cause and the next step, and never a cluster. Every reason is in
docs/errors.md and has a Japanese text; a test holds both complete.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

DOMAIN = "cycloud.jp"


class Code(Enum):
    """google.rpc.Code: (gRPC number, HTTP status of the REST face)."""

    CANCELLED = (1, 499)
    UNKNOWN = (2, 500)
    INVALID_ARGUMENT = (3, 400)
    DEADLINE_EXCEEDED = (4, 504)
    NOT_FOUND = (5, 404)
    ALREADY_EXISTS = (6, 409)
    PERMISSION_DENIED = (7, 403)
    RESOURCE_EXHAUSTED = (8, 429)
    FAILED_PRECONDITION = (9, 400)
    ABORTED = (10, 409)
    OUT_OF_RANGE = (11, 400)
    UNIMPLEMENTED = (12, 501)
    INTERNAL = (13, 500)
    UNAVAILABLE = (14, 503)
    UNAUTHENTICATED = (16, 401)

    @property
    def grpc(self) -> int:
        return self.value[0]

    @property
    def http(self) -> int:
        return self.value[1]


@dataclass(frozen=True)
class FieldViolation:
    """One field of a request that is wrong (google.rpc.BadRequest)."""

    field: str
    description: str
    reason: str = "INVALID"


@dataclass(frozen=True)
class PreconditionViolation:
    """One thing that is not as the request needs it (google.rpc.PreconditionFailure).

    ``subject`` is the resource's name, ``type`` a reason of docs/errors.md.
    """

    type: str
    subject: str
    description: str


@dataclass(frozen=True)
class QuotaViolation:
    """One quota that the request would overrun (google.rpc.QuotaFailure).

    ``subject`` is the quota's name, such as ``projects/p/quotas/vcpus``.
    """

    subject: str
    description: str


class CycloudError(Exception):
    """Base of all errors that reach a user.

    - ``resource``: name of the object that the error is about, such as ``projects/p/instances/web-1``; it
      becomes google.rpc.ResourceInfo (NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED) or the subject of the
      PreconditionFailure, and ``resource`` in the metadata.
    - ``metadata``: what the message says that changes from case to case, for programs and for the texts in
      other languages.
    - ``retry_after``: seconds after which the same request may succeed (google.rpc.RetryInfo, Retry-After).
    - ``http_status``: HTTP status of the REST face where it is not the code's own.
    """

    code = Code.INTERNAL
    reason = "INTERNAL"
    http: int | None = None

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        metadata: Mapping[str, str] | None = None,
        violations: Sequence[FieldViolation] = (),
        precondition_violations: Sequence[PreconditionViolation] = (),
        quota_violations: Sequence[QuotaViolation] = (),
        resource: str = "",
        retry_after: float | None = None,
        http_status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason or type(self).reason
        self.metadata = dict(metadata or {})
        if resource:
            self.metadata.setdefault("resource", resource)
        self.violations = tuple(violations)
        self.precondition_violations = tuple(precondition_violations)
        self.quota_violations = tuple(quota_violations)
        self.resource = resource
        self.retry_after = retry_after
        self._http_status = http_status or type(self).http

    @property
    def http_status(self) -> int:
        """The HTTP status of the REST face."""
        return self._http_status or self.code.http


class InvalidArgument(CycloudError):
    """The request is wrong whatever the state of the system."""

    code = Code.INVALID_ARGUMENT
    reason = "INVALID_ARGUMENT"

    @classmethod
    def field(cls, field: str, description: str, reason: str = "INVALID") -> "InvalidArgument":
        """One wrong field: its path in the request and what is wrong with it."""
        return cls(
            f"{field}: {description}", violations=[FieldViolation(field, description, reason)]
        )


class NotFound(CycloudError):
    """No such object, or the caller may not know of it."""

    code = Code.NOT_FOUND
    reason = "NOT_FOUND"


class AlreadyExists(CycloudError):
    code = Code.ALREADY_EXISTS
    reason = "ALREADY_EXISTS"


class PermissionDenied(CycloudError):
    code = Code.PERMISSION_DENIED
    reason = "PERMISSION_DENIED"


class FailedPrecondition(CycloudError):
    """The system is not in the state that the request needs."""

    code = Code.FAILED_PRECONDITION
    reason = "FAILED_PRECONDITION"


class ResourceExhausted(CycloudError):
    """A quota is used up, or the caller asks too often."""

    code = Code.RESOURCE_EXHAUSTED
    reason = "RESOURCE_EXHAUSTED"


class Aborted(CycloudError):
    """The etag is not the current one (AIP-154), or another writer was faster: read and try again."""

    code = Code.ABORTED
    reason = "ABORTED"


class OutOfRange(CycloudError):
    """What is asked for lies outside what is kept, such as a resource_version that was trimmed."""

    code = Code.OUT_OF_RANGE
    reason = "OUT_OF_RANGE"


class Unimplemented(CycloudError):
    """There is no such method, or it does not do this."""

    code = Code.UNIMPLEMENTED
    reason = "UNIMPLEMENTED"


class Unavailable(CycloudError):
    """A part that is needed is away for now: the same request may succeed later."""

    code = Code.UNAVAILABLE
    reason = "UNAVAILABLE"


class DeadlineExceeded(CycloudError):
    """The caller's deadline passed before the answer was there."""

    code = Code.DEADLINE_EXCEEDED
    reason = "DEADLINE_EXCEEDED"


class Canceled(CycloudError):
    """The caller gave the call up."""

    code = Code.CANCELLED
    reason = "CANCELLED"


class Unauthenticated(CycloudError):
    code = Code.UNAUTHENTICATED
    reason = "UNAUTHENTICATED"
