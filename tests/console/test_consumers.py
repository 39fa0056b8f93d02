"""Live updates: who may subscribe to what, and what arrives."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore

from compute.models import Instance
from cycloud.console.consumers import NOT_A_MEMBER, SIGNED_OUT, ProjectConsumer
from cycloud.console.routing import websocket_urlpatterns
from cycloud.core.changes.hints import group_for_project, group_for_resource
from cycloud.core.iam.models import Membership, User
from tests.console.websocket import Page
from tests.factories.compute import World, make_world
from tests.factories.iam import MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
Connect = Callable[..., Page]


@pytest.fixture
def live_world(transactional_db: None) -> World:
    return make_world()


@pytest.fixture
def ann(live_world: World) -> User:
    user: User = UserFactory.create(username="ann")
    MembershipFactory.create(user=user, project=live_world.project, role="viewer")
    return user


@pytest.fixture
def connect(live_world: World) -> Connect:
    def make(user: Any, project_id: str = "") -> Page:
        path = f"/ws/projects/{project_id or live_world.project.resource_id}/"
        return Page(URLRouter(websocket_urlpatterns), path, user)

    return make


async def hint(instance: Instance, kind: str = "Instance") -> None:
    """Send what ``hint_changed`` sends."""
    layer = get_channel_layer()
    message = {"type": "resource.changed", "kind": kind, "uid": str(instance.uid)}
    for group in (group_for_resource(instance.uid), group_for_project(instance.project_id, kind)):
        await layer.group_send(group, message)


async def test_a_subscriber_to_the_list_is_told_of_a_change(
    live_world: World, ann: User, connect: Connect
) -> None:
    instance = await sync_to_async(live_world.instance)()
    page = connect(ann)
    await page.connect()
    await page.send({"type": "subscribe", "kind": "Instance"})
    assert await page.receive() == {
        "type": "subscribed",
        "kind": "Instance",
        "uid": None,
    }

    await hint(instance)

    assert await page.receive() == {
        "type": "changed",
        "kind": "Instance",
        "uid": str(instance.uid),
    }
    await page.disconnect()


async def test_a_subscriber_to_one_instance_is_not_told_of_another(
    live_world: World, ann: User, connect: Connect
) -> None:
    mine = await sync_to_async(live_world.instance)()
    other = await sync_to_async(live_world.instance)()
    page = connect(ann)
    await page.connect()
    await page.send({"type": "subscribe", "kind": "Instance", "uid": str(mine.uid)})
    await page.receive()

    await hint(other)
    await hint(mine)

    assert (await page.receive())["uid"] == str(mine.uid)
    assert await page.is_silent()
    await page.disconnect()


async def test_nothing_comes_without_a_subscription(
    live_world: World, ann: User, connect: Connect
) -> None:
    instance = await sync_to_async(live_world.instance)()
    page = connect(ann)
    await page.connect()

    await hint(instance)

    assert await page.is_silent()
    await page.disconnect()


async def test_a_foreign_project_is_refused_as_one_that_does_not_exist(
    live_world: World, ann: User, connect: Connect
) -> None:
    for project_id in (live_world.other_project.resource_id, "nowhere"):
        page = connect(ann, project_id)
        await page.connect()
        assert await page.output() == {"type": "websocket.close", "code": NOT_A_MEMBER}


async def test_a_foreign_resource_cannot_be_subscribed_to_through_the_own_project(
    live_world: World, ann: User, connect: Connect
) -> None:
    foreign = await sync_to_async(live_world.instance)(project=live_world.other_project)
    page = connect(ann)
    await page.connect()
    answers = []
    for uid in (foreign.uid, uuid4()):
        await page.send({"type": "subscribe", "kind": "Instance", "uid": str(uid)})
        answer = await page.receive()
        answers.append((answer["type"], answer["reason"], answer["message"].replace(str(uid), "")))

    assert answers[0] == answers[1]
    assert answers[0][:2] == ("error", "NOT_FOUND")
    await hint(foreign)
    assert await page.is_silent()
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
    await page.send({"type": "subscribe", "kind": "Instance"})

    assert await page.output() == {"type": "websocket.close", "code": NOT_A_MEMBER}


async def test_a_disabled_user_is_cut_off_at_the_next_subscription(
    live_world: World, ann: User, connect: Connect
) -> None:
    page = connect(ann)
    await page.connect()
    await User.objects.filter(pk=ann.pk).aupdate(is_active=False)
    await page.send({"type": "subscribe", "kind": "Instance"})

    assert await page.output() == {"type": "websocket.close", "code": SIGNED_OUT}


async def test_an_ended_session_is_cut_off_at_the_next_subscription(
    live_world: World, ann: User, connect: Connect
) -> None:
    session = SessionStore()
    await session.asave()
    page = connect(ann)
    page.scope["session"] = session
    await page.connect()
    await page.send({"type": "subscribe", "kind": "Instance"})
    assert (await page.receive())["type"] == "subscribed"

    await SessionStore(session.session_key).adelete()
    await page.send({"type": "subscribe", "kind": "Volume"})

    assert await page.output() == {"type": "websocket.close", "code": SIGNED_OUT}


async def test_who_lost_the_membership_gets_no_more_hints(
    live_world: World, ann: User, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProjectConsumer, "RECHECK_SECONDS", 0.0)
    instance = await sync_to_async(live_world.instance)()
    page = connect(ann)
    await page.connect()
    await page.send({"type": "subscribe", "kind": "Instance"})
    await page.receive()
    await Membership.objects.all().adelete()

    await hint(instance)

    assert await page.output() == {"type": "websocket.close", "code": NOT_A_MEMBER}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "7",
        "null",
        '{"type": "subscribe"}',
        '{"type": "publish", "kind": "Instance"}',
        '{"type": "subscribe", "kind": "Instance", "uid": "x"}',
        '{"type": "subscribe", "kind": "OpenStackInstance"}',
        '{"type": "subscribe", "kind": ["Instance"]}',
        "[" * 900,
        '{"type": "subscribe", "kind": "' + "x" * 5000 + '"}',
    ],
)
async def test_a_bad_message_is_answered_with_the_reason_and_the_connection_stays(
    live_world: World, ann: User, connect: Connect, text: str
) -> None:
    page = connect(ann)
    await page.connect()
    await page.send_text(text)
    answer = await page.receive()
    await page.send({"type": "subscribe", "kind": "Volume"})

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


async def test_one_page_has_a_limited_number_of_subscriptions(
    live_world: World, ann: User, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProjectConsumer, "MAX_SUBSCRIPTIONS", 1)
    page = connect(ann)
    await page.connect()
    types = []
    for kind in ("Instance", "Instance", "Volume"):
        await page.send({"type": "subscribe", "kind": kind})
        types.append((await page.receive())["type"])

    assert types == ["subscribed", "subscribed", "error"]
    await page.disconnect()
