"""All objects against all rows: only what disagrees is marked."""

import threading
from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from cycloud.core.clock import now
from cycloud.core.iam.models import Project
from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.kubernetes.client import KubernetesClient, Page
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import ApiKind, Json, Kind
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.objects import declaration, status_of
from cycloud.kubernetes.places import Place
from cycloud.kubernetes.watcher import relist as module
from cycloud.kubernetes.watcher.relist import Relisted, Relister, relist
from tests.support.kubernetes.widgets import TEAM, WIDGET, Widgets


class Source:
    """Lists objects in pages of two."""

    def __init__(self, objects: Sequence[Json] = ()) -> None:
        self.objects = list(objects)
        self.fault: KubernetesFault | None = None
        self.listed = 0

    def pages(self, api: ApiKind, *, limit: int) -> Iterator[Page]:
        self.listed += 1
        assert api == WIDGET
        for start in range(0, len(self.objects) or 1, 2):
            yield Page(self.objects[start : start + 2], "7")
            if self.fault is not None:
                raise self.fault


@pytest.fixture(autouse=True)
def _binding(db: None) -> None:
    project = Project.objects.create(resource_id="p")
    NamespaceBinding.objects.create(project=project, namespace=TEAM)


@pytest.fixture
def widgets() -> Widgets:
    return Widgets()


def name_of(name: str) -> str:
    return f"projects/p/widgets/{name}"


def written(widgets: Widgets, name: str) -> Json:
    """The object as it is after a pass on the row."""
    manifest = widgets.rows[name_of(name)]
    body = declaration(widgets, Place(WIDGET, TEAM, name), manifest, None, None)
    body["metadata"] |= {"uid": f"uid-{name}", "generation": 1, "resourceVersion": "1"}
    return {**body, "status": status_of(manifest, body, None, now())}


def run(widgets: Widgets, source: Source) -> Relisted:
    return relist([cast(Kind, widgets)], source=cast(KubernetesClient, source))


def rows() -> dict[str, int]:
    return {key.partition(":")[2]: lane for key, lane in DueRow.objects.values_list("key", "lane")}


def test_where_all_agrees_nothing_is_marked(widgets: Widgets) -> None:
    for name in "abcde":
        widgets.add(name_of(name))
    source = Source([written(widgets, name) for name in "abcde"])
    assert run(widgets, source) == Relisted(objects=5)
    assert rows() == {}


def test_what_disagrees_is_marked_for_the_slow_lane(widgets: Widgets) -> None:
    for name in "abc":
        widgets.add(name_of(name))
    objects = [written(widgets, name) for name in "abc"]
    objects[1]["spec"]["size"] = 99
    objects[2]["status"]["conditions"] = []
    assert run(widgets, Source(objects)) == Relisted(objects=3, marked=2)
    assert rows() == {name_of("b"): Lane.RESYNC, name_of("c"): Lane.RESYNC}


def test_objects_that_stand_for_no_row_are_marked(widgets: Widgets) -> None:
    new: Json = {"metadata": {"name": "new", "namespace": TEAM, "uid": "1"}, "spec": {"size": 1}}
    other: Json = {"metadata": {"name": "x", "namespace": "stranger", "uid": "2"}, "spec": {}}
    asked: list[str] = []
    real = widgets.manifests

    def manifests(names: Any) -> Any:
        asked.extend(names)
        return real(names)

    widgets.manifests = manifests  # type: ignore[method-assign]
    assert run(widgets, Source([new, other])).marked == 2
    # there is no row in a namespace that is bound to nobody, and no project to look for
    assert asked == [name_of("new")]
    assert rows() == {name_of("new"): Lane.RESYNC, "namespaces/stranger/widgets/x": Lane.RESYNC}


def test_rows_without_object_are_marked_as_after_a_wipe(widgets: Widgets) -> None:
    for name in "abc":
        widgets.add(name_of(name))
    source = Source([written(widgets, "b")])
    assert run(widgets, source) == Relisted(objects=1, rows_without_object=2, marked=2)
    assert rows().keys() == {name_of("a"), name_of("c")}


def test_a_row_on_its_way_out_whose_object_has_gone_is_left(widgets: Widgets) -> None:
    widgets.add(name_of("a"), managed_by="namespaces/team/widgets/a", deleting=True)
    assert run(widgets, Source()).marked == 0


def test_queries_do_not_grow_with_the_objects_of_a_page(widgets: Widgets) -> None:
    def count(names: str) -> int:
        widgets.rows.clear()
        for name in names:
            widgets.add(name_of(name))
        source = Source([written(widgets, name) for name in names])
        with CaptureQueriesContext(connection) as queries:
            run(widgets, source)
        return len(queries)

    assert count("a") == count("ab")


def test_what_was_marked_before_a_fault_stays(widgets: Widgets) -> None:
    widgets.add(name_of("a"))
    source = Source([{**written(widgets, "a"), "spec": {"size": 2}}])
    source.fault = KubernetesFault(FaultKind.GONE, "too slow")
    with pytest.raises(KubernetesFault):
        run(widgets, source)
    assert rows() == {name_of("a"): Lane.RESYNC}


def test_a_comparison_ends_between_two_pages(widgets: Widgets) -> None:
    for name in "abcd":
        widgets.add(name_of(name))
    objects = [{**written(widgets, name), "spec": {}} for name in "abcd"]
    stop = threading.Event()
    real = widgets.manifests

    def last_page(names: Any) -> Any:
        stop.set()
        return real(names)

    widgets.manifests = last_page  # type: ignore[method-assign]
    source = cast(KubernetesClient, Source(objects))
    assert relist([cast(Kind, widgets)], source=source, stop=stop).marked == 2
    assert len(rows()) == 2


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


class Running:
    """A relister whose thread's work the test does itself, one round at a time."""

    def __init__(self, widgets: Widgets, source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stop, self.clock = threading.Event(), Clock()
        # the thread's connection is the test's here
        monkeypatch.setattr(module, "close_old_connections", lambda: None)
        monkeypatch.setattr(connection, "close", lambda: None)
        self.widgets = widgets
        kinds = [cast(Kind, widgets)]
        self.relister = Relister(cast(KubernetesClient, source), kinds, self.stop, self.clock)

    def rounds(self, number: int) -> None:
        """Run until that many kinds were compared."""
        relister, stop = self.relister, self.stop
        real = module.relist

        def counted(*args: Any, **kwargs: Any) -> Relisted:
            result = real(*args, **kwargs)
            if relister.done + 1 >= number:
                stop.set()
                relister.wake()
            return result

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "relist", counted)
            relister.run()


def test_a_kind_that_was_asked_for_is_compared(
    widgets: Widgets, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source()
    running = Running(widgets, source, monkeypatch)
    running.relister.ask(cast(Kind, widgets))
    running.relister.ask(cast(Kind, widgets))
    running.rounds(1)
    assert source.listed == 1


def test_all_kinds_are_compared_after_a_while(
    widgets: Widgets, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.CYCLOUD_KUBERNETES_RELIST_SECONDS = 600.0
    source = Source()
    running = Running(widgets, source, monkeypatch)
    running.clock.time = 721.0
    running.rounds(1)
    assert source.listed == 1


@pytest.mark.parametrize(
    "error",
    [KubernetesFault(FaultKind.GONE, "too slow"), OperationalError("the database is away")],
)
def test_a_failed_comparison_is_made_again(
    widgets: Widgets, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    source = Source()
    running = Running(widgets, source, monkeypatch)
    failures = [error]
    real = source.pages

    def failing(api: ApiKind, *, limit: int) -> Iterator[Page]:
        if failures:
            raise failures.pop()
        return real(api, limit=limit)

    source.pages = failing  # type: ignore[method-assign]
    running.relister.ask(cast(Kind, widgets))
    running.rounds(1)
    assert (running.relister.done, source.listed) == (1, 1)
