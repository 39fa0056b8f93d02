import pytest

from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from tests.factories.iam import ProjectFactory, member


@pytest.fixture
def project(db: None) -> Project:
    return ProjectFactory.create(resource_id="p")


@pytest.fixture
def editor(project: Project) -> Actor:
    return member(project)
