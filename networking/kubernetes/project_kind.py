"""What the kinds of networking have in common: rows of projects, one object each."""

from typing import TypeVar

from django.db.models import QuerySet

from cycloud.core.resources.models import ProjectResource
from cycloud.kubernetes.kinds import Json, Manifest
from cycloud.kubernetes.metadata import shown_annotations, shown_labels
from cycloud.kubernetes.row_kinds import RowKind, is_settled

__all__ = ["ProjectKind"]

R = TypeVar("R", bound=ProjectResource)


class ProjectKind(RowKind[R]):
    """A kind of rows ``R``."""

    def rows(self) -> QuerySet[R]:
        """Return all rows with what :meth:`spec_of` and :meth:`status_of` read of them."""
        raise NotImplementedError

    def spec_of(self, row: R) -> Json:
        """Return the row's declaration; no query."""
        raise NotImplementedError

    def status_of(self, row: R) -> Json:
        """Return what is besides the conditions; no query."""
        return {}

    def every(self) -> QuerySet[R]:
        return self.rows()

    def loaded(self) -> QuerySet[R]:
        return self.rows()

    def name(self, row: R) -> str:
        return row.name

    def manifest(self, row: R) -> Manifest:
        return Manifest(
            uid=row.uid,
            spec=self.spec_of(row),
            status=self.status_of(row),
            conditions=row.condition_list(),
            labels=shown_labels(row.labels),
            annotations=shown_annotations(row.annotations),
            settled=is_settled(row),
            managed_by=row.managed_by,
            deleting=row.delete_time is not None,
        )
