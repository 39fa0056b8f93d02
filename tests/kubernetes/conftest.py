"""A stand-in API server, and widgets to sync with it."""

from collections.abc import Iterator

import pytest

from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import Membership, Project, ServiceAccount
from cycloud.core.reconcile.leases import Work, claim_next, give_back
from cycloud.core.reconcile.outcomes import Outcome
from cycloud.kubernetes import registry
from cycloud.kubernetes.controller import KubernetesController
from cycloud.kubernetes.marks import QUEUE, mark
from cycloud.kubernetes.models import NamespaceBinding
from tests.support.kubernetes.server import ApiServer, serving
from tests.support.kubernetes.store import Store
from tests.support.kubernetes.widgets import PART, TEAM, WIDGET, Parts, Widgets


@pytest.fixture
def api() -> Iterator[ApiServer]:
    kinds = {(kind.group, kind.plural) for kind in (WIDGET, PART)}
    with serving(Store(), kinds) as server:
        yield server


@pytest.fixture
def widgets(monkeypatch: pytest.MonkeyPatch) -> Widgets:
    kind = Widgets()
    monkeypatch.setattr(registry, "_kinds", lambda: {"Widget": kind, "Part": _parts})
    _parts.rows.clear()
    return kind


_parts = Parts()


@pytest.fixture
def parts(widgets: Widgets) -> Parts:
    return _parts


@pytest.fixture
def binding(db: None) -> NamespaceBinding:
    """The namespace TEAM of project p, bound to the editor p/gitops."""
    project = Project.objects.create(resource_id="p")
    account = ServiceAccount.objects.create(project=project, resource_id="gitops")
    Membership.objects.create(project=project, service_account=account, role=Role.EDITOR)
    return NamespaceBinding.objects.create(project=project, namespace=TEAM, service_account=account)


class Sync:
    """Runs passes as the engine does."""

    def __init__(self) -> None:
        self._controller = KubernetesController()

    def run(self, name: str, kind: str = "Widget") -> Outcome:
        """Ask for a pass on one object, run what is due of it, and return how the last pass ended."""
        mark(kind, name)
        return self.drain()

    def drain(self) -> Outcome:
        outcome: Outcome | None = None
        for _ in range(20):
            work: Work | None = claim_next(QUEUE)
            if work is None:
                break
            outcome = self._controller.reconcile(work)
            give_back(work, outcome)
        assert outcome is not None, "nothing was due"
        return outcome


@pytest.fixture
def sync(db: None, api: ApiServer, widgets: Widgets) -> Sync:
    return Sync()
