"""Many watches on one process: each gets every change once, in order, for little memory and no thread."""

import asyncio
import threading
import tracemalloc

import pytest
from asgiref.sync import sync_to_async

from cycloud.core.changes.events import EventType
from cycloud.core.changes.hub import Hub, WatchRequest
from cycloud.core.iam.models import Project
from tests.core.changes.conftest import Write

pytestmark = pytest.mark.django_db(transaction=True)
WATCHES = 200
CHANGES = 10
KIB_PER_WATCH = 16


async def test_many_watches_get_every_change_once(
    manual: Hub, project: Project, write: Write
) -> None:
    manual.bookmark_seconds = 60.0
    request = WatchRequest(
        frozenset({"Vpc"}), frozenset({project.pk}), lambda: None, identity="one", after=0
    )
    got: list[list[int | None]] = [[] for _ in range(WATCHES)]
    threads = threading.active_count()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]

    async def read(versions: list[int | None]) -> None:
        subscription = await sync_to_async(manual.subscribe)(request)
        async for event in subscription:
            if event.type is not EventType.BOOKMARK:
                versions.append(event.version)
            if len(versions) == CHANGES:
                return

    readers = [asyncio.create_task(read(versions)) for versions in got]
    while not (manual.watches == WATCHES and manual.all_joined):
        await asyncio.sleep(0)
    per_watch = (tracemalloc.get_traced_memory()[0] - before) / WATCHES / 1024
    tracemalloc.stop()
    # the threads that read the table for those that begin, and no more
    assert threading.active_count() - threads < 10
    for number in range(CHANGES):
        await sync_to_async(write)("a", str(number))
        await sync_to_async(manual.poll)()
    await asyncio.wait_for(asyncio.gather(*readers), 60)
    assert got == [list(range(1, CHANGES + 1))] * WATCHES
    assert manual.watches == 0
    assert per_watch < KIB_PER_WATCH
