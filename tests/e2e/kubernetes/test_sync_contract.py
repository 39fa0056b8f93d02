"""The suite of the sync itself, tests/kubernetes/test_{controller,taking}.py, on a real API server.

Where the two differ, the stand-in of tests/support/kubernetes is wrong.
"""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from cycloud.kubernetes.client import client, forget_client
from cycloud.kubernetes.hooks import call_hooks
from tests.e2e.kubernetes.harness.api import Api
from tests.e2e.kubernetes.harness.real_store import RealStore, open_definition
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.kubernetes import test_controller, test_taking
from tests.kubernetes.conftest import binding, parts, sync, widgets
from tests.support.kubernetes.steps import namespace_ref
from tests.support.kubernetes.widgets import PART, TEAM, WIDGET

pytestmark = pytest.mark.django_db

__all__ = ["binding", "parts", "sync", "widgets"]

# faults are made up by the stand-in only
_MADE_UP = {"test_an_answer_that_is_an_error_is_tried_again_and_nothing_is_lost"}
globals().update(
    {
        name: test
        for name, test in (vars(test_controller) | vars(test_taking)).items()
        if name.startswith("test_") and name not in _MADE_UP
    }
)


class RealApi:
    """What the suite's fixture ``api`` offers."""

    def __init__(self, store: RealStore) -> None:
        self.store = store
        self.calls: list[tuple[str, str]] = []

    def writes(self) -> list[tuple[str, str]]:
        return list(self.calls)

    def note(self, verb: str, path: str, is_write: bool) -> None:
        if is_write:
            self.calls.append((verb, path))


@pytest.fixture(scope="module")
def store(server: ApiServer) -> Iterator[RealStore]:
    api = Api(server)
    for kind in (WIDGET, PART):
        definition = open_definition(kind.group, kind.kind, kind.plural)
        path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{kind.definition}"
        query = {"fieldManager": "suite", "force": "true"}
        api.call("PATCH", path, definition, "apply-patch+yaml", **query)
    api.call(
        "PATCH",
        f"/api/v1/namespaces/{TEAM}",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TEAM}},
        "apply-patch+yaml",
        fieldManager="suite",
    )
    store = RealStore(server)
    for group, plural in store.custom_kinds():
        api.wait_served(f"/apis/{group}/v1/{plural}")
    yield store
    for kind in (WIDGET, PART):
        path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{kind.definition}"
        api.call("DELETE", path)
    api.close()
    store.close()


@pytest.fixture
def api(store: RealStore, server: ApiServer, settings: LazySettings) -> Iterator[RealApi]:
    settings.CYCLOUD_KUBERNETES_KUBECONFIG = str(server.kubeconfig())
    store.wipe()
    store.forget_events(TEAM)
    labels = {"cycloud.jp/project": "p"}
    store.create(namespace_ref(), {"metadata": {"labels": labels}}, "suite")
    forget_client()
    client()
    found = RealApi(store)
    with call_hooks(after=found.note):
        yield found
    forget_client()
