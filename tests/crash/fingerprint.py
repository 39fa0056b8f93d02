"""Whether two moments are the same: then what follows from them is the same, and one of them is enough to follow.

Many points of a pass lead to one world: a worker that dies before a listing leaves what one leaves that dies after it.
"""

import hashlib
import random
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.apps import apps
from django.db import connection

from cycloud.simulator.site import Site

_APPS = ("compute", "networking", "reconcile", "aip", "iam")
# the times are the machine's own, and a revision counts publishes: no decision reads them
_COLUMNS_LEFT_OUT = ("create_time", "update_time", "revision")
# seconds since the epoch, dates in rows and in JSON, and the ids of requests, which nobody looks up
_TIMES = re.compile(
    r"\b\d{10}\.\d+|\b\d{4}-\d\d-\d\d[ T][\d:.]+|datetime\.datetime\([^)]*\)|\breq-[0-9a-f-]{36}"
)


@contextmanager
def reproducible(seed: int) -> Iterator[None]:
    """Within the block chance and new ids come from ``seed``, so that equal deeds lead to equal worlds."""
    source = random.Random(seed)
    state = random.getstate()
    random.seed(seed)

    def next_id() -> uuid.UUID:
        return uuid.UUID(int=source.getrandbits(128), version=4)

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(uuid, "uuid4", next_id)
            yield
    finally:
        random.setstate(state)


def fingerprint(site: Site) -> str:
    """A digest of all that the rest of a story can depend on: the clock, the clouds, the storage, the rows."""
    return _digest(f"{site.now()} {_everything(site)}")


def settled_fingerprint(site: Site) -> str:
    """The same for a world in which nothing is under way: there it does not matter what happened when."""
    return _digest(_TIMES.sub("", _everything(site)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _everything(site: Site) -> str:
    with site.lock:
        # how often a cloud was asked, and with which token, matters to nobody
        clouds = [replace(cloud, requests=0, tokens={}) for cloud in site.clouds.values()]
        objects = [(name, site.storage.digest(name)) for name in site.storage.names()]
        clouds_text = repr((clouds, site.timeline.pending(), site.guest_events, objects))
    tables = [m._meta.db_table for m in apps.get_models() if m._meta.app_label in _APPS]
    return clouds_text + repr([_rows(table) for table in tables])


def _rows(table: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")
        kept = [
            place
            for place, column in enumerate(cursor.description)
            if column[0] not in _COLUMNS_LEFT_OUT
        ]
        return [tuple(row[place] for place in kept) for row in cursor.fetchall()]
