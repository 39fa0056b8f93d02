"""What an app supplies to serve one kind of resource over REST; the rest is in the views."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from rest_framework.exceptions import MethodNotAllowed

from cycloud.core.aip.body import Body
from cycloud.core.aip.filters import Field
from cycloud.core.aip.writes import WriteOptions, Written
from cycloud.core.iam.actor import Actor

__all__ = ["Call", "Collection", "Json", "Result"]

R = TypeVar("R", bound=Model)
Json = dict[str, Any]
# a write answers an operation, or (catalog and IAM, done at once) the resource itself, or nothing (delete)
Result: TypeAlias = Written[R] | R | None


@dataclass(frozen=True)
class Call:
    """One request. ``project_id`` is empty for collections outside projects."""

    actor: Actor
    project_id: str
    options: WriteOptions


class Collection(Generic[R]):
    """A collection of resources: ``/v1/projects/{project}/instances``, or ``/v1/instanceTypes``.

    Subclasses set the class variables and override the methods that their kind has; a method that is not
    overridden answers 405. They call selectors and services and hold no rule.
    """

    name: ClassVar[str]
    # query parameter for the id at creation, and JSON key of a list
    id_parameter: ClassVar[str]
    list_key: ClassVar[str]
    kind: ClassVar[str] = ""
    in_project: ClassVar[bool] = True
    # fields that an update may change; that it may not; and, besides the common ones, that are output only
    updatable: ClassVar[frozenset[str]] = frozenset({"display_name", "labels", "annotations"})
    immutable: ClassVar[frozenset[str]] = frozenset()
    output_only: ClassVar[frozenset[str]] = frozenset()
    filters: ClassVar[Mapping[str, Field]] = {}
    # what users may order by -> column; and the default, unique together and never null
    orders: ClassVar[Mapping[str, str]] = {"create_time": "create_time", "name": "resource_id"}
    default_order: ClassVar[tuple[str, ...]] = ("create_time", "uid")
    # whether writes take a request_id; where they do not, a repeated create answers ALREADY_EXISTS
    remembers_requests: ClassVar[bool] = True
    verbs: ClassVar[frozenset[str]] = frozenset()

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[R]:
        """Return the rows that the actor may list, with what ``to_json`` needs fetched."""
        raise MethodNotAllowed("GET")

    def find(self, call: Call, resource_id: str) -> R:
        """Return one resource, or raise NotFound or PermissionDenied."""
        raise MethodNotAllowed("GET")

    def to_json(self, resource: R, actor: Actor) -> Json:
        """Return the resource as ``actor`` may see it. ``etag`` in it becomes the ETag header."""
        raise NotImplementedError(type(self).__name__)

    def list_json(self, resources: Sequence[R], actor: Actor) -> list[Json]:
        """Return a page of resources; override to fetch what they need together."""
        return [self.to_json(resource, actor) for resource in resources]

    def by_uid(self, uids: set[UUID]) -> Mapping[UUID, R]:
        """Return resources by uid, for the answers of operations that are done. The caller checked rights."""
        return {}

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[R]:
        raise MethodNotAllowed("POST")

    def update(self, call: Call, resource_id: str, body: Body) -> Result[R]:
        """Change the fields that ``body.has`` names."""
        raise MethodNotAllowed("PATCH")

    def delete(self, call: Call, resource_id: str) -> Result[R]:
        raise MethodNotAllowed("DELETE")

    def run_verb(self, verb: str, call: Call, resource_id: str, body: Body) -> Result[R]:
        """Run a custom method (AIP-136) that ``verbs`` names."""
        raise MethodNotAllowed("POST")

    def supports(self, method: str) -> bool:
        """Tell whether a method of this name is overridden."""
        return getattr(type(self), method) is not getattr(Collection, method)
