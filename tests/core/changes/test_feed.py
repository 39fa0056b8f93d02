"""Reading and trimming the feed."""

from datetime import timedelta

import pytest

from cycloud.core.aip.errors import Code, InvalidArgument, OutOfRange
from cycloud.core.changes import feed
from cycloud.core.changes.models import Change
from cycloud.core.clock import now
from cycloud.core.iam.models import Project
from tests.core.changes.conftest import Write
from tests.factories.iam import ProjectFactory

pytestmark = pytest.mark.django_db


def age(*, hours: float, up_to: int) -> None:
    Change.objects.filter(version__lte=up_to).update(time=now() - timedelta(hours=hours))


def test_the_position_of_an_empty_feed_is_zero() -> None:
    assert feed.position() == 0
    assert feed.read(0, 10) == []


def test_what_came_behind_a_version_is_read_in_order_and_in_pieces(write: Write) -> None:
    for number in range(5):
        write(f"v{number}")
    assert feed.position() == 5
    assert [change.version for change in feed.read(1, 3)] == [2, 3, 4]
    assert [change.version for change in feed.read(4, 3)] == [5]


def test_kinds_and_projects_narrow_what_is_read(write: Write, project: Project) -> None:
    other = ProjectFactory.create()
    write("mine")
    write("theirs", owner=other)
    assert [c.version for c in feed.read(0, 10, ["Vpc"], [other.pk])] == [2]
    assert feed.read(0, 10, ["Instance"], [other.pk]) == []


@pytest.mark.parametrize("text", ["", "x", "-1", "1.0", "１", "9" * 19, "0x1", "1 ", "1e3"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        feed.parse_version(text)
    assert caught.value.violations[0].reason == "INVALID_RESOURCE_VERSION"


def test_a_version_that_is_yet_to_come_is_refused(write: Write) -> None:
    write("a")
    feed.check_version(1)
    with pytest.raises(OutOfRange) as caught:
        feed.check_version(2)
    assert caught.value.reason == "RESOURCE_VERSION_TOO_NEW"


def test_only_old_changes_are_trimmed_and_a_watch_from_before_is_refused(write: Write) -> None:
    for number in range(3):
        write(f"v{number}")
    age(hours=25, up_to=2)
    assert feed.trim() == 2
    assert [change.version for change in feed.read(2, 10)] == [3]
    feed.check_version(2)
    for read in (lambda: feed.check_version(1), lambda: feed.read(1, 10)):
        with pytest.raises(OutOfRange) as caught:
            read()
        assert caught.value.reason == "RESOURCE_VERSION_TOO_OLD"
        assert (caught.value.code, caught.value.http_status) == (Code.OUT_OF_RANGE, 410)
        assert caught.value.metadata["oldest"] == "2"


def test_trimming_stops_at_the_first_young_change(write: Write) -> None:
    for number in range(3):
        write(f"v{number}")
    # a machine whose clock is late wrote the last one
    age(hours=25, up_to=3)
    Change.objects.filter(version=2).update(time=now())
    assert feed.trim() == 1
    assert feed.trim() == 0


def test_trimming_goes_in_pieces_until_all_is_gone(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "_TRIM_AT_ONCE", 2)
    for number in range(5):
        write(f"v{number}")
    age(hours=25, up_to=5)
    assert feed.trim() == 5
    # versions go on where they were
    write("new")
    assert feed.position() == 6


def test_the_body_before_a_change_is_that_of_the_last_one(write: Write) -> None:
    write("a", "one")
    write("b", "else")
    write("a", "two")
    first, _, last = feed.read(0, 10)
    before = feed.body_before(last)
    assert before is not None
    assert before["display_name"] == "one"
    assert feed.body_before(first) is None
