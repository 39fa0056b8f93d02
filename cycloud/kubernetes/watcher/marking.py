"""From objects that changed to rows of the queue, by one thread, so that no watch waits for the database."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import Error, close_old_connections, connection, transaction

from cycloud.core.reconcile.models import Lane
from cycloud.core.reconcile.queue import in_order
from cycloud.kubernetes.kinds import ApiKind, Json, Kind, TakenIn
from cycloud.kubernetes.marks import mark
from cycloud.kubernetes.namespaces import names_in_namespace
from cycloud.kubernetes.registry import join_key
from cycloud.kubernetes.watcher.backoff import Backoff

__all__ = ["Marker", "Noted", "full_names", "lane_of", "mark_all", "note_of"]

# of one transaction: it locks rows of the queue (in SQLite the whole database), and users wait for it
BATCH = 25
# the queue's column; no resource has a name that long
_LONGEST_KEY = 255

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Noted:
    """An object that is to be looked at; ``namespace`` is empty for what is outside namespaces."""

    api: ApiKind
    collection: str
    namespace: str
    name: str


def note_of(kind: Kind, observed: Json) -> Noted:
    """Return which object it is."""
    metadata = observed["metadata"]
    namespace = str(metadata.get("namespace") or "")
    return Noted(kind.api, kind.collection, namespace, str(metadata["name"]))


def lane_of(kind: Kind, observed: Json) -> Lane:
    """Return the lane for an object that changed: a user waits where it was not yet taken in as it is now."""
    if not isinstance(kind, TakenIn):
        return Lane.EVENT
    status = observed.get("status") or {}
    generation = observed["metadata"].get("generation")
    if not status.get("uid") or status.get("observedGeneration") != generation:
        return Lane.USER
    return Lane.EVENT


def full_names(collection: str, namespace: str, names: Sequence[str]) -> list[str]:
    """Return the resources' names of objects; one query for a namespace, none outside of them."""
    if not namespace:
        return [f"{collection}/{name}" for name in names]
    return names_in_namespace(namespace, collection, list(names))


def mark_all(kind: Kind, names: Sequence[str], lane: Lane) -> int:
    """Mark these resources, a few to a transaction; return how many."""
    good = [name for name in names if _has_room(kind.api, name)]
    for start in range(0, len(good), BATCH):
        with transaction.atomic(), in_order():
            for name in good[start : start + BATCH]:
                mark(kind.api.kind, name, lane=lane)
    return len(good)


def _has_room(api: ApiKind, name: str) -> bool:
    if len(join_key(api.kind, name)) <= _LONGEST_KEY:
        return True
    logger.warning(
        "%s %.80s...: the name is too long to be a resource's; it is left alone", api.kind, name
    )
    return False


class Marker:
    """Collects objects, and marks them at once in a thread of its own; what is noted again meanwhile is marked once.

    Nothing is lost while the database is away; what is lost with the process, the listing at the next start finds.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._pending: dict[Noted, Lane] = {}
        self._lock = threading.Lock()
        self._news = threading.Event()

    def note(self, noted: Noted, lane: Lane) -> None:
        """Have the object marked; from any thread."""
        with self._lock:
            before = self._pending.get(noted)
            self._pending[noted] = lane if before is None else min(lane, before)
        self._news.set()

    def wake(self) -> None:
        """Have the thread look at ``stop`` now."""
        self._news.set()

    @property
    def pending(self) -> int:
        """How many objects wait to be marked."""
        return len(self._pending)

    def run(self) -> None:
        """Mark until ``stop``; then what is left, if the database lets it."""
        backoff = Backoff()
        try:
            while not self._stop.is_set():
                self._news.wait()
                self._news.clear()
                self._flush_all(backoff)
        finally:
            connection.close()

    def flush(self) -> int:
        """Mark some, the most urgent first; return how many. Nothing is lost by a database error."""
        with self._lock:
            batch = sorted(self._pending.items(), key=lambda item: item[1])[:BATCH]
            for noted, _ in batch:
                del self._pending[noted]
        try:
            with transaction.atomic(), in_order():
                for (api, collection, namespace, lane), names in _grouped(batch).items():
                    for name in full_names(collection, namespace, names):
                        if _has_room(api, name):
                            mark(api.kind, name, lane=lane)
        except BaseException:
            # whatever ends this, also the process's own end: what was taken out is still to be marked
            for noted, lane in batch:
                self.note(noted, lane)
            raise
        return len(batch)

    def _flush_all(self, backoff: Backoff) -> None:
        while self._pending:
            close_old_connections()
            try:
                self.flush()
            except Error as error:
                seconds = backoff.failed()
                logger.error(
                    "%d changed objects wait for the database (%s); tried again in %.1f s",
                    len(self._pending),
                    type(error).__name__,
                    seconds,
                )
                if self._stop.wait(seconds):
                    return
            else:
                backoff.succeeded()


def _grouped(
    batch: Sequence[tuple[Noted, Lane]],
) -> dict[tuple[ApiKind, str, str, Lane], list[str]]:
    groups: dict[tuple[ApiKind, str, str, Lane], list[str]] = {}
    for noted, lane in batch:
        key = noted.api, noted.collection, noted.namespace, lane
        groups.setdefault(key, []).append(noted.name)
    return groups
