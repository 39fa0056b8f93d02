"""How watches end: lost rights, limits, a hub that stops. The hub moves only when told to."""

import pytest
from django.conf import LazySettings

from cycloud.core.aip.errors import (
    NotFound,
    ResourceExhausted,
    Unavailable,
)
from cycloud.core.changes.hub import Hub, WatchRequest
from cycloud.core.iam.models import Project
from tests.core.changes.conftest import Write
from tests.core.changes.watching import allowed, take, watch

pytestmark = pytest.mark.usefixtures("bookmarks_at_once")


def test_lost_rights_end_all_watches_of_the_credentials_with_one_look(
    manual: Hub, project: Project, write: Write
) -> None:
    looks: list[str] = []

    def refuse() -> None:
        looks.append("refused")
        raise NotFound("gone", reason="PROJECT_NOT_FOUND")

    def request(identity: str) -> WatchRequest:
        check = refuse if identity == "eve" else allowed
        return WatchRequest(
            frozenset({"Vpc"}), frozenset({project.pk}), check, identity=identity, after=0
        )

    eves = [iter(manual.subscribe(request("eve"))) for _ in range(2)]
    bobs = iter(manual.subscribe(request("bob")))
    for events in (*eves, bobs):
        take(events, 1)
    write("secret")
    manual.poll()
    manual.recheck(older_than=0)
    assert looks == ["refused"]
    for events in eves:
        with pytest.raises(NotFound):
            next(events)
    assert take(bobs, 1) == [("ADDED", 1)]


def test_rights_are_not_looked_at_before_their_time(manual: Hub, project: Project) -> None:
    def refuse() -> None:
        raise NotFound("gone")

    request = WatchRequest(frozenset({"Vpc"}), frozenset({project.pk}), refuse, after=0)
    events = iter(manual.subscribe(request))
    take(events, 1)
    manual.recheck()
    assert take(events, 1) == [("BOOKMARK", 0)]


def test_one_process_serves_a_limited_number_of_watches(
    manual: Hub, project: Project, settings: LazySettings
) -> None:
    settings.CYCLOUD_WATCH_LIMIT = 1
    first = watch(manual, project)
    with pytest.raises(ResourceExhausted) as caught:
        watch(manual, project)
    assert caught.value.retry_after
    first.close()
    watch(manual, project)


def test_a_watch_that_nobody_reads_or_holds_is_forgotten(manual: Hub, project: Project) -> None:
    watch(manual, project)
    assert manual.watches == 0


def test_a_stopping_hub_ends_its_watches_and_takes_no_new_one(
    manual: Hub, project: Project
) -> None:
    events = iter(watch(manual, project))
    take(events, 1)
    manual.close()
    with pytest.raises(Unavailable):
        next(events)
    with pytest.raises(Unavailable):
        watch(manual, project)


def test_a_watch_that_was_closed_while_it_read_does_not_join(manual: Hub, project: Project) -> None:
    subscription = watch(manual, project)
    subscription.close()
    assert not manual.join(subscription)
