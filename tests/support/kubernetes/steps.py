"""What the tests of the sync do to a server, and look for there."""

from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.store import Json, Ref
from tests.support.kubernetes.widgets import TEAM, WIDGET

NAME = "projects/p/widgets/w"
MANAGER = f"namespaces/{TEAM}/widgets/w"


def ref(name: str = "w", plural: str = "widgets") -> Ref:
    return Ref(WIDGET.group, "v1", plural, TEAM, name)


def namespace_ref() -> Ref:
    return Ref("", "v1", "namespaces", "", TEAM)


def namespace(api: ApiServer, **labels: str) -> None:
    given = {key.replace("__", "/").replace("_", "."): value for key, value in labels.items()}
    metadata = {"name": TEAM, "labels": given or {"cycloud.jp/project": "p"}}
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    api.store.create(namespace_ref(), body, "admin")


def apply_widget(api: ApiServer, size: int = 1, name: str = "w", manager: str = "kubectl") -> Json:
    body = {
        "apiVersion": WIDGET.api_version,
        "kind": "Widget",
        "metadata": {"name": name, "namespace": TEAM},
        "spec": {"size": size},
    }
    return api.store.apply(ref(name), body, manager)


def condition(found: Json, type_: str) -> Json:
    return next(item for item in found["status"]["conditions"] if item["type"] == type_)


def events(api: ApiServer) -> list[tuple[str, str, str]]:
    items, _ = api.store.listing("events.k8s.io", "events", "")
    return [(item["type"], item["reason"], item["note"]) for item in items]
