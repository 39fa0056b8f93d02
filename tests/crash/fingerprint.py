"""Whether two moments are the same: then what follows from them is the same, and one of them is enough to follow.

Many points of a pass lead to one world: a worker that dies before a listing leaves what one leaves that dies after it.
"""

import hashlib
import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.apps import apps
from django.db import connection

from cycloud.simulator.site import Site

_APPS = ("compute", "networking", "reconcile", "aip", "iam")
# written by the database layer from the machine's own clock, and read by no decision
_COLUMNS_LEFT_OUT = ("create_time", "update_time")


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
    digest = hashlib.sha256()
    with site.lock:
        digest.update(repr(site.now()).encode())
        for cloud in site.clouds.values():
            # how often a cloud was asked matters to nobody
            digest.update(repr(replace(cloud, requests=0)).encode())
        digest.update(repr(site.timeline.pending()).encode())
        digest.update(repr(site.guest_events).encode())
        for name in site.storage.names():
            digest.update(f"{name} {site.storage.digest(name)}".encode())
    for model in apps.get_models():
        if model._meta.app_label in _APPS:
            digest.update(repr(_rows(model._meta.db_table)).encode())
    return digest.hexdigest()


def _rows(table: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")
        kept = [
            place
            for place, column in enumerate(cursor.description)
            if column[0] not in _COLUMNS_LEFT_OUT
        ]
        return [tuple(row[place] for place in kept) for row in cursor.fetchall()]
