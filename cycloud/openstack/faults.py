"""Errors of OpenStack as ours: what kind it is decides what a reconciler does, its text is for operators."""

from enum import StrEnum


class FaultKind(StrEnum):
    """``UNREACHABLE``, ``SERVER_ERROR``, ``RATE_LIMITED`` and ``CONFLICT`` are never terminal (design section 5)."""

    NOT_FOUND = "NotFound"  # 404
    CONFLICT = (
        "Conflict"  # 409 that is not about quota: another state is needed first; also 400 "in use"
    )
    QUOTA_EXCEEDED = "QuotaExceeded"  # Nova 403, Cinder 413, Neutron 409 OverQuota
    INVALID = "Invalid"  # 400 and other 4xx: the same call will be refused again
    FORBIDDEN = "Forbidden"  # 403 by policy, 401
    RATE_LIMITED = "RateLimited"  # 429
    SERVER_ERROR = "ServerError"  # 5xx
    UNREACHABLE = "Unreachable"  # no answer, refused, time-out, breaker open: it is unknown whether the call was done


class ProviderFault(Exception):
    """A call that failed. ``text`` is the provider's own (operators only); ``service`` is nova, cinder, ..."""

    def __init__(
        self,
        kind: FaultKind,
        text: str,
        *,
        service: str = "",
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{service} {status or ''}: {text}")
        self.kind = kind
        self.text = text
        self.service = service
        self.status = status
        self.retry_after = retry_after

    @property
    def passing(self) -> bool:
        """Whether the same call may succeed later without anybody changing anything."""
        return self.kind in (
            FaultKind.UNREACHABLE,
            FaultKind.SERVER_ERROR,
            FaultKind.RATE_LIMITED,
            FaultKind.CONFLICT,
        )
