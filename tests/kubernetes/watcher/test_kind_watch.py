"""One kind's watch against a server that a test plays."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Self, cast

import pytest

from cycloud.core.reconcile.models import Lane
from cycloud.kubernetes.client import KubernetesClient, Page, WatchEvent
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Json, Kind
from cycloud.kubernetes.watcher.kind_watch import KindWatch
from cycloud.kubernetes.watcher.marking import Marker
from tests.support.kubernetes.widgets import TEAM, WIDGET, Widgets


class Stream:
    """Events, then what ``end`` does: raise, or return for an end by the server."""

    def __init__(self, events: list[WatchEvent], end: Callable[[], None]) -> None:
        self._events, self._end = events, end

    def __iter__(self) -> Iterator[WatchEvent]:
        yield from self._events
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def stop(self) -> None:
        return None


class Source:
    """``script`` has what each watch gives; after the last one the watcher is stopped."""

    def __init__(self, stop: threading.Event) -> None:
        self.stop = stop
        self.versions: list[str] = []
        self.lists = 0
        self.list_faults: list[KubernetesFault] = []
        self.script: list[Stream | KubernetesFault] = []

    def pages(self, api: ApiKind, *, limit: int) -> Iterator[Page]:
        assert (api, limit) == (WIDGET, 1)
        if self.list_faults:
            raise self.list_faults.pop(0)
        self.lists += 1
        yield Page([], str(100 * self.lists))

    def watch(self, api: ApiKind, resource_version: str, *, timeout_seconds: int) -> Stream:
        assert 60 <= timeout_seconds <= 600
        self.versions.append(resource_version)
        if not self.script:
            self.stop.set()
            return Stream([], lambda: None)
        step = self.script.pop(0)
        if isinstance(step, KubernetesFault):
            raise step
        return step


class Stop(threading.Event):
    """Waits are noted, not waited."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout or 0.0)
        return self.is_set()


class Bed:
    def __init__(self) -> None:
        self.stop = Stop()
        self.source = Source(self.stop)
        self.marker = Marker(self.stop)
        self.relisted: list[Kind] = []
        self.kind = cast(Kind, Widgets())
        self.time = 0.0

    def run(self, *script: Stream | KubernetesFault) -> None:
        self.source.script = list(script)
        source = cast(KubernetesClient, self.source)
        KindWatch(
            source, self.kind, self.marker, self.relisted.append, self.stop, lambda: self.time
        ).run()

    @property
    def noted(self) -> dict[str, Lane]:
        return {noted.name: lane for noted, lane in self.marker._pending.items()}


@pytest.fixture
def bed() -> Bed:
    return Bed()


def event(type_: str, version: str, name: str = "a", **fields: Any) -> WatchEvent:
    metadata: Json = {"name": name, "namespace": TEAM, "resourceVersion": version, "generation": 1}
    return WatchEvent(type_, {"metadata": metadata, **fields})


def bookmark(version: str) -> WatchEvent:
    return WatchEvent("BOOKMARK", {"metadata": {"resourceVersion": version}})


def ended() -> None:
    """The server ends the watch, as it does every few minutes."""


def cut() -> None:
    raise KubernetesFault(FaultKind.UNREACHABLE, "cut")


def gone() -> None:
    raise KubernetesFault(FaultKind.GONE, "too old", status=410)


def test_a_watch_begins_at_the_version_of_a_listing_and_has_the_rest_compared(bed: Bed) -> None:
    bed.run()
    assert bed.source.versions == ["100"]
    assert bed.relisted == [bed.kind]


def test_events_of_every_type_are_noted_and_bookmarks_are_not(bed: Bed) -> None:
    settled = {"uid": "u", "observedGeneration": 1}
    bed.run(
        Stream(
            [
                event("ADDED", "101", "new"),
                event("MODIFIED", "102", "known", status=settled),
                event("DELETED", "103", "old", status=settled),
                bookmark("110"),
            ],
            ended,
        )
    )
    assert bed.noted == {"new": Lane.USER, "known": Lane.EVENT, "old": Lane.EVENT}


def test_after_an_end_the_watch_goes_on_behind_the_last_bookmark(bed: Bed) -> None:
    bed.run(Stream([event("ADDED", "101"), bookmark("150")], ended))
    assert bed.source.versions == ["100", "150"]
    assert bed.source.lists == 1
    assert bed.stop.waits == []


def test_after_a_cut_the_watch_goes_on_behind_the_last_event(bed: Bed) -> None:
    bed.run(Stream([event("ADDED", "101")], cut), Stream([], cut))
    assert bed.source.versions == ["100", "101", "101"]
    assert len(bed.relisted) == 1
    assert len(bed.stop.waits) == 2


def test_a_version_that_is_gone_is_listed_and_compared_again(bed: Bed) -> None:
    bed.run(Stream([event("ADDED", "101")], gone), KubernetesFault(FaultKind.GONE, "too old"))
    assert bed.source.versions == ["100", "200", "300"]
    assert len(bed.relisted) == 3


def test_cuts_again_and_again_are_waited_for_longer_and_longer(bed: Bed) -> None:
    bed.run(*[Stream([], cut) for _ in range(8)])
    assert bed.stop.waits[0] <= 0.2
    assert bed.stop.waits[-1] >= 10.0


def test_a_watch_that_lived_a_while_was_a_good_one(bed: Bed) -> None:
    def later() -> None:
        bed.time += 1.0
        cut()

    bed.run(*[Stream([], later) for _ in range(8)])
    assert max(bed.stop.waits) <= 0.2


def test_the_server_s_wish_is_waited_for(bed: Bed) -> None:
    bed.run(KubernetesFault(FaultKind.UNREACHABLE, "circuit open", retry_after=12.0))
    assert bed.stop.waits == [12.0]


def test_a_listing_that_fails_is_made_again(bed: Bed) -> None:
    bed.source.list_faults = [
        KubernetesFault(FaultKind.NO_SUCH_KIND, "not installed"),
        KubernetesFault(FaultKind.FORBIDDEN, "no right"),
    ]
    bed.run()
    assert bed.source.versions == ["100"]
    assert len(bed.stop.waits) == 2


def test_trouble_is_told_once(bed: Bed, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    bed.run(*[Stream([], cut) for _ in range(5)])
    assert caplog.text == ""
    bed = Bed()
    down = KubernetesFault(FaultKind.UNREACHABLE, "down")
    bed.run(*[down for _ in range(5)], Stream([], ended))
    assert caplog.text.count("not watched for now") == 1
    assert caplog.text.count("watched again") == 1
