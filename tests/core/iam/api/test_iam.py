"""Projects, members, service accounts and tokens over REST."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import ApiToken, AuditEntry, Membership, Project, ServiceAccount
from tests.factories.iam import (
    MembershipFactory,
    ProjectFactory,
    ServiceAccountFactory,
    UserFactory,
)
from tests.factories.networking import VpcFactory
from tests.factories.rest import RestClient, client_with, operator_client, token_for

pytestmark = pytest.mark.django_db

# method, path, body -> who may
MATRIX: list[tuple[str, str, Any, dict[str, int]]] = [
    ("GET", "projects/p", None, {"viewer": 200, "editor": 200, "admin": 200}),
    ("PATCH", "projects/p", {"display_name": "x"}, {"viewer": 403, "editor": 403, "admin": 200}),
    ("DELETE", "projects/p", None, {"viewer": 403, "editor": 403, "admin": 403}),
    ("GET", "projects/p/members", None, {"viewer": 200, "editor": 200, "admin": 200}),
    ("GET", "projects/p/members/user-bob", None, {"viewer": 200, "editor": 200, "admin": 200}),
    (
        "POST",
        "projects/p/members?member_id=user-new",
        {"role": "viewer"},
        {"viewer": 403, "editor": 403, "admin": 200},
    ),
    (
        "PATCH",
        "projects/p/members/user-bob",
        {"role": "admin"},
        {"viewer": 403, "editor": 403, "admin": 200},
    ),
    ("DELETE", "projects/p/members/user-bob", None, {"viewer": 403, "editor": 403, "admin": 200}),
    ("GET", "projects/p/serviceAccounts", None, {"viewer": 200, "editor": 200, "admin": 200}),
    ("POST", "projects/p/serviceAccounts", {}, {"viewer": 403, "editor": 403, "admin": 200}),
    (
        "PATCH",
        "projects/p/serviceAccounts/robot",
        {"disabled": True},
        {"viewer": 403, "editor": 403, "admin": 200},
    ),
    (
        "DELETE",
        "projects/p/serviceAccounts/robot",
        None,
        {"viewer": 403, "editor": 403, "admin": 200},
    ),
    (
        "POST",
        "tokens",
        {"owner": "serviceAccounts/p/robot"},
        {"viewer": 403, "editor": 403, "admin": 200},
    ),
]


@pytest.fixture
def project() -> Project:
    project: Project = ProjectFactory.create(resource_id="p")
    MembershipFactory.create(project=project, user__username="bob", role="editor")
    ServiceAccountFactory.create(project=project, resource_id="robot")
    UserFactory.create(username="new")
    return project


def state() -> list[Any]:
    models = (Project, Membership, ServiceAccount, ApiToken)
    return [
        [{k: v for k, v in row.items() if k != "last_used_time"} for row in m.objects.values()]
        for m in models
    ]


@pytest.mark.parametrize(
    "who", ["anonymous", "non-member", "viewer", "editor", "admin", "operator"]
)
@pytest.mark.parametrize(("method", "path", "body", "statuses"), MATRIX)
def test_who_may_do_what(
    project: Project, who: str, method: str, path: str, body: Any, statuses: dict[str, int]
) -> None:
    if who == "anonymous":
        call, expected = RestClient(), 401
    elif who == "operator":
        call, expected = operator_client(), 200
    elif who == "non-member":
        call, expected = client_with(None, project), 404
    else:
        call, expected = client_with(Role(who), project), statuses[who]
    before, audits = state(), AuditEntry.objects.count()
    answer = call(method, path, body)
    assert answer.status == expected, answer.text
    if method != "GET":
        assert (state() == before) == (expected != 200)
        entry = AuditEntry.objects.order_by("pk").last()
        assert AuditEntry.objects.count() == audits + (who != "anonymous")
        assert entry is None or (entry.outcome == "OK") == (expected == 200)


@pytest.mark.parametrize(("method", "path", "body", "statuses"), MATRIX)
def test_a_foreign_project_and_a_missing_one_cannot_be_told_apart(
    project: Project, method: str, path: str, body: Any, statuses: dict[str, int]
) -> None:
    call = client_with(None, project)
    call("GET", "projects")
    seen = []
    for name in ("p", "q"):
        with CaptureQueriesContext(connection) as queries:
            answer = call(
                method,
                path.replace("projects/p", f"projects/{name}"),
                {"owner": f"serviceAccounts/{name}/robot"} if path == "tokens" else body,
            )
        text = answer.text.replace(f"'{name}'", "'?'").replace(f"projects/{name}", "projects/?")
        seen.append((answer.status, text, len(queries)))
    assert seen[0] == seen[1]


def test_validate_only_changes_nothing(project: Project) -> None:
    call = operator_client()
    for method, path, body, _ in MATRIX:
        if method == "GET":
            continue
        before = state()
        joint = "&" if "?" in path else "?"
        answer = call(method, f"{path}{joint}validate_only=true", body)
        assert answer.status == 200, answer.text
        assert "cyc_" not in answer.text or answer.json["prefix"]
        assert "secret" not in (answer.json or {})
        assert state() == before


def test_everybody_lists_their_own_projects(project: Project) -> None:
    ProjectFactory.create(resource_id="q")
    assert [
        p["name"] for p in client_with(Role.VIEWER, project)("GET", "projects").json["projects"]
    ] == ["projects/p"]
    assert client_with(None, project)("GET", "projects").json["projects"] == []
    assert len(operator_client()("GET", "projects").json["projects"]) == 2


def test_operators_make_and_delete_projects(project: Project) -> None:
    call = operator_client()
    assert call("POST", "projects?project_id=new", {"display_name": "New"}).status == 200
    assert call("POST", "projects?project_id=new", {}).reason == "ALREADY_EXISTS"
    assert call("POST", "projects?project_id=No", {}).field == "project_id"
    assert call("POST", "projects", {}).field == "project_id"
    assert client_with(Role.ADMIN, project)("POST", "projects?project_id=a", {}).status == 403
    VpcFactory.create(project=Project.objects.get(resource_id="new"))
    assert call("DELETE", "projects/new").reason == "PROJECT_NOT_EMPTY"
    assert call("DELETE", "projects/p").json == {}
    assert call("GET", "projects/p").status == 404


def test_members_are_users_and_service_accounts_of_the_project(project: Project) -> None:
    call = client_with(Role.ADMIN, project)
    ServiceAccountFactory.create(resource_id="foreign")
    made = call("POST", "projects/p/members?member_id=service-account-robot", {"role": "editor"})
    assert made.json == {
        "name": "projects/p/members/service-account-robot",
        "principal": "serviceAccounts/p/robot",
        "role": "editor",
    }
    for member, body, field in (
        ("service-account-foreign", {"role": "editor"}, "member_id"),
        ("user-nobody", {"role": "editor"}, "member_id"),
        ("robot", {"role": "editor"}, "member_id"),
        ("user-new", {"role": "owner"}, "role"),
        ("user-new", {}, "role"),
    ):
        answer = call("POST", f"projects/p/members?member_id={member}", body)
        assert (answer.status, answer.field) == (400, field)
    again = call("POST", "projects/p/members?member_id=user-bob", {"role": "viewer"})
    assert again.reason == "ALREADY_EXISTS"
    assert call("GET", made.json["name"]).json == made.json
    listed = call("GET", "projects/p/members?page_size=2").json
    rest = call("GET", f"projects/p/members?page_size=2&page_token={listed['next_page_token']}")
    names = [item["name"] for item in listed["members"] + rest.json["members"]]
    assert names == sorted(names)
    assert len(names) == 3


def test_the_last_administrator_stays(project: Project) -> None:
    user = UserFactory.create(username="root")
    MembershipFactory.create(project=project, user=user, role="admin")
    call = RestClient(token_for(user))
    assert call("DELETE", "projects/p/members/user-root").reason == "LAST_ADMIN"
    assert call("PATCH", "projects/p/members/user-root", {"role": "viewer"}).reason == "LAST_ADMIN"
    assert call("PATCH", "projects/p/members/user-bob", {"role": "admin"}).status == 200
    assert call("DELETE", "projects/p/members/user-root").status == 200
    assert call("GET", "projects/p").status == 404


def test_a_token_is_made_used_and_revoked(project: Project) -> None:
    call = client_with(Role.EDITOR, project)
    made = call("POST", "tokens", {"display_name": "ci", "project": "projects/p", "role": "viewer"})
    assert made.status == 200, made.text
    secret = made.json["secret"]
    new = RestClient(secret)
    assert new("GET", "projects/p/vpcs").status == 200
    assert new("POST", "projects/p/vpcs", {}).status == 403
    shown = call("GET", made.json["name"])
    assert "secret" not in shown.json
    assert secret not in call("GET", "tokens").text + shown.text
    assert secret not in str(list(AuditEntry.objects.values()) + list(ApiToken.objects.values()))
    assert client_with(Role.ADMIN, project)("GET", made.json["name"]).status == 404
    assert client_with(Role.ADMIN, project)("DELETE", made.json["name"]).status == 404
    assert call("DELETE", made.json["name"]).json == {}
    assert call("DELETE", made.json["name"]).json == {}
    assert new("GET", "projects/p/vpcs").reason == "CREDENTIALS_INVALID"
    assert len(call("GET", "tokens").json["tokens"]) == 1
    assert len(call("GET", "tokens?show_deleted=true").json["tokens"]) == 2


def test_a_token_with_a_scope_makes_no_wider_one(project: Project) -> None:
    user = UserFactory.create()
    MembershipFactory.create(project=project, user=user, role="admin")
    for scope in ({"role": "viewer"}, {"project": project}):
        narrow = RestClient(token_for(user, **scope))
        assert narrow("POST", "tokens", {}).reason == "TOKEN_NARROWED"
        assert narrow("GET", "tokens").json["tokens"] == []


def test_only_operators_make_tokens_for_other_people(project: Project) -> None:
    assert client_with(Role.ADMIN, project)("POST", "tokens", {"owner": "users/bob"}).status == 403
    made = operator_client()("POST", "tokens", {"owner": "users/bob"})
    assert made.json["owner"] == "users/bob"
    assert RestClient(made.json["secret"])("GET", "projects/p").status == 200


def test_a_disabled_service_accounts_token_fails_at_once(project: Project) -> None:
    admin = client_with(Role.ADMIN, project)
    admin("POST", "projects/p/members?member_id=service-account-robot", {"role": "editor"})
    secret = admin("POST", "tokens", {"owner": "serviceAccounts/p/robot"}).json["secret"]
    robot = RestClient(secret)
    assert robot("POST", "projects/p/vpcs", {}).status == 200
    admin("PATCH", "projects/p/serviceAccounts/robot", {"disabled": True})
    assert robot("GET", "projects/p/vpcs").status == 401
    admin("PATCH", "projects/p/serviceAccounts/robot", {"disabled": False})
    assert robot("GET", "projects/p/vpcs").status == 200
    admin("DELETE", "projects/p/serviceAccounts/robot")
    assert robot("GET", "projects/p/vpcs").status == 401


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"life_seconds": 0}, "life_seconds"),
        ({"life_seconds": 400 * 86400}, "life_seconds"),
        ({"role": "owner"}, "role"),
        ({"owner": 5}, "owner"),
        ({"secret": "cyc_chosen"}, "secret"),
    ],
)
def test_a_bad_token_request_is_refused(project: Project, body: Any, field: str) -> None:
    answer = client_with(Role.ADMIN, project)("POST", "tokens", body)
    assert (answer.status, answer.field) == (400, field)


def test_a_token_for_a_project_that_one_is_not_in_is_refused(project: Project) -> None:
    ProjectFactory.create(resource_id="foreign")
    call = client_with(Role.ADMIN, project)
    foreign, missing = (
        call("POST", "tokens", {"project": name}) for name in ("foreign", "missing")
    )
    assert foreign.status == missing.status == 404
    assert foreign.text.replace("foreign", "?") == missing.text.replace("missing", "?")
