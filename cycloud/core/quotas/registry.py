"""What is limited, and who counts it. The apps enter themselves by CYCLOUD_QUOTA_COUNTERS (dotted paths), since
this package must not import them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from cycloud.core.iam.models import Project
from cycloud.core.quotas.quota import QuotaResource

__all__ = ["UsageCounter", "count_usage", "default_limit", "quota_choices", "quota_resources"]


@dataclass(frozen=True)
class UsageCounter:
    """Counts what a project has declared of some resources, from the rows themselves.

    ``count`` returns a number for each resource. It sees the caller's transaction, and is to be cheap: it runs in
    writes, with the project locked.
    """

    resources: tuple[QuotaResource, ...]
    count: Callable[[Project], Mapping[str, int]]


@cache
def _counters() -> tuple[UsageCounter, ...]:
    return tuple(import_string(path) for path in settings.CYCLOUD_QUOTA_COUNTERS)


def quota_resources() -> dict[str, QuotaResource]:
    """Return all that is limited, by id, in the order of the settings."""
    return {r.resource_id: r for counter in _counters() for r in counter.resources}


def quota_choices() -> list[tuple[str, str]]:
    """Return the ids and what they stand for, for forms."""
    return [(r.resource_id, r.amount_label) for r in quota_resources().values()]


def count_usage(project: Project, resource_ids: Iterable[str]) -> dict[str, int]:
    """Return how much the project has of these resources; one query or so for each app's group of them."""
    wanted = set(resource_ids)
    usage: dict[str, int] = {}
    for counter in _counters():
        if wanted & {resource.resource_id for resource in counter.resources}:
            usage.update(counter.count(project))
    return {resource_id: usage[resource_id] for resource_id in wanted}


def default_limit(resource_id: str) -> int:
    """Return the limit of a project for which operators set none."""
    return int(settings.CYCLOUD_DEFAULT_QUOTAS[resource_id])
