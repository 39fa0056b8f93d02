"""The JSON that all resources have in common (AIP-148)."""

from datetime import UTC, datetime
from typing import Any

from cycloud.core.resources.models import ProjectResource

__all__ = ["OUTPUT_ONLY", "condition_fields", "resource_fields", "time_text"]

# a client may send back what it read: these are ignored in requests (AIP-203)
OUTPUT_ONLY = frozenset(
    {
        "name",
        "uid",
        "generation",
        "observed_generation",
        "reconciling",
        "conditions",
        "create_time",
        "update_time",
        "delete_time",
        "purge_time",
    }
)


def time_text(time: datetime | None) -> str | None:
    """Return a time as RFC 3339 in UTC with microseconds, or None."""
    if time is None:
        return None
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def resource_fields(resource: ProjectResource) -> dict[str, Any]:
    """Return the common fields of a resource; its project must have been fetched with it."""
    return {
        "name": resource.name,
        "uid": str(resource.uid),
        "display_name": resource.display_name,
        "labels": resource.labels,
        "annotations": resource.annotations,
        "generation": resource.generation,
        "observed_generation": resource.observed_generation,
        "reconciling": resource.reconciling,
        "conditions": condition_fields(resource),
        "etag": resource.etag,
        "create_time": time_text(resource.create_time),
        "update_time": time_text(resource.update_time),
        "delete_time": time_text(resource.delete_time),
        "purge_time": time_text(resource.purge_time),
    }


def condition_fields(resource: ProjectResource) -> list[dict[str, Any]]:
    """Return the conditions as Kubernetes shows them; ``terminal`` is the engine's own."""
    return [
        {
            "type": condition.type,
            "status": condition.status.value,
            "reason": condition.reason,
            "message": condition.message,
            "observed_generation": condition.observed_generation,
            "last_transition_time": time_text(condition.last_transition_time),
        }
        for condition in resource.condition_list()
    ]
