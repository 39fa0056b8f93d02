"""Asking for a sync: a row of the engine's queue, in the transaction that changed the resource."""

from collections.abc import Sequence
from uuid import UUID

from cycloud.core.mirrors import Changed
from cycloud.core.reconcile.queue import Lane, enqueue
from cycloud.kubernetes.registry import join_key, kind_of_rows

__all__ = ["CONTROLLER", "QUEUE", "mark", "mark_changed"]

CONTROLLER = "kubernetes"
# a queue of its own: no work on OpenStack waits for an API server
QUEUE = "kubernetes"


def mark(kind: str, name: str, *, lane: Lane = Lane.USER) -> None:
    """Ask for the sync of one object, in the present transaction."""
    parts = name.split("/")
    project = parts[1] if parts[0] == "projects" else ""
    enqueue(CONTROLLER, join_key(kind, name), lane=lane, queue=QUEUE, project=project)


def mark_changed(changed: Sequence[Changed]) -> None:
    """Ask for the sync of what a transaction changed (CYCLOUD_MIRRORS)."""
    unnamed: dict[str, set[UUID]] = {}
    for item in changed:
        kind = kind_of_rows(item.kind)
        if kind is None:
            continue
        if item.name:
            mark(kind.api.kind, item.name)
        else:
            unnamed.setdefault(item.kind, set()).add(item.uid)
    for row_kind, uids in unnamed.items():
        kind = kind_of_rows(row_kind)
        if kind is not None:
            for name in kind.names_of(uids).values():
                mark(kind.api.kind, name)
