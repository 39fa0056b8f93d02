"""VPCs to change: the smallest watched resource."""

from collections.abc import Callable, Iterator
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import transaction

from cycloud.core.changes.hub import Hub
from cycloud.core.changes.record import record_added, record_changed
from cycloud.core.iam.models import Project
from cycloud.core.reconcile.queue import in_order
from networking.models import VPC
from tests.factories.iam import ProjectFactory
from tests.factories.networking import VpcFactory

Write = Callable[..., VPC]


@pytest.fixture
def project(db: None) -> Project:
    made: Project = ProjectFactory.create(resource_id="p")
    return made


@pytest.fixture
def write(project: Project) -> Write:
    """Make a VPC of that id, or change it, in a transaction as the services run it; the text is its display name."""

    def act(resource_id: str, text: str = "", *, owner: Project | None = None) -> VPC:
        with transaction.atomic(), in_order():
            found = VPC.objects.filter(project=owner or project, resource_id=resource_id).first()
            if found is None:
                made: VPC = VpcFactory.create(
                    project=owner or project, resource_id=resource_id, display_name=text
                )
                record_added(kind=made.kind, uid=made.uid, project_id=made.project_id)
                return made
            found.display_name = text
            found.revision += 1
            found.save()
            record_changed(kind=found.kind, uid=found.uid, project_id=found.project_id)
            return found

    return act


@pytest.fixture
def manual(db: None) -> Iterator[Hub]:
    """A hub that does nothing by itself."""
    made = Hub(threads=False)
    yield made
    made.close()


def uid_of(resource_id: str) -> UUID:
    return VPC.objects.get(resource_id=resource_id).uid


@pytest.fixture
def bookmarks_at_once(settings: LazySettings) -> None:
    """A watch that has nothing to tell sends a bookmark instead of waiting: no test hangs."""
    settings.CYCLOUD_WATCH_BOOKMARK_SECONDS = 0.0
