"""Watches over REST: server-sent events of what a list shows, and how it changes."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from cycloud.core.aip import watch as watch_module
from cycloud.core.aip.rest import watch as rest_watch
from cycloud.core.changes.hub import Hub
from cycloud.core.changes.models import FeedPosition
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import ApiToken, Membership, Project, User
from networking.services.vpcs import VpcInput, create_vpc, delete_vpc, update_vpc
from tests.core.aip.rest.events import EventStream
from tests.factories.iam import MembershipFactory, ProjectFactory, UserFactory, member
from tests.factories.rest import RestClient, token_for

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Any]


class Portal:
    """A project, a viewer's token, and what others do in the project meanwhile."""

    def __init__(self) -> None:
        self.project: Project = ProjectFactory.create(resource_id="p")
        user = UserFactory.create()
        MembershipFactory.create(project=self.project, user=user, role="viewer")
        self.secret = token_for(user)
        self._writer = member(self.project, Role.EDITOR)
        self.hub = Hub(threads=False)

    def create(self, vpc_id: str, **fields: Any) -> None:
        data = VpcInput(**{"display_name": "", "labels": {}, "annotations": {}, **fields})
        create_vpc(actor=self._writer, project_id="p", data=data, vpc_id=vpc_id)
        self.hub.poll()

    def update(self, vpc_id: str, **changes: Any) -> None:
        update_vpc(actor=self._writer, project_id="p", vpc_id=vpc_id, changes=changes)
        self.hub.poll()

    def delete(self, vpc_id: str) -> None:
        delete_vpc(actor=self._writer, project_id="p", vpc_id=vpc_id)
        self.hub.poll()


@pytest.fixture
def portal(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Portal:
    made = Portal()
    monkeypatch.setattr(watch_module, "hub", lambda: made.hub)
    return made


@pytest.fixture
async def opened(portal: Portal) -> AsyncIterator[Open]:
    """Open a watch; whatever is open at the end is closed."""
    streams: list[EventStream] = []

    async def act(
        query: str = "", *, path: str = "projects/p/vpcs:watch", **more: Any
    ) -> EventStream:
        more.setdefault("secret", portal.secret)
        stream = await EventStream(f"{path}?{query}" if query else path, **more).open()
        streams.append(stream)
        while stream.status == 200 and not portal.hub.all_joined:
            await asyncio.sleep(0)
        return stream

    yield act
    for stream in streams:
        await stream.close()
    assert portal.hub.watches == 0


async def test_changes_behind_a_lists_version_are_told_as_they_are_committed(
    portal: Portal, opened: Open
) -> None:
    await sync_to_async(portal.create)("before")
    listed = await sync_to_async(RestClient(portal.secret))("GET", "projects/p/vpcs")
    stream = await opened(
        f"resource_version={listed.json['resource_version']}&allow_bookmarks=true"
    )
    assert stream.status == 200
    assert stream.headers["content-type"] == "text/event-stream"
    assert "no-cache" in stream.headers["cache-control"]
    await sync_to_async(portal.create)("new")
    first = await stream.event()
    assert first["id"] == first["data"]["resource_version"] == "2"
    shown = await sync_to_async(RestClient(portal.secret))("GET", "projects/p/vpcs/new")
    assert first["data"] == {"type": "ADDED", "resource": shown.json, "resource_version": "2"}
    await sync_to_async(portal.update)("before", display_name="x")
    await sync_to_async(portal.delete)("new")
    assert await stream.told() == ("MODIFIED", "before", "3")
    assert await stream.told() == ("DELETED", "new", "4")


async def test_without_a_version_a_watch_begins_with_what_is_there(
    portal: Portal, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "_PAGE", 2)
    for number in range(3):
        await sync_to_async(portal.create)(f"v{number}")
    stream = await opened("allow_bookmarks=true")
    for number in range(3):
        event = await stream.event()
        assert "id" not in event
        assert event["data"]["resource"]["name"] == f"projects/p/vpcs/v{number}"
    assert await stream.told() == ("BOOKMARK", "", "3")


async def test_a_reconnect_goes_on_behind_the_last_event_id(portal: Portal, opened: Open) -> None:
    for number in range(4):
        await sync_to_async(portal.create)(f"v{number}")
    stream = await opened("resource_version=1", headers={"last-event-id": "3"})
    assert await stream.told() == ("ADDED", "v3", "4")


async def test_a_filter_lets_through_what_the_list_would_show(portal: Portal, opened: Open) -> None:
    await sync_to_async(portal.create)("a", labels={"env": "prod"})
    await sync_to_async(portal.create)("b", labels={"env": "test"})
    stream = await opened("filter=labels.env = prod&allow_bookmarks=true")
    assert await stream.told() == ("ADDED", "a", "")
    assert await stream.told() == ("BOOKMARK", "", "2")
    await sync_to_async(portal.update)("b", labels={"env": "prod"})
    await sync_to_async(portal.update)("a", labels={})
    await sync_to_async(portal.update)("a", display_name="no matter")
    assert await stream.told() == ("ADDED", "b", "3")
    assert await stream.told() == ("DELETED", "a", "4")


async def test_bookmarks_come_when_they_are_allowed_and_comments_when_not(
    portal: Portal, opened: Open
) -> None:
    portal.hub.bookmark_seconds = 0.01
    with_bookmarks = await opened("resource_version=0&allow_bookmarks=true")
    assert await with_bookmarks.told() == ("BOOKMARK", "", "0")
    without = await opened("resource_version=0")
    await sync_to_async(portal.create)("a")
    assert await without.told() == ("ADDED", "a", "1")
    assert without.comments > 0


@pytest.mark.parametrize(
    ("query", "status", "reason"),
    [
        ("resource_version=x", 400, "INVALID_ARGUMENT"),
        ("filter=state", 400, "INVALID_ARGUMENT"),
        ("page_size=3", 400, "INVALID_ARGUMENT"),
        ("allow_bookmarks=yes", 400, "INVALID_ARGUMENT"),
        ("resource_version=99", 410, "RESOURCE_VERSION_TOO_NEW"),
        ("resource_version=0", 410, "RESOURCE_VERSION_TOO_OLD"),
    ],
)
async def test_a_bad_request_is_refused_before_the_stream(
    portal: Portal, opened: Open, query: str, status: int, reason: str
) -> None:
    await sync_to_async(portal.create)("a")
    await FeedPosition.objects.aupdate(trimmed=1)
    stream = await opened(query)
    error = (await stream.json())["error"]
    assert (stream.status, error["code"]) == (status, status)
    assert error["details"][0]["reason"] == reason
    if status == 410:
        assert error["status"] == "OUT_OF_RANGE"


async def test_who_may_not_list_may_not_watch(portal: Portal, opened: Open) -> None:
    await sync_to_async(ProjectFactory.create)(resource_id="theirs")
    statuses = []
    for path in ("projects/theirs/vpcs:watch", "projects/nowhere/vpcs:watch"):
        stream = await opened(path=path)
        body = await stream.json()
        statuses.append((stream.status, body["error"]["details"][0]["reason"]))
    anonymous = await opened(secret="")
    await anonymous.json()
    assert statuses == [(404, "PROJECT_NOT_FOUND")] * 2
    assert anonymous.status == 401
    assert "www-authenticate" in anonymous.headers


async def test_only_get_is_a_watch(portal: Portal) -> None:
    client = await sync_to_async(RestClient)(portal.secret)
    for method in ("POST", "HEAD", "DELETE"):
        answer = await sync_to_async(client)(method, "projects/p/vpcs:watch")
        assert answer.status == 405


@pytest.mark.parametrize("lost", ["membership", "token"])
async def test_lost_rights_end_the_watch_with_the_reason(
    portal: Portal, opened: Open, lost: str
) -> None:
    stream = await opened("resource_version=0&allow_bookmarks=true")
    await sync_to_async(portal.create)("a")
    await stream.told()
    if lost == "membership":
        await Membership.objects.all().adelete()
    else:
        await ApiToken.objects.all().adelete()
    await sync_to_async(portal.hub.recheck)(older_than=0)
    await sync_to_async(portal.create)("secret")
    last = await stream.event()
    assert last["event"] == "error"
    wanted = {"membership": "NOT_FOUND", "token": "UNAUTHENTICATED"}
    assert last["data"]["error"]["status"] == wanted[lost]
    assert await stream.ended()


async def test_a_browsers_watch_ends_with_its_session(portal: Portal, opened: Open) -> None:
    user = await User.objects.aget(memberships__project=portal.project)
    browser = Client()
    await sync_to_async(browser.force_login)(user)
    cookie = f"sessionid={browser.cookies['sessionid'].value}"
    stream = await opened("resource_version=0", secret="", headers={"cookie": cookie})
    await sync_to_async(portal.create)("a")
    assert await stream.told() == ("ADDED", "a", "1")
    await sync_to_async(portal.hub.recheck)(older_than=0)
    await sync_to_async(portal.create)("b")
    assert await stream.told() == ("ADDED", "b", "2")
    await sync_to_async(browser.logout)()
    await sync_to_async(portal.hub.recheck)(older_than=0)
    assert (await stream.event())["data"]["error"]["status"] == "UNAUTHENTICATED"


async def test_a_watch_holds_no_thread(portal: Portal, opened: Open) -> None:
    await opened("resource_version=0")
    before = threading.active_count()
    for _ in range(5):
        await opened("resource_version=0")
    # but for the few that read the table; those of the requests end by themselves in a moment
    async with asyncio.timeout(10):
        while len([t for t in threading.enumerate() if "catch-up" not in t.name]) > before:
            await asyncio.sleep(0)


async def test_a_reader_that_does_not_read_is_dropped(
    portal: Portal, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest_watch, "_LAST_WORDS_SECONDS", 0.0)
    portal.hub.queue_limit = 1
    stream = await opened("resource_version=0&allow_bookmarks=true")
    await sync_to_async(portal.create)("a")
    assert await stream.told() == ("ADDED", "a", "1")
    stream.take_no_more()
    numbers = count()
    while portal.hub.watches:
        await sync_to_async(portal.create)(f"v{next(numbers)}")
    await stream.dropped()


async def test_a_watch_of_all_projects_shows_those_that_the_caller_is_in(
    portal: Portal, opened: Open
) -> None:
    other = await sync_to_async(ProjectFactory.create)(resource_id="theirs")
    stream = await opened(path="projects/-/vpcs:watch", query="resource_version=0")
    await sync_to_async(create_vpc)(
        actor=member(other),
        project_id="theirs",
        data=VpcInput(display_name="", labels={}, annotations={}),
        vpc_id="hidden",
    )
    await sync_to_async(portal.create)("mine")
    assert await stream.told() == ("ADDED", "mine", "2")
    await Membership.objects.all().adelete()
    await sync_to_async(portal.hub.recheck)(older_than=0)
    last = await stream.event()
    assert last["data"]["error"]["details"][0]["reason"] == "WATCH_RIGHTS_CHANGED"
