"""Watches, over TLS from a server that sends what a test wants."""

import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from cycloud.kubernetes.client import KubernetesClient, WatchStream
from cycloud.kubernetes.config import ApiAccess, load_configuration
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Json
from cycloud.kubernetes.transport import Limits, Transport
from tests.support.kubernetes.https import Answer, HttpsServer, serving_https

SAMPLES = Path(__file__).parent / "samples"
WIDGET = ApiKind("example.test", "Widget", "widgets")
SECONDS = 10
# the server says nothing for longer than a test waits
SILENCE_SECONDS = 60


@pytest.fixture
def server(tmp_path: Path) -> Iterator[HttpsServer]:
    with serving_https(tmp_path) as server:
        yield server


@pytest.fixture
def client(server: HttpsServer) -> Iterator[KubernetesClient]:
    load = partial(load_configuration, ApiAccess(str(server.kubeconfig())))
    client = KubernetesClient(Transport(load, Limits(1000.0), timeout_seconds=5.0))
    yield client
    client.close()


def line(type_: str, version: str, **fields: object) -> bytes:
    found: Json = {"metadata": {"name": "a", "resourceVersion": version}, **fields}
    return json.dumps({"type": type_, "object": found}).encode() + b"\n"


def sending(*chunks: bytes, cut: bool = False) -> Answer:
    def stream(send: Callable[[bytes], None]) -> None:
        for chunk in chunks:
            send(chunk)

    return Answer(stream=stream, cut=cut)


def watch(client: KubernetesClient) -> WatchStream:
    return client.watch(WIDGET, "7", timeout_seconds=30)


def test_a_watch_asks_for_bookmarks_from_a_version_on(
    server: HttpsServer, client: KubernetesClient
) -> None:
    server.answers = [sending()]
    assert list(watch(client)) == []
    [asked] = server.asked
    assert asked.path == "/apis/example.test/v1/widgets"
    assert asked.query == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "7",
        "timeoutSeconds": "30",
    }


def test_events_come_whole_however_they_are_cut_into_pieces(
    server: HttpsServer, client: KubernetesClient
) -> None:
    text = line("ADDED", "8", spec={"text": "Straße"}) + line("BOOKMARK", "9")
    server.answers = [sending(text[:5], text[5:60], text[60:], line("DELETED", "10"))]
    events = list(watch(client))
    assert [(event.type, event.resource_version) for event in events] == [
        ("ADDED", "8"),
        ("BOOKMARK", "9"),
        ("DELETED", "10"),
    ]
    assert events[0].object["spec"] == {"text": "Straße"}


def test_a_version_that_is_no_longer_kept_ends_the_watch_as_gone(
    server: HttpsServer, client: KubernetesClient
) -> None:
    error = json.dumps(json.loads((SAMPLES / "410-watch-event.json").read_text())).encode()
    server.answers = [sending(line("ADDED", "8"), error + b"\n")]
    stream = watch(client)
    assert next(stream).type == "ADDED"
    with pytest.raises(KubernetesFault) as caught:
        next(stream)
    assert caught.value.kind is FaultKind.GONE


def test_a_cut_connection_is_no_end(server: HttpsServer, client: KubernetesClient) -> None:
    server.answers = [sending(line("ADDED", "8"), cut=True)]
    stream = watch(client)
    assert next(stream).resource_version == "8"
    with pytest.raises(KubernetesFault) as caught:
        next(stream)
    assert caught.value.kind is FaultKind.UNREACHABLE


@pytest.mark.parametrize("text", [b"<html>\n", b"{}\n", b'{"type": "ADDED", "object": null\n'])
def test_what_is_no_event_is_a_fault(
    server: HttpsServer, client: KubernetesClient, text: bytes
) -> None:
    server.answers = [sending(text)]
    with pytest.raises(KubernetesFault) as caught:
        list(watch(client))
    assert caught.value.kind is FaultKind.UNREACHABLE


def test_a_refused_watch_is_the_fault_that_it_is(
    server: HttpsServer, client: KubernetesClient
) -> None:
    server.answers = [Answer(404, b"404 page not found\n")]
    with pytest.raises(KubernetesFault) as caught:
        watch(client)
    assert caught.value.kind is FaultKind.NO_SUCH_KIND


def test_another_thread_ends_a_watch_that_waits(
    server: HttpsServer, client: KubernetesClient
) -> None:
    may_end = threading.Event()

    def stream(send: Callable[[bytes], None]) -> None:
        send(line("ADDED", "8"))
        may_end.wait(SILENCE_SECONDS)

    server.answers = [Answer(stream=stream)]
    reading = watch(client)
    seen: list[str] = []
    waits = threading.Event()

    def read() -> None:
        for event in reading:
            seen.append(event.type)
            waits.set()

    reader = threading.Thread(target=read)
    reader.start()
    try:
        assert waits.wait(SECONDS)
        reading.stop()
        reading.stop()
        reader.join(SECONDS)
        assert not reader.is_alive()
    finally:
        may_end.set()
    assert seen == ["ADDED"]


def test_a_watch_that_was_stopped_before_it_was_read_ends_at_once(
    server: HttpsServer, client: KubernetesClient
) -> None:
    may_end = threading.Event()
    server.answers = [Answer(stream=lambda send: _wait(may_end))]
    reading = watch(client)
    reading.stop()
    try:
        assert list(reading) == []
    finally:
        may_end.set()


def _wait(event: threading.Event) -> None:
    event.wait(SILENCE_SECONDS)
