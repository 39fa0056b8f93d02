"""Reading rows by the names that objects go by, a page of them in a constant number of queries."""

from collections.abc import Collection, Iterator
from typing import ClassVar, Generic, TypeVar
from uuid import UUID

from django.db.models import QuerySet

from cycloud.core.resources.models import Reconciled
from cycloud.kubernetes.kinds import Json, Kind, Manifest

__all__ = ["RowKind", "cluster_reference", "is_settled", "object_name", "split_name", "spoken"]

R = TypeVar("R", bound=Reconciled)
_AT_ONCE = 2000


class RowKind(Kind, Generic[R]):
    """A kind whose objects are written from rows of one table, one each.

    ``name_fields``: where project and id of the name are, seen from the row.
    """

    name_fields: ClassVar[tuple[str, str]] = ("project__resource_id", "resource_id")

    def every(self) -> QuerySet[R]:
        """All rows, those of no object too."""
        raise NotImplementedError

    def shown(self) -> QuerySet[R]:
        """The rows that have an object, without what belongs to them."""
        return self.every()

    def loaded(self) -> QuerySet[R]:
        """The same rows with all that :meth:`manifest` reads."""
        raise NotImplementedError

    def name(self, row: R) -> str:
        """Return the full name, without a query."""
        raise NotImplementedError

    def manifest(self, row: R) -> Manifest:
        """Return the object of a row, without a query."""
        raise NotImplementedError

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        wanted = {name: split_name(name) for name in names}
        project, resource_id = self.name_fields
        # the product of both holds more than was asked for only where names of several projects are
        rows = self.loaded().filter(
            **{
                f"{project}__in": {pair[0] for pair in wanted.values()},
                f"{resource_id}__in": {pair[1] for pair in wanted.values()},
            }
        )
        named = ((self.name(row), row) for row in rows)
        return {name: self.manifest(row) for name, row in named if name in wanted}

    def names(self) -> Iterator[str]:
        pairs = self.shown().order_by().values_list(*self.name_fields)
        for project_id, resource_id in pairs.iterator(chunk_size=_AT_ONCE):
            yield self._join(project_id, resource_id)

    def names_of(self, uids: Collection[UUID]) -> dict[UUID, str]:
        rows = self.every().filter(uid__in=uids).order_by().values_list("uid", *self.name_fields)
        return {uid: self._join(project_id, resource_id) for uid, project_id, resource_id in rows}

    def _join(self, project_id: str, resource_id: str) -> str:
        return f"projects/{project_id}/{self.collection}/{resource_id}"


def split_name(name: str) -> tuple[str, str]:
    """Return project and id of ``projects/p/instances/web-1``; what is no such name is nobody's."""
    parts = name.split("/")
    return (parts[1], parts[3]) if len(parts) == 4 and parts[0] == "projects" else ("", "")


def object_name(name: str) -> str:
    """Return what the object of a resource is called: the last part of its name."""
    return name.rpartition("/")[2]


def is_settled(row: Reconciled) -> bool:
    """Whether the conditions are about what is declared now."""
    ready = row.ready
    return ready is not None and ready.observed_generation >= row.generation


def spoken(word: str) -> str:
    """Return a value of an enum as objects have it: IN_USE is InUse."""
    return "".join(part.capitalize() for part in word.split("_"))


def cluster_reference(resource_id: str | None) -> Json | None:
    """Return how an object names a cluster; only operators read such objects."""
    return None if resource_id is None else {"kind": "OpenStackCluster", "name": resource_id}
