import pytest

from cycloud.core.iam.models import Project
from networking.models import Subnet
from tests.factories.iam import ProjectFactory
from tests.factories.networking import SubnetFactory, VpcFactory


@pytest.fixture
def project(db: None) -> Project:
    return ProjectFactory.create(resource_id="p")


@pytest.fixture
def subnet(project: Project) -> Subnet:
    return SubnetFactory.create(
        vpc=VpcFactory.create(project=project, resource_id="v"),
        resource_id="s",
        cidr="10.0.1.0/24",
    )
