"""From the table to one watch: no gap, no double, whatever happens in between. The hub moves only when told to."""

import asyncio
import threading
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.conf import LazySettings
from django.db import DatabaseError

from cycloud.core.aip.errors import (
    Aborted,
    CycloudError,
    NotFound,
    OutOfRange,
    Unavailable,
)
from cycloud.core.changes import hub as hub_module
from cycloud.core.changes import subscription as subscription_module
from cycloud.core.changes.events import EventType, WatchEvent
from cycloud.core.changes.hub import Hub, Subscription, WatchRequest
from cycloud.core.changes.models import Change, FeedPosition
from cycloud.core.changes.tasks import trim_task
from cycloud.core.clock import now
from cycloud.core.iam.models import Project
from tests.core.changes.conftest import Write
from tests.core.changes.watching import allowed, take, watch
from tests.factories.iam import ProjectFactory

pytestmark = pytest.mark.usefixtures("bookmarks_at_once")


def test_a_watch_begins_with_what_the_table_has_behind_its_version(
    manual: Hub, project: Project, write: Write
) -> None:
    for number in range(3):
        write(f"v{number}")
    events = iter(watch(manual, project, after=1))
    assert take(events, 2) == [("ADDED", 2), ("ADDED", 3)]


def test_the_table_is_read_in_pieces(
    manual: Hub, project: Project, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscription_module, "_CHUNK", 2)
    for number in range(5):
        write(f"v{number}")
    events = iter(watch(manual, project))
    assert [version for _, version in take(events, 6)] == [1, 2, 3, 4, 5, 5]


def test_what_is_committed_later_is_handed_over_once(
    manual: Hub, project: Project, write: Write
) -> None:
    write("a")
    events = iter(watch(manual, project))
    assert take(events, 2) == [("ADDED", 1), ("BOOKMARK", 1)]
    write("a")
    write("b")
    manual.poll()
    manual.poll()
    assert take(events, 3) == [("MODIFIED", 2), ("ADDED", 3), ("BOOKMARK", 3)]


def test_a_hub_that_is_behind_the_table_hands_nothing_over_twice(
    manual: Hub, project: Project, write: Write
) -> None:
    first = iter(watch(manual, project, after=None))
    assert take(first, 1) == [("BOOKMARK", 0)]
    write("a")
    # the hub has not polled yet; the second watch reads the change from the table
    second = iter(watch(manual, project))
    assert take(second, 1) == [("ADDED", 1)]
    manual.poll()
    assert take(first, 1) == [("ADDED", 1)]
    assert take(second, 1) == [("BOOKMARK", 1)]


def test_a_hub_that_is_ahead_of_a_watch_makes_it_read_on_in_the_table(
    manual: Hub, project: Project, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a")
    events = iter(watch(manual, project))
    join = manual.join
    moments = iter([True, False])

    def join_late(subscription: Subscription) -> bool:
        # between the reading and the joining something is committed and handed over
        if next(moments, False):
            write("b")
            manual.poll()
        return join(subscription)

    monkeypatch.setattr(manual, "join", join_late)
    assert take(events, 3) == [("ADDED", 1), ("ADDED", 2), ("BOOKMARK", 2)]


def test_a_watch_goes_on_across_a_new_hub_without_a_gap_or_a_double(
    manual: Hub, project: Project, write: Write
) -> None:
    write("a")
    before = iter(watch(manual, project))
    assert take(before, 2) == [("ADDED", 1), ("BOOKMARK", 1)]
    write("b")
    write("c")
    manual.poll()
    assert take(before, 1) == [("ADDED", 2)]
    # the portal is started anew; the reader had got version 2
    manual.close()
    write("d")
    again = Hub(threads=False)
    after = iter(watch(again, project, after=2))
    write("e")
    assert take(after, 4) == [("ADDED", 3), ("ADDED", 4), ("ADDED", 5), ("BOOKMARK", 5)]
    again.poll()
    assert take(after, 1) == [("BOOKMARK", 5)]
    again.close()


def test_projects_and_kinds_are_kept_apart(manual: Hub, project: Project, write: Write) -> None:
    other = ProjectFactory.create()
    mine, theirs = iter(watch(manual, project)), iter(watch(manual, other))
    everything = iter(manual.subscribe(WatchRequest(frozenset({"Vpc"}), None, allowed, after=0)))
    instances = iter(
        manual.subscribe(WatchRequest(frozenset({"Instance"}), None, allowed, after=0))
    )
    for events in (mine, theirs, everything, instances):
        assert take(events, 1) == [("BOOKMARK", 0)]
    write("a")
    write("b", owner=other)
    manual.poll()
    assert take(mine, 2) == [("ADDED", 1), ("BOOKMARK", 2)]
    assert take(theirs, 2) == [("ADDED", 2), ("BOOKMARK", 2)]
    assert take(everything, 3) == [("ADDED", 1), ("ADDED", 2), ("BOOKMARK", 2)]
    assert take(instances, 1) == [("BOOKMARK", 2)]


def test_a_filter_tells_what_begins_and_ceases_to_pass(
    manual: Hub, project: Project, write: Write
) -> None:
    def is_up(body: object) -> bool:
        return isinstance(body, dict) and body["display_name"] == "up"

    write("a", "up")
    events = iter(watch(manual, project, matches=is_up))
    assert take(events, 2) == [("ADDED", 1), ("BOOKMARK", 1)]
    for text in ("down", "down", "up", "up"):
        write("a", text)
    manual.poll()
    expected = [("DELETED", 2), ("ADDED", 4), ("MODIFIED", 5), ("BOOKMARK", 5)]
    assert take(events, 4) == expected
    # the same, read from the table
    again = iter(watch(manual, project, after=1, matches=is_up))
    assert take(again, 4) == expected


def test_watches_share_the_event_and_its_text(manual: Hub, project: Project, write: Write) -> None:
    readers = [iter(watch(manual, project)) for _ in range(2)]
    for events in readers:
        take(events, 1)
    write("a")
    manual.poll()
    one, two = (next(events) for events in readers)
    assert one is two
    assert '"resource_version":"1"' in one.text


def test_what_is_there_comes_first_and_has_no_version(
    manual: Hub, project: Project, write: Write
) -> None:
    write("a")
    pages = iter([[WatchEvent(EventType.ADDED, None, "Vpc", None, {"n": n})] for n in range(2)])
    request = WatchRequest(frozenset({"Vpc"}), frozenset({project.pk}), allowed, present=pages)
    events = iter(manual.subscribe(request))
    assert take(events, 1) == [("ADDED", None)]
    # committed while the rest is still being told
    write("a")
    assert take(events, 3) == [("ADDED", None), ("MODIFIED", 2), ("BOOKMARK", 2)]


def test_a_reader_too_far_behind_is_cut_and_goes_on_from_its_last_version(
    manual: Hub, project: Project, write: Write
) -> None:
    manual.queue_limit = 3
    events = iter(watch(manual, project))
    take(events, 1)
    write("v0")
    manual.poll()
    assert take(events, 1) == [("ADDED", 1)]
    for number in range(1, 5):
        write(f"v{number}")
    manual.poll()
    assert manual.watches == 0
    with pytest.raises(Aborted) as caught:
        next(events)
    assert caught.value.reason == "WATCH_TOO_SLOW"
    again = iter(watch(manual, project, after=int(caught.value.metadata["resource_version"])))
    assert [version for _, version in take(again, 4)] == [2, 3, 4, 5]


def test_a_version_that_is_not_kept_or_not_reached_is_refused(
    manual: Hub, project: Project, write: Write
) -> None:
    write("a")
    FeedPosition.objects.update(trimmed=1)
    for version in (0, 2):
        with pytest.raises(OutOfRange):
            watch(manual, project, after=version)
    assert manual.watches == 0


def test_a_watch_whose_changes_are_trimmed_before_it_read_them_ends(
    manual: Hub, project: Project, write: Write
) -> None:
    write("a")
    write("b")
    subscription = watch(manual, project)
    Change.objects.filter(version=1).delete()
    FeedPosition.objects.update(trimmed=1)
    with pytest.raises(OutOfRange):
        next(iter(subscription))
    assert manual.watches == 0


def test_a_hub_that_was_away_too_long_ends_its_watches(
    manual: Hub, project: Project, write: Write
) -> None:
    events = iter(watch(manual, project))
    take(events, 1)
    write("a")
    Change.objects.all().delete()
    FeedPosition.objects.update(trimmed=1)
    manual.poll()
    with pytest.raises(Unavailable):
        next(events)
    assert manual.position == 1


@pytest.mark.django_db(transaction=True)
async def test_a_coroutine_gets_the_same_as_a_thread(
    manual: Hub, project: Project, write: Write, settings: LazySettings
) -> None:
    manual.bookmark_seconds = 60.0
    await sync_to_async(write)("a")
    subscription = await sync_to_async(watch)(manual, project)
    events = subscription.__aiter__()
    assert (await anext(events)).version == 1
    waiting = asyncio.ensure_future(events.__anext__())
    while not subscription.joined:
        await asyncio.sleep(0)
    await sync_to_async(write)("b")
    await sync_to_async(manual.poll)()
    assert (await asyncio.wait_for(waiting, 5)).version == 2
    subscription.end(NotFound("gone"))
    with pytest.raises(NotFound):
        await anext(events)
    assert manual.watches == 0


@pytest.mark.django_db(transaction=True)
async def test_closing_the_coroutine_ends_the_watch(manual: Hub, project: Project) -> None:
    subscription = await sync_to_async(watch)(manual, project)
    events = subscription.__aiter__()
    assert (await anext(events)).type is EventType.BOOKMARK
    await events.aclose()
    assert manual.watches == 0


@pytest.mark.django_db(transaction=True)
def test_the_threads_hand_over_what_is_committed_here_at_once(
    project: Project, write: Write, settings: LazySettings
) -> None:
    settings.CYCLOUD_WATCH_POLL_SECONDS = 60.0
    running = Hub()
    running.bookmark_seconds = 60.0
    got: list[int | None] = []
    joined, arrived = threading.Event(), threading.Semaphore(0)

    def read() -> None:
        for event in watch(running, project, after=None):
            if event.type is EventType.BOOKMARK:
                joined.set()
                continue
            got.append(event.version)
            arrived.release()
            if len(got) == 3:
                return

    reader = threading.Thread(target=read)
    reader.start()
    assert joined.wait(10)
    for number in range(3):
        write(f"v{number}")
        # SQLite's databases in memory do not wait for a reader's lock, so the next write does
        assert arrived.acquire(timeout=10)
    reader.join(10)
    running.close()
    assert got == [1, 2, 3]


def test_a_database_that_is_away_is_asked_again(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise DatabaseError("the server closed the connection")

    hub_module._carefully(fail)
    assert "cannot be read" in caplog.text


def test_errors_of_a_watch_tell_where_to_go_on(manual: Hub, project: Project, write: Write) -> None:
    write("a")
    shared = NotFound("gone")
    readers = [watch(manual, project, after=after) for after in (0, 1)]
    iterators = [iter(reader) for reader in readers]
    for events in iterators:
        take(events, 1)
    versions = []
    for reader, events in zip(readers, iterators, strict=True):
        reader.end(shared)
        with pytest.raises(CycloudError) as caught:
            next(events)
        versions.append(caught.value.metadata["resource_version"])
    assert versions == ["1", "1"]
    assert shared.metadata == {}


def test_old_changes_are_trimmed_by_beat(project: Project, write: Write) -> None:
    write("a")
    Change.objects.update(time=now() - timedelta(hours=48))
    trim_task()
    assert not Change.objects.exists()
