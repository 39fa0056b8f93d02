"""Watches over gRPC. The hub moves only when told to; a watch that has nothing to tell sends a bookmark."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from django.conf import LazySettings

from cycloud.core.aip import watch as watch_module
from cycloud.core.aip.rpc.server import RpcServer
from cycloud.core.changes.hub import Hub
from cycloud.core.iam.models import ApiToken, Membership
from tests.support.rpc import RpcClient, refused, rpc_server

WATCH = "networking.v1.VPCService/WatchVPCs"
CREATE = "networking.v1.VPCService/CreateVPC"
LIST = "networking.v1.VPCService/ListVPCs"


@pytest.fixture
def hub(db: None, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    settings.CYCLOUD_WATCH_BOOKMARK_SECONDS = 0.05
    made = Hub(threads=False)
    monkeypatch.setattr(watch_module, "hub", lambda: made)
    yield made
    made.close()


@pytest.fixture
def create(client: RpcClient, membership: Membership) -> Callable[[str], None]:
    def act(vpc_id: str) -> None:
        parent = membership.project.name
        answer = client(
            CREATE, {"parent": parent, "vpc_id": vpc_id, "vpc": {"display_name": vpc_id}}
        )
        assert answer.ok, answer

    return act


def told(messages: Iterator[Any], count: int) -> list[tuple[str, str]]:
    """Return type and id of the next messages, without bookmarks."""
    found: list[tuple[str, str]] = []
    for message in messages:
        if message["type"] != "BOOKMARK":
            found.append((message["type"], message["resource"]["name"].rpartition("/")[2]))
        if len(found) == count:
            return found
    return found


def test_a_watch_begins_with_what_is_there_and_goes_on_with_what_comes(
    hub: Hub, client: RpcClient, membership: Membership, create: Callable[[str], None]
) -> None:
    create("first")
    stream = client.stream(WATCH, {"parent": membership.project.name, "allow_bookmarks": True})
    messages = client.messages(stream)
    assert told(messages, 1) == [("ADDED", "first")]
    # now it has its place in the feed
    assert next(messages)["type"] == "BOOKMARK"
    create("second")
    hub.poll()
    assert told(messages, 1) == [("ADDED", "second")]
    stream.cancel()


def test_it_resumes_from_the_version_of_a_list(
    hub: Hub, client: RpcClient, membership: Membership, create: Callable[[str], None]
) -> None:
    create("first")
    version = client(LIST, {"parent": membership.project.name}).json["resource_version"]
    assert version
    create("second")
    request = {"parent": membership.project.name, "resource_version": version}
    stream = client.stream(WATCH, request)
    message = next(client.messages(stream))
    assert message["resource"]["display_name"] == "second"
    assert int(message["resource_version"]) > int(version)
    stream.cancel()


def test_bookmarks_come_only_where_they_are_allowed(
    hub: Hub, client: RpcClient, membership: Membership, create: Callable[[str], None]
) -> None:
    create("first")
    stream = client.stream(WATCH, {"parent": membership.project.name}, timeout=1.0)
    messages = client.messages(stream)
    assert next(messages)["type"] == "ADDED"
    with pytest.raises(grpc.RpcError) as error:
        next(messages)
    assert error.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize(
    ("request_fields", "code", "reason"),
    [
        ({"resource_version": "soon"}, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT"),
        ({"resource_version": "999999"}, grpc.StatusCode.OUT_OF_RANGE, "RESOURCE_VERSION_TOO_NEW"),
        ({"filter": "nonsense = 1"}, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT"),
        ({"parent": "projects/other"}, grpc.StatusCode.NOT_FOUND, "PROJECT_NOT_FOUND"),
    ],
)
def test_what_cannot_be_watched_is_refused_with_details(
    hub: Hub,
    client: RpcClient,
    membership: Membership,
    request_fields: dict[str, str],
    code: grpc.StatusCode,
    reason: str,
) -> None:
    stream = client.stream(WATCH, {"parent": membership.project.name, **request_fields})
    with pytest.raises(grpc.RpcError) as error:
        next(stream)
    refusal = refused(error.value)
    assert (refusal.code, refusal.reason) == (code, reason)


def test_a_caller_that_leaves_frees_its_watch(
    hub: Hub, client: RpcClient, membership: Membership
) -> None:
    left = threading.Event()
    leave = hub.leave

    def note(subscription: Any) -> None:
        leave(subscription)
        left.set()

    hub.leave = note  # type: ignore[method-assign]
    stream = client.stream(WATCH, {"parent": membership.project.name, "allow_bookmarks": True})
    assert next(client.messages(stream))["type"] == "BOOKMARK"
    assert hub.watches == 1
    stream.cancel()
    assert left.wait(10)
    assert hub.watches == 0


def test_a_watch_whose_token_is_revoked_ends(
    hub: Hub, client: RpcClient, membership: Membership, settings: LazySettings
) -> None:
    settings.CYCLOUD_WATCH_RECHECK_SECONDS = 0.0
    stream = client.stream(WATCH, {"parent": membership.project.name, "allow_bookmarks": True})
    messages = client.messages(stream)
    assert next(messages)["type"] == "BOOKMARK"
    ApiToken.objects.all().delete()
    hub.recheck()
    with pytest.raises(grpc.RpcError) as error:
        list(messages)
    assert refused(error.value).code is grpc.StatusCode.UNAUTHENTICATED


def test_watches_beyond_the_limit_are_refused_and_never_starve_calls(
    hub: Hub, secret: str, membership: Membership, settings: LazySettings
) -> None:
    settings.CYCLOUD_WATCH_LIMIT = 5
    with rpc_server(threads=1, watches=5) as server:
        client = RpcClient(server.port, secret)
        request = {"parent": membership.project.name, "allow_bookmarks": True}
        streams = [client.stream(WATCH, request) for _ in range(5)]
        for stream in streams:
            next(stream)
        one_more = client.stream(WATCH, request)
        with pytest.raises(grpc.RpcError) as error:
            next(one_more)
        assert refused(error.value).reason == "TOO_MANY_WATCHES"
        assert client(LIST, {"parent": membership.project.name}).ok
        for stream in streams:
            stream.cancel()


def test_a_stopping_server_ends_watches_at_once_and_tells_where_to_go_on(
    hub: Hub, server: RpcServer, client: RpcClient, membership: Membership
) -> None:
    stream = client.stream(WATCH, {"parent": membership.project.name, "allow_bookmarks": True})
    messages = client.messages(stream)
    first = next(messages)
    server.stop(grace_seconds=20)
    with pytest.raises(grpc.RpcError) as error:
        list(messages)
    refusal = refused(error.value)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "WATCH_INTERRUPTED")
    metadata = refusal.detail("ErrorInfo")["metadata"]
    assert metadata["resource_version"] == first["resource_version"]
