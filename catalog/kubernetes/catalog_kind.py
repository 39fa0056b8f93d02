"""What the kinds of the catalog have in common: ready when stored, written by operators, outside namespaces."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields as fields_of
from typing import Any, ClassVar, Generic, TypeVar
from uuid import UUID

from django.db.models import QuerySet

from catalog.models.resource import CatalogResource
from cycloud.core.aip.body import Body
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.conditions import READY, Condition, Status
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.fields import METADATA, object_fields
from cycloud.kubernetes.kinds import Intake, Json, Manifest, TakenIn
from cycloud.kubernetes.takeover import refuse_unless_managed

__all__ = ["CatalogKind"]

R = TypeVar("R", bound=CatalogResource)
D = TypeVar("D")
_AT_ONCE = 2000


class CatalogKind(TakenIn, Generic[R, D]):
    """A kind of rows ``R``; ``D`` is a frozen dataclass of what an object, or a row, declares.

    Object and row are read by the same :meth:`read`, so that they are compared as values: "1024Mi" is "1Gi", and lists
    of placements have no order.
    """

    has_labels = False
    names_clusters = True
    # the services' names of fields, to the object's
    fields: ClassVar[Mapping[str, str]]

    def rows(self) -> QuerySet[R]:
        """Return all rows with what :meth:`spec_of` reads of them."""
        raise NotImplementedError

    def spec_of(self, row: R) -> Json:
        """Return the row's declaration; no query, no secret."""
        raise NotImplementedError

    def message_of(self, row: R) -> str:
        """Return what there is to be said of the resource's state."""
        return ""

    def read(self, spec: Body, resource_id: str) -> D:
        """Return what a spec declares; no query. Raises InvalidArgument naming the object's field.

        ``resource_id`` is empty where only two declarations are compared.
        """
        raise NotImplementedError

    def check(self, wanted: D) -> None:
        """Raise InvalidArgument where an item of a list is wrong: the services do not say which one."""

    def create(self, actor: Actor, resource_id: str, wanted: D, options: WriteOptions) -> None:
        """Create the resource through its service."""
        raise NotImplementedError

    def update(
        self, actor: Actor, row: R, wanted: D, changes: Mapping[str, Any], options: WriteOptions
    ) -> None:
        """Change those fields of ``D`` that ``changes`` names."""
        raise NotImplementedError

    def delete(self, actor: Actor, resource_id: str, options: WriteOptions) -> None:
        """Delete the resource through its service."""
        raise NotImplementedError

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        ids = [_id_of(name) for name in names]
        return {row.name: self._manifest(row) for row in self.rows().filter(resource_id__in=ids)}

    def names(self) -> Iterator[str]:
        ids = self.rows().prefetch_related(None).order_by().values_list("resource_id", flat=True)
        return (f"{self.collection}/{resource_id}" for resource_id in ids.iterator())

    def names_of(self, uids: Collection[UUID]) -> dict[UUID, str]:
        rows = self.rows().filter(uid__in=uids).values_list("uid", "resource_id")
        return {uid: f"{self.collection}/{resource_id}" for uid, resource_id in rows}

    def agrees(self, manifest: Manifest, spec: Json) -> bool:
        try:
            declared = self.read(Body(spec, path="spec"), "")
        except InvalidArgument:
            return False
        return not _differences(self.read(Body(manifest.spec), ""), declared)

    def take(self, intake: Intake, name: str, manifest: Json) -> None:
        resource_id = _id_of(name)
        options = WriteOptions(manager=intake.manager)
        with object_fields({**METADATA, **self.fields}):
            wanted = self.read(Body(manifest.get("spec") or {}, path="spec"), resource_id)
            row = self.rows().filter(resource_id=resource_id).first()
            if row is None:
                self.check(wanted)
                self.create(intake.actor, resource_id, wanted, options)
                return
            refuse_unless_managed(self, row, intake)
            changes = _differences(self.read(Body(self.spec_of(row)), resource_id), wanted)
            if changes:
                self.check(wanted)
                self.update(intake.actor, row, wanted, changes, options)

    def remove(self, intake: Intake, name: str) -> None:
        resource_id = _id_of(name)
        row = self.rows().filter(resource_id=resource_id).first()
        # what another object or the API declares is not this object's to delete
        if row is not None and row.managed_by == intake.manager:
            self.delete(intake.actor, resource_id, WriteOptions(manager=intake.manager))

    def _manifest(self, row: R) -> Manifest:
        # Ready since it is there: a time that changed with every write would be a transition without one
        ready = Condition(
            READY,
            Status.TRUE,
            "Available",
            self.message_of(row),
            last_transition_time=row.create_time,
        )
        return Manifest(
            uid=row.uid, spec=self.spec_of(row), conditions=(ready,), managed_by=row.managed_by
        )


def _id_of(name: str) -> str:
    return name.rpartition("/")[2]


def _differences(current: object, wanted: object) -> dict[str, Any]:
    """Return the fields of ``wanted`` that ``current`` has otherwise."""
    return {
        field.name: getattr(wanted, field.name)
        for field in fields_of(wanted)  # type: ignore[arg-type]
        if _unordered(getattr(current, field.name)) != _unordered(getattr(wanted, field.name))
    }


def _unordered(value: object) -> object:
    return sorted(value, key=repr) if isinstance(value, tuple) else value
