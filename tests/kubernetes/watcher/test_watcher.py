"""The watcher as a whole, against a server that a test plays: who holds the Lease watches."""

import threading
from collections.abc import Iterator
from typing import Any, Self, cast

import pytest

from cycloud.kubernetes.client import KubernetesClient, Page, WatchEvent
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Kind
from cycloud.kubernetes.watcher.kind_watch import KindWatch
from cycloud.kubernetes.watcher.watcher import Watcher
from tests.kubernetes.watcher.lease_api import LeaseApi
from tests.support.kubernetes.widgets import Widgets

SECONDS = 15.0
# nothing happens for longer than a test waits
SILENCE_SECONDS = 60.0


class Stream:
    """Waits until it is stopped."""

    def __init__(self, opened: threading.Event) -> None:
        self._opened, self._end = opened, threading.Event()

    def __iter__(self) -> Iterator[WatchEvent]:
        self._opened.set()
        self._end.wait(SILENCE_SECONDS)
        return iter(())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def stop(self) -> None:
        self._end.set()


class Source(LeaseApi):
    """A server with no objects."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = threading.Event()

    def pages(self, api: ApiKind, *, limit: int) -> Iterator[Page]:
        yield Page([], "7")

    def watch(self, api: ApiKind, resource_version: str, *, timeout_seconds: int) -> Stream:
        return Stream(self.opened)


@pytest.fixture
def source(settings: Any) -> Source:
    settings.CYCLOUD_KUBERNETES_NAMESPACE = "system"
    return Source()


@pytest.fixture
def watcher(source: Source, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watcher]:
    # no database in these threads
    monkeypatch.setattr("cycloud.kubernetes.watcher.relist.relist", lambda *_, **__: _nothing)
    kinds = [cast(Kind, Widgets())]
    watcher = Watcher(
        source=cast(KubernetesClient, source), kinds=kinds, lease_name="watcher", lease_seconds=1
    )
    yield watcher
    watcher.stop()


class _Nothing:
    marked = 0


_nothing = _Nothing()


def test_it_watches_with_the_lease_and_gives_it_back(source: Source, watcher: Watcher) -> None:
    watcher.start()
    assert source.opened.wait(SECONDS)
    assert (watcher.running, watcher.watching) == (True, True)
    assert watcher.status == "1 of 1 kinds are watched"
    assert source.spec["holderIdentity"]
    assert watcher.stop()
    assert source.spec["holderIdentity"] == ""
    assert (watcher.running, watcher.watching) == (False, False)


def test_it_stands_by_while_another_one_holds_the_lease(source: Source, watcher: Watcher) -> None:
    other = {"holderIdentity": "other", "leaseDurationSeconds": 3600}
    source.create("", {"metadata": {"name": "watcher"}, "spec": other})
    looked = _hear(watcher)
    watcher.start()
    assert looked.wait(SECONDS)
    assert watcher.status == "stands by: other holds the Lease"
    assert not watcher.watching
    assert watcher.stop()
    assert not source.opened.is_set()


@pytest.mark.parametrize(
    ("kind", "advice"),
    [(FaultKind.NOT_FOUND, "namespace system"), (FaultKind.FORBIDDEN, "right to leases")],
)
def test_it_says_what_keeps_it_from_the_lease(
    source: Source, watcher: Watcher, kind: FaultKind, advice: str
) -> None:
    source.faults = [KubernetesFault(kind, "no")]
    looked = _hear(watcher)
    watcher.start()
    assert looked.wait(SECONDS)
    assert advice in looked.texts[0]
    assert "manage.py kubernetes install" in looked.texts[0]
    # and goes on trying
    assert source.opened.wait(SECONDS)


def test_a_lost_lease_begins_everything_anew(source: Source, watcher: Watcher) -> None:
    watcher.start()
    assert source.opened.wait(SECONDS)
    source.opened.clear()
    source.stored = None
    assert source.opened.wait(SECONDS)
    assert watcher.running


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_part_that_crashes_ends_the_watcher_visibly(
    source: Source, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(KindWatch, "run", crash)
    watcher.start()
    watcher._thread.join(SECONDS)
    assert not watcher.running
    # another process takes over
    assert source.spec["holderIdentity"] == ""


class _Heard(threading.Event):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []


def _hear(watcher: Watcher) -> _Heard:
    """Return an event that is set when the watcher tells something, and what that is."""
    heard = _Heard()
    real = watcher._tell

    def tell(text: str, level: int) -> None:
        real(text, level)
        heard.texts.append(text)
        heard.set()

    watcher._tell = tell  # type: ignore[method-assign]
    return heard
