"""The permission check, and the projects that a ``-`` for the parent means (AIP-159)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cycloud.core.aip.errors import NotFound, PermissionDenied
from cycloud.core.iam.access import (
    has_permission,
    project_for,
    projects_for,
    require_permission,
)
from cycloud.core.iam.actor import Actor, Role, system_actor
from cycloud.core.iam.permissions import PERMISSIONS, Holder, permission_of, role_has
from tests.factories.iam import (
    OPERATOR,
    MembershipFactory,
    OperatorFactory,
    ProjectFactory,
    UserFactory,
    member,
)
from tests.factories.networking import SubnetFactory, VpcFactory
from tests.factories.rest import RestClient, operator_client, token_for

ANN = Actor("users/ann", roles={"p": Role.VIEWER, "q": Role.EDITOR})


@pytest.mark.parametrize("permission", PERMISSIONS)
def test_each_role_has_what_the_one_before_has(permission: str) -> None:
    held = [role_has(role, permission) for role in (None, Role.VIEWER, Role.EDITOR, Role.ADMIN)]
    assert held == sorted(held)
    assert held[0] == (PERMISSIONS[permission] is Holder.EVERYONE)
    assert held[-1] == (PERMISSIONS[permission] is not Holder.OPERATOR)


def test_a_permission_is_had_in_a_project() -> None:
    assert has_permission(ANN, "compute.instances.create", "q")
    assert not has_permission(ANN, "compute.instances.create", "p")
    assert not has_permission(ANN, "compute.instances.get", "r")
    assert not has_permission(ANN, "compute.instances.get")
    assert has_permission(ANN, "catalog.instanceTypes.get")
    assert has_permission(system_actor("x"), "catalog.instanceTypes.delete")


@pytest.mark.parametrize("actor", [ANN, OPERATOR])
def test_a_permission_that_there_is_not_is_a_mistake_of_ours(actor: Actor) -> None:
    with pytest.raises(KeyError):
        has_permission(actor, "compute.instances.fly", "p")
    with pytest.raises(KeyError):
        permission_of("instances", "fly")


def test_methods_are_given_permissions_by_their_names() -> None:
    assert permission_of("instances", "start") == "compute.instances.start"
    assert permission_of("instances", "watch") == "compute.instances.list"
    assert permission_of("keys", "create") == "iam.serviceAccountKeys.create"
    assert permission_of("openStackClusters", "drain") == "catalog.openStackClusters.setState"


@pytest.mark.django_db
def test_who_lacks_a_permission_is_told_the_role() -> None:
    project = ProjectFactory.create(resource_id="p")
    assert project_for(ANN, "p", "compute.instances.get") == project
    with pytest.raises(
        PermissionDenied, match="needs the role editor in projects/p; you have"
    ) as no:
        project_for(ANN, "p", "compute.instances.create")
    assert no.value.metadata["permission"] == "compute.instances.create"
    assert no.value.metadata["role"] == "editor"
    with pytest.raises(PermissionDenied, match="Only platform operators"):
        project_for(ANN, "p", "iam.projects.delete")
    with pytest.raises(PermissionDenied, match="Only platform operators"):
        require_permission(ANN, "catalog.instanceTypes.create")


@pytest.mark.django_db
def test_a_strangers_refusal_has_the_words_for_a_missing_project() -> None:
    ProjectFactory.create(resource_id="foreign")
    texts = []
    for name in ("foreign", "missing"):
        with pytest.raises(NotFound) as refused:
            project_for(ANN, name, "iam.projects.delete")
        texts.append(refused.value.message.replace(name, "?"))
    assert texts[0] == texts[1]


@pytest.mark.django_db
def test_the_projects_of_a_permission() -> None:
    for name in ("p", "q", "r"):
        ProjectFactory.create(resource_id=name)
    assert [p.resource_id for p in projects_for(ANN, "compute.instances.list")] == ["p", "q"]
    assert [p.resource_id for p in projects_for(ANN, "compute.instances.create")] == ["q"]
    assert [p.resource_id for p in projects_for(OPERATOR, "compute.instances.create")] == [
        "p",
        "q",
        "r",
    ]
    assert not projects_for(member(ProjectFactory.create()), "iam.auditEntries.list")


@pytest.fixture
def three_projects(db: None) -> RestClient:
    """A client of somebody who is in two of three projects, each with things of the same ids."""
    user = UserFactory.create()
    for name, role in (("p", "viewer"), ("q", "editor"), ("r", "")):
        project = ProjectFactory.create(resource_id=name)
        if role:
            MembershipFactory.create(project=project, user=user, role=role)
        vpc = VpcFactory.create(project=project, resource_id="net")
        SubnetFactory.create(vpc=vpc, resource_id="sub", cidr="10.0.0.0/24")
    return RestClient(token_for(user))


def test_a_dash_lists_in_all_of_ones_projects(three_projects: RestClient) -> None:
    found = three_projects("GET", "projects/-/vpcs?order_by=name").json["vpcs"]
    assert [vpc["name"] for vpc in found] == ["projects/p/vpcs/net", "projects/q/vpcs/net"]
    found = three_projects("GET", 'projects/-/subnets?filter=name = "sub"').json["subnets"]
    assert len(found) == 2
    assert len(operator_client()("GET", "projects/-/vpcs").json["vpcs"]) == 3
    stranger = RestClient(token_for(UserFactory.create()))
    assert stranger("GET", "projects/-/vpcs").json["vpcs"] == []


@pytest.mark.parametrize(
    "collection", ["instances", "volumes", "vpcs", "subnets", "networkInterfaces"]
)
def test_every_collection_of_users_takes_a_dash(
    three_projects: RestClient, collection: str
) -> None:
    assert three_projects("GET", f"projects/-/{collection}").status == 200


def test_a_dash_keeps_to_a_narrowed_token(three_projects: RestClient) -> None:
    user = OperatorFactory.create()
    project = ProjectFactory.create(resource_id="s")
    VpcFactory.create(project=project, resource_id="net")
    narrow = RestClient(token_for(user, project=project))
    found = narrow("GET", "projects/-/vpcs").json["vpcs"]
    assert [vpc["name"] for vpc in found] == ["projects/s/vpcs/net"]


def test_pages_over_all_projects_leave_nothing_out(three_projects: RestClient) -> None:
    names: list[str] = []
    token = ""
    while True:
        page = three_projects("GET", f"projects/-/vpcs?page_size=1&page_token={token}").json
        names += [vpc["name"] for vpc in page["vpcs"]]
        token = page["next_page_token"]
        if not token:
            break
    assert sorted(names) == ["projects/p/vpcs/net", "projects/q/vpcs/net"]
    other = three_projects("GET", "projects/p/vpcs?page_size=1&page_token=" + (token or "x"))
    assert other.status == 400


def test_the_number_of_queries_does_not_grow_with_projects(three_projects: RestClient) -> None:
    counts = []
    for path in ("projects/p/vpcs", "projects/-/vpcs"):
        with CaptureQueriesContext(connection) as queries:
            three_projects("GET", path)
        counts.append(len(queries))
    assert counts[1] <= counts[0]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "vpcs/net", None),
        ("POST", "vpcs", {}),
        ("PATCH", "vpcs/net", {"display_name": "x"}),
        ("DELETE", "vpcs/net", None),
        ("GET", "members", None),
        ("GET", "auditEntries", None),
    ],
)
def test_a_dash_is_for_lists_of_resources_only(
    three_projects: RestClient, method: str, path: str, body: object
) -> None:
    for call in (three_projects, operator_client()):
        assert call(method, f"projects/-/{path}", body).reason == "PROJECT_NOT_FOUND"
