"""What an error looks like to a caller: the details of google.rpc.Status as JSON values.

Both faces show these: REST as they are, gRPC as the messages that their ``@type`` names.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings

from cycloud.core.aip.errors import (
    DOMAIN,
    Code,
    CycloudError,
    FieldViolation,
    PreconditionViolation,
)
from cycloud.core.aip.language import DEFAULT_LANGUAGE, current_language
from cycloud.core.aip.reasons import FIELD_REASONS, error_word, japanese_of

__all__ = ["TYPE_PREFIX", "error_status", "resource_type_of", "status_details", "stored_error"]

Json = dict[str, Any]
TYPE_PREFIX: Final = "type.googleapis.com/"
_WITH_RESOURCE: Final = (Code.NOT_FOUND, Code.ALREADY_EXISTS, Code.PERMISSION_DENIED)
# AIP-123: the resource types that the protos declare, by the collection's name in paths
_TYPES: Final = {
    "projects": "iam.cycloud.jp/Project",
    "members": "iam.cycloud.jp/Member",
    "serviceAccounts": "iam.cycloud.jp/ServiceAccount",
    "keys": "iam.cycloud.jp/ServiceAccountKey",
    "tokens": "iam.cycloud.jp/Token",
    "auditEntries": "iam.cycloud.jp/AuditEntry",
    "availabilityZones": "catalog.cycloud.jp/AvailabilityZone",
    "instanceFamilies": "catalog.cycloud.jp/InstanceFamily",
    "instanceTypes": "catalog.cycloud.jp/InstanceType",
    "volumeTypes": "catalog.cycloud.jp/VolumeType",
    "publicImages": "catalog.cycloud.jp/PublicImage",
    "openStackClusters": "catalog.cycloud.jp/OpenStackCluster",
    "vpcs": "networking.cycloud.jp/VPC",
    "subnets": "networking.cycloud.jp/Subnet",
    "networkInterfaces": "networking.cycloud.jp/NetworkInterface",
    "instances": "compute.cycloud.jp/Instance",
    "volumes": "compute.cycloud.jp/Volume",
    "quotas": "compute.cycloud.jp/Quota",
    "operations": "longrunning.googleapis.com/Operation",
}


def status_details(error: CycloudError, language: str = DEFAULT_LANGUAGE) -> list[Json]:
    """Return the details of an error, each at most once (AIP-193); ErrorInfo is the first.

    ``language`` is that of LocalizedMessage: "en" or "ja".
    """
    resource = _resource_of(error)
    metadata = dict(error.metadata)
    if resource:
        metadata["resource"] = resource
    if error.violations:
        metadata.setdefault("field", error.violations[0].field)
    details = [_error_info(error.reason, metadata)]
    if error.violations:
        items = [_field_violation(violation, language) for violation in error.violations]
        details.append(_detail("BadRequest", field_violations=items))
    if error.code is Code.FAILED_PRECONDITION:
        details.append(_precondition_failure(error, resource))
    if error.quota_violations:
        quotas = [
            {"subject": v.subject, "description": v.description} for v in error.quota_violations
        ]
        details.append(_detail("QuotaFailure", violations=quotas))
    if resource and error.code in _WITH_RESOURCE:
        kind = resource_type_of(resource)
        info = {"resource_type": kind, "resource_name": resource, "description": error.message}
        details.append(_detail("ResourceInfo", **info))
    if error.retry_after is not None:
        details.append(_detail("RetryInfo", retry_delay=f"{max(error.retry_after, 0):.9g}s"))
    return [*details, _help(error.reason), _localized(error, metadata, language)]


def error_status(
    error: CycloudError, *, code: int | None = None, language: str = DEFAULT_LANGUAGE
) -> Json:
    """Return the error as a google.rpc.Status; ``code`` is another number than the canonical one."""
    return {
        "code": error.code.grpc if code is None else code,
        "message": error.message,
        "details": status_details(error, language),
    }


def stored_error(stored: Mapping[str, Any], resource: str) -> Json:
    """Return the google.rpc.Status of a failed operation about ``resource``, for the present caller's language.

    A condition's reason shows as AIP-193 spells one, and as it is in the metadata.
    """
    codes = {code.grpc: code for code in Code}
    reason = str(stored["reason"])
    word = error_word(reason)
    metadata = {} if word == reason else {"condition_reason": reason}
    error = CycloudError(str(stored["message"]), reason=word, metadata=metadata, resource=resource)
    error.code = codes.get(stored["code"], Code.UNKNOWN)
    return error_status(error, language=current_language.get())


def resource_type_of(name: str) -> str:
    """Return the type (AIP-123) of the resource of that name; empty for a name of no known collection."""
    parts = name.split("/")
    return _TYPES.get(parts[-2], "") if len(parts) > 1 else ""


def _resource_of(error: CycloudError) -> str:
    """Return the name of what the error is about: given, or the first name in the metadata."""
    if error.resource:
        return error.resource
    return next((value for value in error.metadata.values() if resource_type_of(value)), "")


def _detail(name: str, **fields: object) -> Json:
    return {"@type": f"{TYPE_PREFIX}google.rpc.{name}", **fields}


def _error_info(reason: str, metadata: Mapping[str, str]) -> Json:
    return _detail("ErrorInfo", reason=reason, domain=DOMAIN, metadata=dict(metadata))


def _field_violation(violation: FieldViolation, language: str) -> Json:
    text = violation.description
    known = FIELD_REASONS.get(violation.reason)
    locale = DEFAULT_LANGUAGE
    if language == "ja" and known is not None:
        text, locale = known.japanese, language
    return {
        "field": violation.field,
        "description": violation.description,
        "reason": violation.reason,
        "localized_message": {"locale": locale, "message": text},
    }


def _precondition_failure(error: CycloudError, resource: str) -> Json:
    violations = error.precondition_violations or (
        PreconditionViolation(error.reason, resource, error.message),
    )
    items = [
        {"type": v.type, "subject": v.subject, "description": v.description} for v in violations
    ]
    return _detail("PreconditionFailure", violations=items)


def _help(reason: str) -> Json:
    url = f"{str(settings.CYCLOUD_DOCS_URL).rstrip('/')}/errors#{reason}"
    link = {"description": "What this reason means and what to do", "url": url}
    return _detail("Help", links=[link])


def _localized(error: CycloudError, metadata: Mapping[str, str], language: str) -> Json:
    locale, text = DEFAULT_LANGUAGE, error.message
    if language == "ja":
        translated = _japanese(error, metadata)
        if translated:
            locale, text = language, translated
    return _detail("LocalizedMessage", locale=locale, message=text)


def _japanese(error: CycloudError, metadata: Mapping[str, str]) -> str:
    """Return the Japanese text, or nothing where the table or a placeholder's value is missing."""
    if error.code is Code.INVALID_ARGUMENT and error.violations:
        first = error.violations[0]
        known = FIELD_REASONS.get(first.reason)
        return f"{first.field}: {known.japanese}" if known is not None else ""
    try:
        text = japanese_of(error.reason, metadata.get("condition_reason", ""))
        return text.format_map(metadata)
    except KeyError:
        return ""
