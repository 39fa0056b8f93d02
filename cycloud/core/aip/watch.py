"""Watching a Collection, without a face: what a watch may carry, and who may have it.

REST sends what comes as server-sent events, gRPC as a stream. A watch shows what a list with the same filter shows,
and then how that changes.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from cycloud.core.aip.collection import Call, Collection, MethodNotSupported
from cycloud.core.aip.errors import PermissionDenied
from cycloud.core.aip.filter_match import compile_match
from cycloud.core.aip.filters import parse_filter
from cycloud.core.aip.pages import page_of
from cycloud.core.changes.events import EventType, Matches, WatchEvent
from cycloud.core.changes.feed import parse_version
from cycloud.core.changes.hub import Subscription, WatchRequest, hub
from cycloud.core.changes.snapshots import watched
from cycloud.core.iam.access import WILDCARD, held_projects, project_for, projects_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.permissions import permission_of

__all__ = ["WatchOptions", "is_watched", "watch_resources"]

_PAGE = 200


@dataclass(frozen=True)
class WatchOptions:
    """What a watch may carry. An empty ``resource_version`` begins with what is there.

    ``allow_bookmarks``: whether the face sends BOOKMARK events on; the subscription yields them in any case.
    """

    resource_version: str = ""
    filter: str = ""
    allow_bookmarks: bool = False


def is_watched(collection: Collection[Any]) -> bool:
    """Tell whether the collection has the method watch."""
    return collection.kind in watched()


def watch_resources(
    collection: Collection[Any],
    call: Call,
    options: WatchOptions,
    *,
    actor_now: Callable[[], Actor],
    identity: Hashable,
) -> Subscription:
    """Open a watch; whoever iterates over what is returned gets its events. Blocking.

    ``actor_now`` reads the caller's rights afresh: every CYCLOUD_WATCH_RECHECK_SECONDS, in another thread. It raises
    Unauthenticated where the credentials are no longer good. ``identity`` stands for the credentials (not a secret
    itself): watches that share it share the look. Raises InvalidArgument for a wrong filter or version, OutOfRange for
    a version that is not kept, NotFound, PermissionDenied, ResourceExhausted.
    """
    if not is_watched(collection):
        raise MethodNotSupported.of(collection.name)
    permission = permission_of(collection.name, "watch")
    projects = _projects(call.actor, call.project_id, permission)
    parse_filter(options.filter, collection.filters)
    begins = not options.resource_version

    def check() -> None:
        allowed = _projects(actor_now(), call.project_id, permission)
        if allowed is not None and (projects is None or not projects <= allowed):
            raise PermissionDenied(
                "Your rights in the watched projects have changed. Watch again to see those that you may see.",
                reason="WATCH_RIGHTS_CHANGED",
            )

    return hub().subscribe(
        WatchRequest(
            kinds=frozenset({collection.kind}),
            projects=projects,
            check=check,
            identity=(identity, collection.name, call.project_id),
            after=None if begins else parse_version(options.resource_version),
            present=_present(collection, call, options.filter) if begins else None,
            matches=_matches(collection, options.filter),
        )
    )


def _projects(actor: Actor, project_id: str, permission: str) -> frozenset[int] | None:
    """Return the keys of the projects that a parent means; None for all. Raises NotFound, PermissionDenied."""
    if project_id != WILDCARD:
        return frozenset({project_for(actor, project_id, permission).pk})
    if held_projects(actor, permission) is None:
        return None
    return frozenset(projects_for(actor, permission).values_list("pk", flat=True))


def _matches(collection: Collection[Any], text: str) -> Matches | None:
    """Return what lets a body through as the list lets its row through; None where all pass."""
    passes = compile_match(text, collection.filters) if text.strip() else None
    if not collection.hides_deleted:
        return passes

    def matches(body: Mapping[str, Any]) -> bool:
        return body.get("delete_time") is None and (passes is None or passes(body))

    return matches


def _present(collection: Collection[Any], call: Call, text: str) -> Iterator[list[WatchEvent]]:
    """Read what is there, page by page."""
    rows = collection.rows(call, False).filter(parse_filter(text, collection.filters))
    token = ""
    while True:
        page = page_of(
            rows, order=collection.default_order, scope=["watch"], size=_PAGE, token=token
        )
        bodies = collection.list_json(page.items, call.actor)
        yield [
            WatchEvent(EventType.ADDED, None, collection.kind, UUID(body["uid"]), body)
            for body in bodies
        ]
        token = page.next_page_token
        if not token:
            return
