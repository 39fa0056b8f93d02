"""Recording what a transaction changed, at its end, under versions that follow the order of the commits.

Whoever changes a resource says so in the transaction (``record_added``, ``record_changed``, ``record_gone``); the
frame of the transaction (``in_order`` and ``publishing`` in ``cycloud.core.reconcile``) writes the rows when all else
is written.

The versions are given out under the lock of one row, which is held until the commit. So a version that a reader sees
means that every smaller one is committed too: no change comes late, and none is left out. The lock is taken
last of all, so it cannot be part of a deadlock. The bodies are read behind it: two transactions that change what
one body shows end in the body that shows both.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction

from cycloud.core.changes.models import Change, ChangeType, FeedPosition
from cycloud.core.changes.news import tell
from cycloud.core.changes.snapshots import Json, bodies
from cycloud.core.clock import now
from cycloud.core.mirrors import Changed

__all__ = ["Pending", "collecting", "record_added", "record_changed", "record_gone"]

logger = logging.getLogger(__name__)


@dataclass
class _Subject:
    """What the transaction did to one resource. ``last``: the body it had before it was deleted."""

    kind: str
    project_id: int | None
    added: bool = False
    gone: bool = False
    last: Json | None = None


class Pending:
    """What the present transaction has changed so far, each resource once."""

    def __init__(self) -> None:
        self._subjects: dict[UUID, _Subject] = {}

    def note(self, kind: str, uid: UUID, project_id: int | None) -> _Subject:
        return self._subjects.setdefault(uid, _Subject(kind, project_id))

    def changed(self) -> list[Changed]:
        """Return what was changed, for those who keep copies."""
        return [
            Changed(subject.kind, uid, str((subject.last or {}).get("name", "")))
            for uid, subject in self._subjects.items()
        ]

    def write(self) -> None:
        """Write the rows: the last thing to be done in the transaction. Nothing where nothing was changed."""
        subjects = {
            # what came and went within the transaction was never there
            uid: subject
            for uid, subject in self._subjects.items()
            if not (subject.added and subject.gone)
        }
        if not subjects:
            return
        with transaction.atomic():
            position = _locked_position()
            rows = list(_rows(subjects, position.version))
            Change.objects.bulk_create(rows)
            position.version += len(rows)
            position.save(update_fields=["version"])
        transaction.on_commit(tell, robust=True)


_pending: ContextVar[Pending | None] = ContextVar("pending_changes", default=None)


@contextmanager
def collecting() -> Iterator[Pending]:
    """Hold back what the block records; whoever opened the block writes it at the end of the transaction."""
    pending = Pending()
    token = _pending.set(pending)
    try:
        yield pending
    finally:
        _pending.reset(token)


def record_added(*, kind: str, uid: UUID, project_id: int | None) -> None:
    """Say that the present transaction has made this resource."""
    with _current() as pending:
        pending.note(kind, uid, project_id).added = True


def record_changed(*, kind: str, uid: UUID, project_id: int | None) -> None:
    """Say that the present transaction has changed this resource, or what the API shows of it."""
    with _current() as pending:
        pending.note(kind, uid, project_id)


def record_gone(*, kind: str, uid: UUID, project_id: int | None) -> None:
    """Say that the present transaction is about to remove this resource. To be called while it is still there."""
    last = bodies(kind, {uid}).get(uid)
    with _current() as pending:
        subject = pending.note(kind, uid, project_id)
        subject.gone, subject.last = True, last or subject.last


@contextmanager
def _current() -> Iterator[Pending]:
    """The frame's changes; outside a frame they are written at once, in the present atomic block."""
    pending = _pending.get()
    if pending is not None:
        yield pending
        return
    pending = Pending()
    yield pending
    pending.write()


def _locked_position() -> FeedPosition:
    rows = FeedPosition.objects.select_for_update()
    position = rows.filter(id=FeedPosition.ID).first()
    if position is not None:
        return position
    try:
        with transaction.atomic():
            FeedPosition.objects.create(id=FeedPosition.ID)
    except IntegrityError:
        logger.debug("the first change of all was recorded twice at once")
    return rows.get(id=FeedPosition.ID)


def _rows(subjects: dict[UUID, _Subject], version: int) -> Iterator[Change]:
    kinds: dict[str, set[UUID]] = {}
    for uid, subject in subjects.items():
        if not subject.gone:
            kinds.setdefault(subject.kind, set()).add(uid)
    present = {
        uid: body for kind, uids in kinds.items() for uid, body in bodies(kind, uids).items()
    }
    time = now()
    for uid, subject in subjects.items():
        body = present.get(uid)
        kind_of_change = ChangeType.ADDED if subject.added else ChangeType.MODIFIED
        if body is None:
            body, kind_of_change = subject.last or _last_body(uid), ChangeType.DELETED
        if body is None:
            # made and removed again, and nobody was told of either
            continue
        version += 1
        yield Change(
            version=version,
            kind=subject.kind,
            uid=uid,
            project_id=subject.project_id,
            name=str(body.get("name", ""))[:255],
            type=kind_of_change,
            body=body,
            time=time,
        )


def _last_body(uid: UUID) -> Json | None:
    """Return what the feed says of a resource that vanished without notice."""
    last = Change.objects.filter(uid=uid).order_by("-version").first()
    return None if last is None or last.type == ChangeType.DELETED else last.body
