"""What an app supplies to have one kind of its resources in Kubernetes; the sync is the same for all.

A resource is known by its full name (AIP-122), such as ``projects/p/instances/web-1`` or ``instanceTypes/m8a.medium``;
a provider row by the name of the interface resource that it is for. The last part is the name of the object.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from uuid import UUID

from cycloud.core.conditions import Condition
from cycloud.core.iam.actor import Actor

__all__ = ["ApiKind", "Intake", "Json", "Kind", "Manifest", "Owner", "TakenIn"]

Json = dict[str, Any]


@dataclass(frozen=True)
class ApiKind:
    """Where the Kubernetes API has a kind: ``/apis/{group}/{version}/[namespaces/{namespace}/]{plural}``."""

    group: str
    kind: str
    plural: str
    short_names: tuple[str, ...] = ()
    namespaced: bool = True
    version: str = "v1"

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}"

    @property
    def singular(self) -> str:
        return self.kind.lower()

    @property
    def definition(self) -> str:
        """The name of its CustomResourceDefinition."""
        return f"{self.plural}.{self.group}"


@dataclass(frozen=True)
class Owner:
    """The object that an object belongs to; it is in the same namespace."""

    kind: str
    name: str


@dataclass(frozen=True)
class Manifest:
    """One of our rows as a custom resource, without what the API server adds.

    ``spec`` has every field, in the form that the API server stores it in (defaults filled in). ``status`` has what is
    besides ``conditions``, ``observedGeneration`` and ``uid``. ``settled``: the conditions are about the present
    declaration. ``managed_by``: see ``cycloud.core.resources.managers``. ``deleting``: the resource is on its way out.
    """

    uid: UUID
    spec: Json
    status: Json = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    settled: bool = True
    managed_by: str = ""
    deleting: bool = False
    owner: Owner | None = None


class Kind:
    """One kind of rows, written out as custom resources."""

    api: ClassVar[ApiKind]
    # the rows' own word for the kind, as the change feed and the provider rows have it
    row_kind: ClassVar[str]
    # the part of a name before the resource's id: "instances"
    collection: ClassVar[str]
    # whether clusters are named in it: Events are read by everybody in a namespace, so they leave its messages out
    names_clusters: ClassVar[bool] = False
    # whether the rows have labels and annotations
    has_labels: ClassVar[bool] = True

    def manifests(self, names: Collection[str]) -> dict[str, Manifest]:
        """Return what is to be in Kubernetes, by name; a constant number of queries. What is gone is left out.

        A deleted volume that waits for its purge is gone: its binding is still there.
        """
        raise NotImplementedError

    def names(self) -> Iterator[str]:
        """Return the names of all rows that :meth:`manifests` would return, in no order."""
        raise NotImplementedError

    def names_of(self, uids: Collection[UUID]) -> dict[UUID, str]:
        """Return the names of the rows that are there, a deleted volume's too."""
        raise NotImplementedError

    def agrees(self, manifest: Manifest, spec: Json) -> bool:
        """Tell whether a declaration as somebody wrote it says what the row says.

        Asked only of resources that are managed by Kubernetes: "1Ti" is 1024Gi there, and what may be left out may be
        missing. Of the others the spec must be ours to the letter.
        """
        return manifest.spec == spec


@dataclass(frozen=True)
class Intake:
    """Who takes an object in, and on whose behalf.

    ``manager``: what the row's ``managed_by`` is to be. Services get it in their WriteOptions.
    """

    actor: Actor
    manager: str


class TakenIn(Kind):
    """A kind whose objects people and GitOps tools may write."""

    def take(self, intake: Intake, name: str, manifest: Json) -> None:
        """Make the row say what the object says: create it, or change what differs, through the services.

        Level-triggered: nothing is written where nothing differs. Runs in the caller's transaction, rolled back
        when this raises a CycloudError (its violations name fields of the object: ``spec.size``), and for dry runs.
        ``manifest`` is the object as the API server has it, in the stored version.
        """
        raise NotImplementedError

    def remove(self, intake: Intake, name: str) -> None:
        """Delete the resource through the services, with all their protections. Again: nothing.

        Raises CycloudError where that is refused for now.
        """
        raise NotImplementedError
