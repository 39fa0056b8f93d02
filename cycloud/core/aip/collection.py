"""What an app supplies to serve one kind of resource over REST and gRPC; the rest is in ``methods``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from google.protobuf import descriptor_pool

from cycloud.core.aip.body import Body
from cycloud.core.aip.errors import Code, CycloudError, FailedPrecondition
from cycloud.core.aip.filters import Field
from cycloud.core.aip.models import Operation
from cycloud.core.aip.writes import WriteOptions, Written
from cycloud.core.iam.actor import Actor

__all__ = ["Call", "Collection", "Json", "MethodNotSupported", "Result"]

R = TypeVar("R", bound=Model)
Json = dict[str, Any]
# a write answers an operation, or (catalog and IAM, done at once) the resource itself, or nothing (delete), or
# (custom methods that change nothing) an answer of its own form
Result: TypeAlias = Written[R] | R | Json | None


class MethodNotSupported(CycloudError):
    """The collection has no such standard method."""

    code = Code.UNIMPLEMENTED
    reason = "METHOD_NOT_ALLOWED"
    http = 405

    @classmethod
    def of(cls, collection: str) -> "MethodNotSupported":
        return cls(f"{collection} has no such method. See the API guide for those that it has.")


@dataclass(frozen=True)
class Call:
    """One request. ``project_id`` is empty for collections outside projects.

    ``parent_id`` is the id of the resource that holds the collection, where it is :attr:`Collection.within` one.
    """

    actor: Actor
    project_id: str
    options: WriteOptions
    parent_id: str = ""


class Collection(Generic[R]):
    """A collection of resources: ``/v1/projects/{project}/instances``, or ``/v1/instanceTypes``.

    Subclasses set the class variables and override the methods that their kind has; a method that is not
    overridden answers UNIMPLEMENTED. They call selectors and services and hold no rule.
    """

    name: ClassVar[str]
    # query parameter for the id at creation (empty: it cannot be chosen), and JSON key of a list
    id_parameter: ClassVar[str]
    list_key: ClassVar[str]
    kind: ClassVar[str] = ""
    # full name of the proto message, as answers in an Any carry it
    message: ClassVar[str] = ""
    in_project: ClassVar[bool] = True
    # collection of the project whose resources each hold one of this: keys of serviceAccounts
    within: ClassVar[str] = ""
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
    # whether what is deleted is kept for a while and left out of lists that do not ask for it (AIP-164)
    hides_deleted: ClassVar[bool] = False
    verbs: ClassVar[frozenset[str]] = frozenset()
    # those of them that change nothing
    read_verbs: ClassVar[frozenset[str]] = frozenset()

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[R]:
        """Return the rows that the actor may list, with what ``to_json`` needs fetched."""
        raise MethodNotSupported.of(self.name)

    def items(self, call: Call) -> Sequence[R]:
        """Return all resources that the actor may list, where they are few and no rows of a table.

        Such a collection overrides this instead of ``rows``.
        """
        raise MethodNotSupported.of(self.name)

    def find(self, call: Call, resource_id: str) -> R:
        """Return one resource, or raise NotFound or PermissionDenied."""
        raise MethodNotSupported.of(self.name)

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
        raise MethodNotSupported.of(self.name)

    def update(self, call: Call, resource_id: str, body: Body) -> Result[R]:
        """Change the fields that ``body.has`` names."""
        raise MethodNotSupported.of(self.name)

    def delete(self, call: Call, resource_id: str) -> Result[R]:
        raise MethodNotSupported.of(self.name)

    def run_verb(self, verb: str, call: Call, resource_id: str, body: Body) -> Result[R]:
        """Run a custom method (AIP-136) that ``verbs`` names."""
        raise MethodNotSupported.of(self.name)

    def cancel(self, call: Call, operation: Operation) -> None:
        """Turn back what an operation on a resource of this kind is about to do, and end it as cancelled.

        Raises FailedPrecondition where that is not safe, which is so unless a kind overrides it.
        """
        raise FailedPrecondition(
            f"{operation.name} ({operation.verb} of {operation.target_name}) cannot be turned back. Wait until "
            "it is done, then change or delete the resource.",
            reason="OPERATION_NOT_CANCELLABLE",
            resource=operation.name,
            metadata={"verb": operation.verb, "target": operation.target_name},
        )

    @property
    def fields(self) -> frozenset[str]:
        """The fields of a resource, as its proto message has them."""
        descriptor = descriptor_pool.Default().FindMessageTypeByName(self.message)
        return frozenset(descriptor.fields_by_name)

    def supports(self, method: str) -> bool:
        """Tell whether a method of this name is overridden; ``items`` stands for ``rows``."""
        names = ("rows", "items") if method == "rows" else (method,)
        return any(getattr(type(self), name) is not getattr(Collection, name) for name in names)
