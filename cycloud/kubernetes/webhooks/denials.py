"""How an error of the services looks to somebody who applies an object: a refusal, or only a warning."""

from cycloud.core.aip.errors import Code, CycloudError
from cycloud.kubernetes.webhooks.reviews import Cause, Denial

__all__ = ["camel_case", "denial_of", "is_only_about", "may_pass"]

_FORBIDDEN = {Code.PERMISSION_DENIED, Code.UNAUTHENTICATED}
# our own trouble of the moment: it is no fault of the object
_OURS = {
    Code.UNAVAILABLE,
    Code.ABORTED,
    Code.DEADLINE_EXCEEDED,
    Code.CANCELLED,
    Code.INTERNAL,
    Code.UNKNOWN,
}
_REFERENCE = "REFERENCE_NOT_FOUND"
# a project that is hidden is no reference that may come
_HIDDEN = "PROJECT_NOT_FOUND"


def may_pass(error: CycloudError) -> bool:
    """Tell whether an object is better let in: what it names is not there yet, or the trouble is our own.

    A folder of manifests is applied in any order. What was let in is refused in its status, if that does not pass.
    """
    if error.code in _OURS:
        return True
    if error.code is Code.NOT_FOUND:
        return error.reason != _HIDDEN
    reasons = [violation.reason for violation in error.violations] or [error.reason]
    return all(reason == _REFERENCE for reason in reasons)


def is_only_about(error: CycloudError, part: str) -> bool:
    """Tell whether all that is wrong is below one part of the object ("spec")."""
    fields = [violation.field for violation in error.violations]
    return bool(fields) and all(f"{field}.".startswith(f"{part}.") for field in fields)


def denial_of(error: CycloudError) -> Denial:
    """Return the refusal: 403 for who may not, 422 for all else.

    Where fields are wrong, the reason is Kubernetes' own ``Invalid``, for which kubectl prints every field; else it is
    our own reason.
    """
    if error.code in _FORBIDDEN:
        return Denial(403, "Forbidden", error.message)
    causes = tuple(
        Cause(violation.field, violation.description, _cause_reason(violation.reason))
        for violation in error.violations
        if violation.field
    )
    return Denial(422, "Invalid" if causes else camel_case(error.reason), error.message, causes)


def camel_case(reason: str) -> str:
    """Return one of our reasons as Kubernetes writes its own: ``VOLUME_ATTACHED`` is ``VolumeAttached``."""
    return "".join(word.capitalize() for word in reason.split("_"))


def _cause_reason(reason: str) -> str:
    return "FieldValueInvalid" if reason == "INVALID" else camel_case(reason)
