"""What every resource has in common (AIP-148 and the Kubernetes object model)."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from cycloud.core.conditions import (
    READY,
    Condition,
    Status,
    find_condition,
    from_json,
    merge_conditions,
    to_json,
)
from cycloud.core.mirrors import Changed, mirror


class Reconciled(models.Model):
    """Spec with a generation, status with conditions. ``revision`` grows with every stored change."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    generation = models.BigIntegerField(default=1)
    observed_generation = models.BigIntegerField(default=0)
    revision = models.BigIntegerField(default=1)
    conditions = models.JSONField(default=list, blank=True)
    finalizers = models.JSONField(default=list, blank=True)
    create_time = models.DateTimeField(auto_now_add=True)
    update_time = models.DateTimeField(auto_now=True)
    delete_time = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def condition_list(self) -> tuple[Condition, ...]:
        return from_json(self.conditions)

    @property
    def ready(self) -> Condition | None:
        return find_condition(self.condition_list(), READY)

    @property
    def reconciling(self) -> bool:
        """AIP-128: the controllers have not settled this generation yet."""
        ready = self.ready
        return ready is None or ready.observed_generation < self.generation or not ready.settled

    @property
    def is_ready(self) -> bool:
        ready = self.ready
        return (
            ready is not None
            and ready.status is Status.TRUE
            and ready.observed_generation >= self.generation
        )

    def publish(self, conditions: Sequence[Condition], now: datetime, **status_fields: Any) -> bool:
        """Write conditions and status fields if they differ; return whether anything was written."""
        merged = merge_conditions(self.condition_list(), conditions, now)
        changed = {"conditions": to_json(merged), **status_fields}
        ready = find_condition(merged, READY)
        if ready is not None:
            changed["observed_generation"] = ready.observed_generation
        changed = {k: v for k, v in changed.items() if getattr(self, k) != v}
        if not changed:
            return False
        for field, value in changed.items():
            setattr(self, field, value)
        self.revision += 1
        self.save(update_fields=[*changed, "revision", "update_time"])
        return True


class ProviderResource(Reconciled):
    """What is to exist in one cluster, for one interface resource. Made only by controllers.

    Whoever keeps copies is told of every stored change. ``kind`` and :attr:`name` tell them of which row; it has the
    name of the interface resource that it is for.
    """

    kind: ClassVar[str]

    class Meta:
        abstract = True

    @property
    def name(self) -> str:
        raise NotImplementedError(type(self).__name__)

    def save(self, *args: Any, **kwargs: Any) -> None:
        super().save(*args, **kwargs)
        self.tell_mirrors()

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        self.tell_mirrors()
        return super().delete(*args, **kwargs)

    def tell_mirrors(self) -> None:
        """Tell those who keep copies that the present transaction changes this row."""
        if settings.CYCLOUD_MIRRORS:
            mirror([Changed(self.kind, self.uid, self.name)])


class ProjectResource(Reconciled):
    """A resource that users declare, in a project."""

    kind: ClassVar[str]
    collection: ClassVar[str]

    project = models.ForeignKey("iam.Project", models.PROTECT, related_name="+")
    resource_id = models.CharField(max_length=63)
    display_name = models.CharField(max_length=255, blank=True)
    labels = models.JSONField(default=dict, blank=True)
    annotations = models.JSONField(default=dict, blank=True)
    purge_time = models.DateTimeField(null=True, blank=True)
    # the object elsewhere that its spec is written in, and only there; empty: the API's
    managed_by = models.CharField(max_length=255, blank=True, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.resource_id

    @property
    def name(self) -> str:
        """The full resource name, for example ``projects/p/instances/web-1``."""
        return f"projects/{self.project.resource_id}/{self.collection}/{self.resource_id}"

    @property
    def etag(self) -> str:
        """AIP-154: changes with every stored change, of spec or status."""
        return f'"{self.uid.hex[:8]}-{self.revision}"'
