"""Comparing all objects with all rows, page by page: the safety net under the watches.

Memory: one page of objects and its rows, and the names of one kind. No call per object; for each page a constant number
of queries, and one for each namespace in it. What agrees is not marked.
"""

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import Error, close_old_connections, connection

from cycloud.core.circuits import Clock
from cycloud.core.clock import now
from cycloud.core.reconcile.models import Lane
from cycloud.kubernetes.client import KubernetesClient, client
from cycloud.kubernetes.faults import KubernetesFault
from cycloud.kubernetes.kinds import Json, Kind, Manifest
from cycloud.kubernetes.objects import agrees
from cycloud.kubernetes.watcher.backoff import Backoff, jittered
from cycloud.kubernetes.watcher.marking import full_names, mark_all

__all__ = ["Relisted", "Relister", "relist"]

PAGE = 500

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Relisted:
    """What a comparison came to."""

    objects: int = 0
    rows_without_object: int = 0
    marked: int = 0

    def __add__(self, other: "Relisted") -> "Relisted":
        return Relisted(
            self.objects + other.objects,
            self.rows_without_object + other.rows_without_object,
            self.marked + other.marked,
        )


def relist(
    kinds: Iterable[Kind],
    *,
    source: KubernetesClient | None = None,
    stop: threading.Event | None = None,
) -> Relisted:
    """Mark (Lane.RESYNC) every object and every row of these kinds that do not agree.

    :raises KubernetesFault: of any page; what was marked until then stays. GONE: begin anew.
    """
    total = Relisted()
    for kind in kinds:
        total += _relist_kind(kind, source or client(), stop or threading.Event())
    return total


def _relist_kind(kind: Kind, source: KubernetesClient, stop: threading.Event) -> Relisted:
    seen: set[str] = set()
    marked = 0
    for page in source.pages(kind.api, limit=PAGE):
        if stop.is_set():
            return Relisted(len(seen), 0, marked)
        objects = _by_name(kind, page.items)
        manifests = _manifests(kind, objects)
        wrong = [
            name
            for name, observed in objects.items()
            if not agrees(kind, manifests.get(name), observed, now())
        ]
        marked += mark_all(kind, wrong, Lane.RESYNC)
        seen.update(objects)
    # all at once: no cursor stays open while rows of the queue are written
    unseen = [name for name in kind.names() if name not in seen]
    for start in range(0, len(unseen), PAGE):
        if stop.is_set():
            break
        rows = kind.manifests(unseen[start : start + PAGE])
        missing = [name for name, row in rows.items() if not agrees(kind, row, None, now())]
        marked += mark_all(kind, missing, Lane.RESYNC)
    return Relisted(len(seen), len(unseen), marked)


def _by_name(kind: Kind, items: Sequence[Json]) -> dict[str, Json]:
    """Return objects by the names of their resources; one query for each namespace."""
    found: dict[str, Json] = {}
    for namespace, objects in _by_namespace(items).items():
        names = [str(observed["metadata"]["name"]) for observed in objects]
        found.update(zip(full_names(kind.collection, namespace, names), objects, strict=True))
    return found


def _by_namespace(items: Sequence[Json]) -> dict[str, list[Json]]:
    groups: dict[str, list[Json]] = {}
    for observed in items:
        groups.setdefault(str(observed["metadata"].get("namespace") or ""), []).append(observed)
    return groups


def _manifests(kind: Kind, names: Iterable[str]) -> dict[str, Manifest]:
    # of an object in a namespace that is bound to nobody there is no row
    return kind.manifests([name for name in names if not name.startswith("namespaces/")])


class Relister:
    """Compares the kinds that were asked for, and now and then all of them, in a thread of its own."""

    def __init__(
        self,
        source: KubernetesClient,
        kinds: Sequence[Kind],
        stop: threading.Event,
        clock: Clock = time.monotonic,
    ) -> None:
        self._source = source
        self._kinds = kinds
        self._stop = stop
        self._clock = clock
        self._asked: set[str] = set()
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._next = self._after_a_while()
        # for tests and logs: how many kinds were compared to the end
        self.done = 0

    def ask(self, kind: Kind) -> None:
        """Have a kind compared; from any thread."""
        with self._lock:
            self._asked.add(kind.api.kind)
        self._news.set()

    def wake(self) -> None:
        """Have the thread look at ``stop`` now."""
        self._news.set()

    def run(self) -> None:
        """Compare until ``stop``."""
        backoff = Backoff()
        try:
            while not self._stop.is_set():
                self._news.wait(max(0.0, self._next - self._clock()))
                self._news.clear()
                if self._clock() >= self._next:
                    self._next = self._after_a_while()
                    with self._lock:
                        self._asked.update(kind.api.kind for kind in self._kinds)
                self._compare(backoff)
        finally:
            connection.close()

    def _compare(self, backoff: Backoff) -> None:
        for kind in self._take():
            if self._stop.is_set():
                return
            close_old_connections()
            try:
                relisted = relist([kind], source=self._source, stop=self._stop)
            except (KubernetesFault, Error) as error:
                retry_after = error.retry_after if isinstance(error, KubernetesFault) else None
                seconds = backoff.failed(retry_after)
                logger.warning(
                    "%s was not compared: %s; again in %.1f s", kind.api.kind, error, seconds
                )
                self.ask(kind)
                if self._stop.wait(seconds):
                    return
            else:
                backoff.succeeded()
                self.done += 1
                if relisted.marked:
                    logger.info("%s: %s", kind.api.kind, relisted)

    def _take(self) -> Iterator[Kind]:
        with self._lock:
            asked, self._asked = self._asked, set()
        # owners before what they own
        return (kind for kind in self._kinds if kind.api.kind in asked)

    def _after_a_while(self) -> float:
        return self._clock() + jittered(settings.CYCLOUD_KUBERNETES_RELIST_SECONDS)
