"""What a call to the Kubernetes API can end in, besides an answer."""

from enum import Enum

__all__ = ["FaultKind", "KubernetesFault"]


class FaultKind(Enum):
    """Sorted by what is to be done then."""

    # no answer, a 5xx one (also: etcd or a webhook is down), 429, or our own limit or circuit: it passes
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate limited"
    # 409: somebody was faster: read again
    CONFLICT = "conflict"
    # 403: a right is missing
    FORBIDDEN = "forbidden"
    # 403 or 409 from a namespace that is being deleted
    TERMINATING = "the namespace is being deleted"
    # 401
    UNAUTHENTICATED = "unauthenticated"
    # 404 of a kind: its definition is not installed. A missing object is no fault
    NO_SUCH_KIND = "no such kind"
    # 404 in a write: the object or its namespace is not there
    NOT_FOUND = "not found"
    # 400, 413, 415, 422: the server refuses what was sent
    INVALID = "invalid"
    # 410: the version to go on from is no longer kept
    GONE = "gone"


class KubernetesFault(Exception):
    """``message`` is the server's own, for operators; it holds no credential. ``retry_after`` in seconds."""

    def __init__(
        self, kind: FaultKind, message: str, *, status: int = 0, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.message}"
