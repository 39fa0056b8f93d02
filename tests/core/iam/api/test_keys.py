"""Keys of service accounts over REST."""

from typing import Any

import pytest

from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import ApiToken, AuditEntry, Project
from tests.factories.iam import MembershipFactory, ProjectFactory, ServiceAccountFactory
from tests.factories.rest import RestClient, client_with, operator_client, token_for

pytestmark = pytest.mark.django_db
KEYS = "projects/p/serviceAccounts/robot/keys"


@pytest.fixture
def project() -> Project:
    project: Project = ProjectFactory.create(resource_id="p")
    account = ServiceAccountFactory.create(project=project, resource_id="robot")
    MembershipFactory.create(project=project, user=None, service_account=account, role="editor")
    return project


def test_a_key_is_made_used_and_ended(project: Project) -> None:
    admin = client_with(Role.ADMIN, project)
    made = admin("POST", KEYS, {"display_name": "ci", "life_seconds": 3600})
    assert made.status == 200, made.text
    secret = made.json.pop("secret")
    assert made.json["name"].startswith(f"{KEYS}/")
    assert made.json["prefix"] == secret[:12]
    robot = RestClient(secret)
    assert robot("POST", "projects/p/vpcs", {}).status == 200
    assert AuditEntry.objects.filter(principal="serviceAccounts/p/robot").exists()
    shown = admin("GET", made.json["name"])
    assert shown.json == {**made.json, "last_used_time": shown.json["last_used_time"]}
    assert shown.json["last_used_time"] is not None
    assert admin("GET", KEYS).json["keys"] == [shown.json]
    for _ in range(2):
        assert admin("DELETE", made.json["name"]).json == {}
    assert robot("GET", "projects/p/vpcs").reason == "CREDENTIALS_INVALID"
    assert admin("GET", KEYS).json["keys"] == []
    assert len(admin("GET", f"{KEYS}?show_deleted=true").json["keys"]) == 1
    entries = AuditEntry.objects.filter(method__endswith="ServiceAccountKey").order_by("pk")
    assert [(row.method, row.resource_name, row.project) for row in entries[:2]] == [
        ("CreateServiceAccountKey", made.json["name"], "p"),
        ("DeleteServiceAccountKey", made.json["name"], "p"),
    ]
    assert secret not in str(list(AuditEntry.objects.values()) + list(ApiToken.objects.values()))


def test_a_key_may_be_narrowed_and_ends_by_itself(project: Project) -> None:
    admin = client_with(Role.ADMIN, project)
    made = admin("POST", KEYS, {"role": "viewer"}).json
    robot = RestClient(made["secret"])
    assert robot("GET", "projects/p/vpcs").status == 200
    assert robot("POST", "projects/p/vpcs", {}).status == 403
    key = ApiToken.objects.get(uid=made["name"].split("/")[-1])
    ApiToken.objects.filter(pk=key.pk).update(expire_time=key.create_time)
    assert robot("GET", "projects/p/vpcs").status == 401


def test_a_key_is_a_token_of_its_account(project: Project) -> None:
    admin = client_with(Role.ADMIN, project)
    made = admin("POST", KEYS, {}).json
    uid = made["name"].split("/")[-1]
    assert admin("GET", f"tokens/{uid}").json["owner"] == "serviceAccounts/p/robot"
    admin("POST", "tokens", {"owner": "serviceAccounts/p/robot"})
    assert len(admin("GET", KEYS).json["keys"]) == 2


def test_a_key_of_another_account_is_not_found(project: Project) -> None:
    other = ServiceAccountFactory.create(project=project, resource_id="other")
    token_for(None, user=None, service_account=other)
    foreign = ApiToken.objects.get()
    admin = client_with(Role.ADMIN, project)
    for method in ("GET", "DELETE"):
        for uid in (str(foreign.uid), "0", "nothing"):
            answer = admin(method, f"{KEYS}/{uid}")
            assert (answer.status, answer.reason) == (404, "NOT_FOUND")
    assert ApiToken.objects.get(pk=foreign.pk).revoke_time is None
    assert admin("GET", "projects/p/serviceAccounts/none/keys").status == 404
    assert admin("POST", "projects/p/serviceAccounts/none/keys", {}).status == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"life_seconds": 0}, "life_seconds"),
        ({"role": "owner"}, "role"),
        ({"owner": "users/x"}, "owner"),
        ({"project": "projects/p"}, "project"),
        ({"secret": "cyc_x"}, "secret"),
    ],
)
def test_a_bad_request_for_a_key_is_refused(project: Project, body: Any, field: str) -> None:
    answer = client_with(Role.ADMIN, project)("POST", KEYS, body)
    assert (answer.status, answer.field) == (400, field)
    assert not ApiToken.objects.exclude(service_account=None).exists()


def test_a_dry_run_makes_no_key(project: Project) -> None:
    answer = operator_client()("POST", f"{KEYS}?validate_only=true", {})
    assert answer.status == 200
    assert "secret" not in answer.json
    assert not ApiToken.objects.exclude(service_account=None).exists()
