"""How a watched resource looks: by the collection that serves its kind.

CYCLOUD_WATCHED names the lists of collections (dotted paths), since the shared base knows no app.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from cycloud.core.iam.actor import Actor

__all__ = ["Json", "Watched", "bodies", "watched"]

Json = dict[str, Any]
# bodies are for members of the project, so nothing that only operators see may be in them
_READER = Actor(principal="system/changes")


class Watched(Protocol):
    """What the feed needs of a collection."""

    kind: Any

    def by_uid(self, uids: set[UUID]) -> Mapping[UUID, Any]: ...

    def list_json(self, resources: Sequence[Any], actor: Actor) -> list[Json]: ...


@cache
def watched() -> Mapping[str, Watched]:
    """Return the watched collections by the kind of their resources."""
    lists: list[Sequence[Watched]] = [import_string(path) for path in settings.CYCLOUD_WATCHED]
    return {collection.kind: collection for collections in lists for collection in collections}


def bodies(kind: str, uids: set[UUID]) -> dict[UUID, Json]:
    """Return the resources that are there, as a member of their project sees them. A constant number of queries.

    Raises KeyError for a kind that is not watched.
    """
    collection = watched()[kind]
    found = collection.by_uid(uids)
    shown = collection.list_json(list(found.values()), _READER)
    return dict(zip(found, shown, strict=True))
