"""The errors that a user can meet (AIP-193): a canonical code, a stable reason, a message to act on.

Services raise them; the REST and gRPC faces turn them into an answer and add nothing.
The messages name the object, the cause and the next step, and never a cluster.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

DOMAIN = "cycloud.jp"


class Code(Enum):
    """google.rpc.Code: (gRPC number, HTTP status of the REST face)."""

    INVALID_ARGUMENT = (3, 400)
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


class CycloudError(Exception):
    """Base of all errors that reach a user."""

    code = Code.INTERNAL
    reason = "INTERNAL"

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        metadata: Mapping[str, str] | None = None,
        violations: Sequence[FieldViolation] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason or type(self).reason
        self.metadata = dict(metadata or {})
        self.violations = tuple(violations)


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
    code = Code.RESOURCE_EXHAUSTED
    reason = "RESOURCE_EXHAUSTED"


class Aborted(CycloudError):
    """The etag is not the current one (AIP-154), or another writer was faster: read and try again."""

    code = Code.ABORTED
    reason = "ABORTED"


class Unauthenticated(CycloudError):
    code = Code.UNAUTHENTICATED
    reason = "UNAUTHENTICATED"
