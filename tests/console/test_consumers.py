"""Live updates: who may subscribe to what, and what arrives."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from channels.routing import URLRouter
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore

from compute.models import Instance
from cycloud.console import consumers
from cycloud.console.consumers import NOT_A_MEMBER, SIGNED_OUT, ProjectConsumer
from cycloud.console.routing import websocket_urlpatterns
from cycloud.core.changes.hub import Hub
from cycloud.core.changes.models import FeedPosition
from cycloud.core.changes.record import record_changed
from cycloud.core.iam.models import Membership, User
from tests.console.websocket import Page
from tests.factories.compute import World, make_world
from tests.factories.iam import MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
Connect = Callable[..., Page]
INSTANCES = {"type": "subscribe", "resources": [{"kind": "Instance"}]}


@pytest.fixture
def live_world(transactional_db: None) -> World:
    return make_world()


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Hub:
    """The hub of the consumers; it moves when a test changes something."""
    made = Hub(threads=False)
    monkeypatch.setattr(consumers, "hub", lambda: made)
    return made


@pytest.fixture
def ann(live_world: World) -> User:
    user: User = UserFactory.create(username="ann")
    MembershipFactory.create(user=user, project=live_world.project, role="viewer")
    return user


@pytest.fixture
def connect(live_world: World, feed: Hub) -> Connect:
    def make(user: Any, project_id: str = "") -> Page:
        path = f"/ws/projects/{project_id or live_world.project.resource_id}/"
        return Page(URLRouter(websocket_urlpatterns), path, user)

    return make


async def change(feed: Hub, *instances: Instance) -> None:
    """Record a change of each, and hand them over once every watch listens."""
    while not feed.all_joined:
        await asyncio.sleep(0)
    for instance in instances:
        await sync_to_async(record_changed)(
            kind=instance.kind, uid=instance.uid, project_id=instance.project_id
        )
    await sync_to_async(feed.poll)()


def changed(instance: Instance, version: int) -> dict[str, str]:
    return {
        "type": "changed",
        "kind": "Instance",
        "uid": str(instance.uid),
        "change": "MODIFIED",
        "resource_version": str(version),
    }


def resources(*instances: Instance, version: int | None = None) -> dict[str, Any]:
    shown = [{"kind": "Instance", "uid": str(instance.uid)} for instance in instances]
    return {"type": "subscribe", "resources": shown, "resource_version": version}


async def next_change(page: Page) -> Any:
    while (message := await page.receive())["type"] == "bookmark":
        pass
    return message


async def test_a_subscriber_to_the_list_is_told_of_a_change(
    live_world: World, ann: User, connect: Connect, feed: Hub
) -> None:
    instance = await sync_to_async(live_world.instance)()
    page = connect(ann)
    await page.connect()
    await page.send(INSTANCES)
    assert await page.receive() == {"type": "subscribed", "resource_version": "0"}

    await change(feed, instance)

    assert await next_change(page) == changed(instance, 1)
    await page.disconnect()


async def test_a_subscriber_to_one_instance_is_not_told_of_another(
    live_world: World, ann: User, connect: Connect, feed: Hub
) -> None:
    mine = await sync_to_async(live_world.instance)()
    other = await sync_to_async(live_world.instance)()
    page = connect(ann)
    await page.connect()
    await page.send(resources(mine))
    await page.receive()

    await change(feed, other, mine)

    assert await next_change(page) == changed(mine, 2)
    await page.disconnect()


async def test_a_page_goes_on_where_it_was_made_or_was_told_last(
    live_world: World, ann: User, connect: Connect, feed: Hub
) -> None:
    instance = await sync_to_async(live_world.instance)()
    await change(feed, instance, instance)
    page = connect(ann)
    await page.connect()
    await page.send(resources(instance, version=1))

    assert await page.receive() == {"type": "subscribed", "resource_version": "1"}
    assert await next_change(page) == changed(instance, 2)
    await page.disconnect()


async def test_bookmarks_tell_how_far_a_page_is(
    live_world: World, ann: User, connect: Connect, feed: Hub
) -> None:
    await sync_to_async(live_world.instance)()
    page = connect(ann)
    await page.connect()
    await page.send({"type": "subscribe", "resources": [{"kind": "Volume"}]})
    await page.receive()

    assert await page.receive() == {"type": "bookmark", "resource_version": "0"}
    await page.disconnect()


async def test_a_version_that_is_no_longer_kept_is_refused_and_the_page_begins_anew(
    live_world: World, ann: User, connect: Connect, feed: Hub
) -> None:
    instance = await sync_to_async(live_world.instance)()
    await change(feed, instance)
    await FeedPosition.objects.aupdate(trimmed=1)
    page = connect(ann)
    await page.connect()
    await page.send(resources(instance, version=0))
    refusal = await page.receive()
    await page.send(resources(instance))

    assert (refusal["type"], refusal["reason"]) == ("error", "RESOURCE_VERSION_TOO_OLD")
    assert await page.receive() == {"type": "subscribed", "resource_version": "1"}
    await page.disconnect()


async def test_a_page_that_is_cut_off_is_told_to_come_back(
    live_world: World, ann: User, connect: Connect, feed: Hub
) -> None:
    page = connect(ann)
    await page.connect()
    await page.send(INSTANCES)
    await page.receive()
    while not feed.all_joined:
        await asyncio.sleep(0)
    await page.receive()
    await sync_to_async(feed.close)()

    assert (await page.receive())["reason"] == "WATCH_INTERRUPTED"
    assert await page.output() == {"type": "websocket.close", "code": 1013}


async def test_a_second_subscription_takes_the_place_of_the_first(
    live_world: World, ann: User, connect: Connect, feed: Hub
) -> None:
    mine = await sync_to_async(live_world.instance)()
    other = await sync_to_async(live_world.instance)()
    page = connect(ann)
    await page.connect()
    for instance in (mine, other):
        await page.send(resources(instance))
        while (await page.receive())["type"] != "subscribed":
            pass

    await change(feed, mine, other)

    assert await next_change(page) == changed(other, 2)
    assert feed.watches == 1
    await page.disconnect()
    assert feed.watches == 0


async def test_nothing_comes_without_a_subscription(
    live_world: World, ann: User, connect: Connect, feed: Hub
) -> None:
    instance = await sync_to_async(live_world.instance)()
    page = connect(ann)
    await page.connect()

    await change(feed, instance)

    assert await page.is_silent()
    await page.disconnect()


async def test_a_foreign_project_is_refused_as_one_that_does_not_exist(
    live_world: World, ann: User, connect: Connect
) -> None:
    for project_id in (live_world.other_project.resource_id, "nowhere"):
        page = connect(ann, project_id)
        await page.connect()
        assert await page.output() == {"type": "websocket.close", "code": NOT_A_MEMBER}


async def test_of_a_foreign_resource_nothing_is_told_as_of_one_that_does_not_exist(
    live_world: World, ann: User, connect: Connect, feed: Hub
) -> None:
    foreign = await sync_to_async(live_world.instance)(project=live_world.other_project)
    page = connect(ann)
    await page.connect()
    answers = []
    for uid in (foreign.uid, uuid4()):
        await page.send({"type": "subscribe", "resources": [{"kind": "Instance", "uid": str(uid)}]})
        while (answer := await page.receive())["type"] == "bookmark":
            pass
        answers.append(answer)

    assert answers[0] == answers[1]
    await page.send(resources(foreign))
    await change(feed, foreign)
    while not await page.is_silent():
        assert (await page.receive())["type"] in ("subscribed", "bookmark")
    await page.disconnect()


async def test_who_is_not_signed_in_is_sent_away(live_world: World, connect: Connect) -> None:
    page = connect(AnonymousUser())
    await page.connect()

    assert await page.output() == {"type": "websocket.close", "code": SIGNED_OUT}


async def test_rights_are_read_again_at_each_subscription(
    live_world: World, ann: User, connect: Connect
) -> None:
    page = connect(ann)
    await page.connect()
    await Membership.objects.all().adelete()
    await page.send(INSTANCES)

    assert await page.output() == {"type": "websocket.close", "code": NOT_A_MEMBER}


async def test_a_disabled_user_is_cut_off_at_the_next_subscription(
    live_world: World, ann: User, connect: Connect
) -> None:
    page = connect(ann)
    await page.connect()
    await User.objects.filter(pk=ann.pk).aupdate(is_active=False)
    await page.send(INSTANCES)

    assert await page.output() == {"type": "websocket.close", "code": SIGNED_OUT}


@pytest.mark.parametrize(("lost", "code"), [("session", SIGNED_OUT), ("role", NOT_A_MEMBER)])
async def test_who_loses_the_rights_is_cut_off_while_nothing_is_sent(
    live_world: World, ann: User, connect: Connect, feed: Hub, lost: str, code: int
) -> None:
    instance = await sync_to_async(live_world.instance)()
    session = SessionStore()
    await session.asave()
    page = connect(ann)
    page.scope["session"] = session
    await page.connect()
    await page.send(INSTANCES)
    await page.receive()
    while not feed.all_joined:
        await asyncio.sleep(0)
    await page.receive()
    if lost == "session":
        await SessionStore(session.session_key).adelete()
    else:
        await Membership.objects.all().adelete()

    await sync_to_async(feed.recheck)(older_than=0)
    await change(feed, instance)

    assert await page.output() == {"type": "websocket.close", "code": code}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "7",
        "null",
        '{"type": "subscribe"}',
        '{"type": "subscribe", "resources": []}',
        '{"type": "subscribe", "resources": {}}',
        '{"type": "subscribe", "resources": ["Instance"]}',
        '{"type": "publish", "resources": [{"kind": "Instance"}]}',
        '{"type": "subscribe", "resources": [{"kind": "Instance", "uid": "x"}]}',
        '{"type": "subscribe", "resources": [{"kind": "OpenStackInstance"}]}',
        '{"type": "subscribe", "resources": [{"kind": ["Instance"]}]}',
        '{"type": "subscribe", "resources": [{"kind": "Instance"}], "resource_version": -1}',
        '{"type": "subscribe", "resources": [{"kind": "Instance"}], "resource_version": [1]}',
        '{"type": "subscribe", "resources": [{"kind": "Instance"}], "resource_version": 99}',
        "[" * 900,
        '{"type": "subscribe", "resources": [{"kind": "' + "x" * 9000 + '"}]}',
    ],
)
async def test_a_bad_message_is_answered_with_the_reason_and_the_connection_stays(
    live_world: World, ann: User, connect: Connect, text: str
) -> None:
    page = connect(ann)
    await page.connect()
    await page.send_text(text)
    answer = await page.receive()
    await page.send(INSTANCES)

    assert answer["type"] == "error"
    assert len(answer["message"]) < 300
    assert (await page.receive())["type"] == "subscribed"
    await page.disconnect()


async def test_bytes_are_no_subscription(live_world: World, ann: User, connect: Connect) -> None:
    page = connect(ann)
    await page.connect()
    await page.send_bytes(b"\xff\x00")

    assert (await page.receive())["type"] == "error"
    await page.disconnect()


async def test_one_page_may_show_a_limited_number_of_things(
    live_world: World, ann: User, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProjectConsumer, "MAX_RESOURCES", 1)
    page = connect(ann)
    await page.connect()
    await page.send({"type": "subscribe", "resources": [{"kind": "Instance"}, {"kind": "Volume"}]})

    assert (await page.receive())["reason"] == "TOO_MANY_SUBSCRIPTIONS"
    await page.disconnect()
