"""Transactions that overlap, and a watch beside them. Run by test_change_races.py, once per kind of database."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier, Event, Thread

import pytest
from django.db import connection, transaction

from cycloud.core.changes import feed
from cycloud.core.changes.events import EventType
from cycloud.core.changes.hub import Hub, WatchRequest
from cycloud.core.changes.models import Change
from cycloud.core.changes.record import record_changed
from cycloud.core.iam.models import Project
from cycloud.core.reconcile.queue import in_order
from networking.models import VPC
from tests.factories.iam import ProjectFactory
from tests.factories.networking import VpcFactory

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 120.0
WRITERS = 6
ROUNDS = 12


@pytest.fixture
def vpcs() -> list[VPC]:
    project: Project = ProjectFactory.create(resource_id="p")
    return list(VpcFactory.create_batch(3, project=project))


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(WRITERS) as made:
        yield made


def change(vpc: VPC, text: str) -> None:
    VPC.objects.filter(pk=vpc.pk).update(display_name=text)
    record_changed(kind=vpc.kind, uid=vpc.uid, project_id=vpc.project_id)


def run(pool: ThreadPoolExecutor, work: Callable[[], None]) -> "Future[None]":
    def act() -> None:
        try:
            work()
        finally:
            connection.close()

    return pool.submit(act)


def texts(after: int = 0) -> list[tuple[int, str]]:
    return [(row.version, row.body["display_name"]) for row in feed.read(after, 1000)]


def someone_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])


def test_who_commits_first_has_the_smaller_version_whoever_began_first(
    vpcs: list[VPC], pool: ThreadPoolExecutor
) -> None:
    written, overtaken = Event(), Event()

    def slow() -> None:
        with transaction.atomic(), in_order():
            change(vpcs[0], "began first")
            written.set()
            # SQLite lets the other one begin only when this one is over
            if connection.vendor == "postgresql":
                assert overtaken.wait(SECONDS)

    def quick() -> None:
        assert written.wait(SECONDS)
        with transaction.atomic(), in_order():
            change(vpcs[1], "began second")
        overtaken.set()

    for future in [run(pool, slow), run(pool, quick)]:
        future.result(SECONDS)
    order = ["began first", "began second"]
    if connection.vendor == "postgresql":
        order.reverse()
    assert texts() == [(1, order[0]), (2, order[1])]


def test_a_version_is_seen_only_when_every_smaller_one_is_committed(
    vpcs: list[VPC], pool: ThreadPoolExecutor
) -> None:
    has_version, may_commit = Event(), Event()

    def slow() -> None:
        with transaction.atomic():
            with in_order():
                change(vpcs[0], "slow")
            has_version.set()
            assert may_commit.wait(SECONDS)

    def quick() -> None:
        with transaction.atomic(), in_order():
            change(vpcs[1], "quick")

    first = run(pool, slow)
    assert has_version.wait(SECONDS)
    second = run(pool, quick)
    if connection.vendor == "postgresql":
        while not someone_waits_for_a_lock():
            assert not second.done()
    # a reader that looks now must not step over the one that is still open
    assert (feed.position(), texts()) == (0, [])
    may_commit.set()
    first.result(SECONDS)
    second.result(SECONDS)
    assert texts() == [(1, "slow"), (2, "quick")]


def test_two_changes_of_what_one_body_shows_end_in_the_body_that_shows_both(
    vpcs: list[VPC], pool: ThreadPoolExecutor
) -> None:
    """The second reads the body when the first is committed, though it began before."""
    has_version, may_commit, written = Event(), Event(), Event()

    def first() -> None:
        with transaction.atomic():
            with in_order():
                change(vpcs[0], "first")
            has_version.set()
            assert may_commit.wait(SECONDS)

    def second() -> None:
        if connection.vendor == "sqlite":
            assert has_version.wait(SECONDS)
        with transaction.atomic(), in_order():
            # without a write of its own to that row: what another row's change shows in it
            record_changed(kind="Vpc", uid=vpcs[0].uid, project_id=vpcs[0].project_id)
            written.set()
            if connection.vendor == "postgresql":
                assert has_version.wait(SECONDS)

    one, two = run(pool, first), run(pool, second)
    assert has_version.wait(SECONDS)
    if connection.vendor == "postgresql":
        assert written.wait(SECONDS)
        while not someone_waits_for_a_lock():
            assert not two.done()
    may_commit.set()
    one.result(SECONDS)
    two.result(SECONDS)
    assert texts() == [(1, "first"), (2, "first")]


def test_a_watch_beside_many_writers_gets_each_change_once_and_in_order(
    vpcs: list[VPC], pool: ThreadPoolExecutor
) -> None:
    class TurnedBack(Exception):
        pass

    barrier = Barrier(WRITERS + 1)
    total = Event()
    got: list[int] = []
    project = vpcs[0].project_id
    expected = WRITERS * ROUNDS

    def watch() -> None:
        """Go on from the last version with a new hub every few events, as after a restart."""
        chance = random.Random(7)
        hub, last = Hub(), 0
        barrier.wait(SECONDS)
        while len(got) < expected:
            request = WatchRequest(
                frozenset({"Vpc"}), frozenset({project}), lambda: None, after=last
            )
            stop_after = chance.randint(1, 12)
            for event in hub.subscribe(request):
                if event.type is EventType.BOOKMARK:
                    continue
                assert event.version is not None
                last = event.version
                got.append(last)
                stop_after -= 1
                if not stop_after or len(got) == expected:
                    break
            if chance.random() < 0.5:
                hub.close()
                hub = Hub()
        hub.close()
        connection.close()
        total.set()

    def write(number: int) -> None:
        chance = random.Random(number)
        barrier.wait(SECONDS)
        for turn in range(ROUNDS):
            vpc = chance.choice(vpcs)
            with transaction.atomic(), in_order():
                change(vpc, f"{number}.{turn}")
            try:
                with transaction.atomic(), in_order():
                    change(vpc, "never")
                    raise TurnedBack
            except TurnedBack:
                pass

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    writers = [run(pool, lambda number=number: write(number)) for number in range(WRITERS)]  # type: ignore[misc]
    for writer in writers:
        writer.result(SECONDS)
    assert total.wait(SECONDS), f"{len(got)} of {expected}"
    assert got == list(range(1, expected + 1))
    assert not Change.objects.filter(body__display_name="never").exists()
    # the last that was told of each resource is how it is
    for vpc in VPC.objects.all():
        last = Change.objects.filter(uid=vpc.uid).order_by("-version").first()
        assert last is not None
        assert last.body["display_name"] == vpc.display_name
