"""TestIamPermissions: what may I do here?"""

from typing import Any

import pytest

from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import Project
from cycloud.core.iam.permissions import PERMISSIONS, Holder, holder_of
from tests.factories.iam import MembershipFactory, ProjectFactory, UserFactory
from tests.factories.rest import RestClient, client_with, operator_client, token_for

pytestmark = pytest.mark.django_db
TEST = "projects/p:testIamPermissions"
ALL = list(PERMISSIONS)
RANKS = [Holder.EVERYONE, Holder.VIEWER, Holder.EDITOR, Holder.ADMIN, Holder.OPERATOR]


@pytest.fixture
def project() -> Project:
    project: Project = ProjectFactory.create(resource_id="p")
    return project


def held(call: RestClient, path: str = TEST) -> list[str]:
    """Ask for every permission, as many at once as are allowed."""
    found: list[str] = []
    for start in range(0, len(ALL), 100):
        answer = call("POST", path, {"permissions": ALL[start : start + 100]})
        assert answer.status == 200, answer.text
        found += answer.json["permissions"]
    return found


@pytest.mark.parametrize("role", list(Role))
def test_a_member_has_what_the_table_says(project: Project, role: Role) -> None:
    reach = RANKS[: RANKS.index(Holder(role.value)) + 1]
    assert held(client_with(role, project)) == [p for p in ALL if holder_of(p) in reach]


def test_an_operator_has_everything(project: Project) -> None:
    assert held(operator_client()) == ALL


def test_a_narrowed_token_has_what_is_left(project: Project) -> None:
    user = UserFactory.create()
    MembershipFactory.create(project=project, user=user, role="admin")
    assert held(RestClient(token_for(user, role="viewer"))) == held(
        client_with(Role.VIEWER, project)
    )


def test_a_foreign_project_and_a_missing_one_both_give_nothing(project: Project) -> None:
    stranger = client_with(None, project)
    assert held(stranger) == held(stranger, "projects/none:testIamPermissions") == []
    assert held(operator_client(), "projects/none:testIamPermissions") == []


def test_the_answer_keeps_the_order_and_says_each_once(project: Project) -> None:
    asked = ["compute.volumes.get", "compute.instances.get", "compute.volumes.get"]
    answer = client_with(Role.VIEWER, project)("POST", TEST, {"permissions": asked})
    assert answer.json == {"permissions": asked[:2]}
    assert client_with(Role.VIEWER, project)("POST", TEST, {}).field == "permissions"


@pytest.mark.parametrize(
    ("permissions", "field"),
    [
        (["compute.instances.get", "compute.instances.fly"], "permissions[1]"),
        (["*"], "permissions[0]"),
        ("compute.instances.get", "permissions"),
        ([5], "permissions"),
        (["compute.instances.get"] * 101, "permissions"),
    ],
)
def test_a_bad_question_is_refused(project: Project, permissions: Any, field: str) -> None:
    answer = client_with(Role.VIEWER, project)("POST", TEST, {"permissions": permissions})
    assert (answer.status, answer.field) == (400, field)
