"""``resync``: all rows and all objects, and no other."""

import pytest
from django.core.management import CommandError

from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.kubernetes.models import NamespaceBinding
from tests.kubernetes.commands.running import run
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.store import Ref
from tests.support.kubernetes.widgets import WIDGET, Widgets


@pytest.fixture(autouse=True)
def objects(api: ApiServer, widgets: Widgets, binding: NamespaceBinding) -> None:
    """Rows a and b; objects b and c in the project's namespace, and d in one that is bound to nobody."""
    team = binding.namespace
    for namespace in (team, "stray"):
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        api.store.create(Ref("", "v1", "namespaces", "", namespace), body, "kubectl")
    for name in ("a", "b"):
        widgets.add(f"projects/p/widgets/{name}")
    for namespace, name in ((team, "b"), (team, "c"), ("stray", "d")):
        body = {"apiVersion": WIDGET.api_version, "kind": "Widget", "metadata": {"name": name}}
        ref = Ref(WIDGET.group, WIDGET.version, WIDGET.plural, namespace, name)
        api.store.create(ref, {**body, "spec": {"size": 1}}, "kubectl")


def marked() -> dict[str, int]:
    return dict(DueRow.objects.filter(controller="kubernetes").values_list("key", "lane"))


def test_every_row_and_every_object_is_marked_once() -> None:
    told = run("resync")
    assert marked() == {
        "Widget:projects/p/widgets/a": Lane.RESYNC,
        "Widget:projects/p/widgets/b": Lane.RESYNC,
        "Widget:projects/p/widgets/c": Lane.RESYNC,
        "Widget:namespaces/stray/widgets/d": Lane.RESYNC,
    }
    assert told.splitlines() == [
        "Widget: 2 resources are in the queue.",
        "Part: 0 resources are in the queue.",
        "Widget: 2 more objects are in the queue.",
        "Part: 0 more objects are in the queue.",
    ]


def test_kinds_can_be_chosen() -> None:
    run("resync", "Part")
    assert marked() == {}
    with pytest.raises(
        CommandError, match=r"There is no kind 'Gadget'\. Those that are synced: Widget"
    ):
        run("resync", "Gadget")


def test_rows_are_marked_also_where_the_api_is_away(api: ApiServer) -> None:
    api.faults.down = True
    with pytest.raises(CommandError, match="The Kubernetes API does not answer"):
        run("resync")
    assert set(marked()) == {"Widget:projects/p/widgets/a", "Widget:projects/p/widgets/b"}
