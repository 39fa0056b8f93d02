"""The audit log: what writes leave in it, done and refused, and reading it over REST."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from cycloud.core.clock import now
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry, Project
from cycloud.core.iam.refusals import method_name
from cycloud.core.iam.services.projects import update_project
from tests.factories.iam import MembershipFactory, ProjectFactory, UserFactory
from tests.factories.rest import RestClient, client_with, operator_client, token_for

pytestmark = pytest.mark.django_db
LOG = "projects/p/auditEntries"


@pytest.fixture
def project() -> Project:
    project: Project = ProjectFactory.create(resource_id="p")
    return project


def member(project: Project, name: str, role: str) -> RestClient:
    user = UserFactory.create(username=name)
    MembershipFactory.create(project=project, user=user, role=role)
    return RestClient(token_for(user))


def last() -> AuditEntry:
    entry = AuditEntry.objects.order_by("pk").last()
    assert entry is not None
    return entry


def test_a_write_leaves_who_did_what_from_where(project: Project) -> None:
    ann = member(project, "ann", "editor")
    ann("POST", "projects/p/vpcs?vpc_id=net", {}, headers={"X-Request-Id": "call-1"})
    entry = last()
    assert (entry.principal, entry.method, entry.resource_name) == (
        "users/ann",
        "CreateVpc",
        "projects/p/vpcs/net",
    )
    assert (entry.outcome, entry.reason, entry.project) == ("OK", "", "p")
    assert (entry.source_address, entry.request_id) == ("127.0.0.1", "call-1")


@pytest.mark.parametrize(
    ("method", "path", "body", "logged"),
    [
        (
            "POST",
            "vpcs?vpc_id=net",
            {},
            ("CreateVpc", "vpcs/net", "PERMISSION_DENIED", "PERMISSION_DENIED"),
        ),
        (
            "DELETE",
            "vpcs/net",
            None,
            ("DeleteVpc", "vpcs/net", "PERMISSION_DENIED", "PERMISSION_DENIED"),
        ),
        (
            "POST",
            "instances/web:start",
            {},
            ("StartInstance", "instances/web", "PERMISSION_DENIED", "PERMISSION_DENIED"),
        ),
        (
            "POST",
            "instances/web:attachVolume",
            {"volume": "x"},
            ("AttachVolume", "instances/web", "PERMISSION_DENIED", "PERMISSION_DENIED"),
        ),
        (
            "POST",
            "serviceAccounts/robot/keys",
            {},
            (
                "CreateServiceAccountKey",
                "serviceAccounts/robot/keys",
                "PERMISSION_DENIED",
                "PERMISSION_DENIED",
            ),
        ),
        (
            "PATCH",
            "subnets/x",
            {"nothing": 1},
            ("UpdateSubnet", "subnets/x", "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        ),
    ],
)
def test_a_refused_write_leaves_its_outcome(
    project: Project, method: str, path: str, body: Any, logged: tuple[str, str, str, str]
) -> None:
    bob = member(project, "bob", "viewer")
    assert bob(method, f"projects/p/{path}", body).status in (400, 403)
    entry = AuditEntry.objects.get()
    assert (entry.method, entry.resource_name, entry.outcome, entry.reason) == (
        logged[0],
        f"projects/p/{logged[1]}",
        *logged[2:],
    )
    assert entry.principal == "users/bob"


def test_what_a_refused_write_did_is_undone_and_the_row_stays(project: Project) -> None:
    operator = operator_client()
    member(project, "ann", "admin")
    # the service finds out at the end of its transaction
    assert operator("POST", "projects?project_id=p", {}).reason == "ALREADY_EXISTS"
    assert (last().outcome, last().method) == ("ALREADY_EXISTS", "CreateProject")
    assert Project.objects.count() == 1


def test_reads_and_dry_runs_leave_nothing(project: Project) -> None:
    bob = member(project, "bob", "viewer")
    bob("GET", "projects/p/vpcs")
    bob("GET", "projects/q/vpcs")
    bob("POST", "projects/p/vpcs?validate_only=true", {})
    bob("POST", "projects/p:testIamPermissions", {"permissions": ["nothing"]})
    RestClient()("POST", "projects/p/vpcs", {})
    assert not AuditEntry.objects.exists()


def test_what_was_sent_is_not_logged(project: Project) -> None:
    bob = member(project, "bob", "admin")
    bob("POST", "projects/p/vpcs", {"display_name": {"x": "hunter2"}, "hunter2": "hunter2"})
    bob("POST", "projects/p/instances", {"user_data": "hunter2", "ssh_public_keys": ["hunter2"]})
    assert AuditEntry.objects.count() == 2
    assert "hunter2" not in str(list(AuditEntry.objects.values()))


def test_a_long_or_odd_name_does_not_break_the_row(project: Project) -> None:
    bob = member(project, "bob", "viewer")
    answer = bob("DELETE", f"projects/p/vpcs/{'x' * 400}")
    assert answer.status in (403, 404)
    assert len(last().resource_name) == 255


def test_administrators_read_their_projects_log(project: Project) -> None:
    other = ProjectFactory.create(resource_id="q")
    ann = member(project, "ann", "admin")
    client_with(Role.ADMIN, other)("POST", "projects/q/vpcs", {})
    ann("POST", "projects/p/vpcs?vpc_id=a", {})
    ann("POST", "projects/p/vpcs?vpc_id=a", {})
    entries = ann("GET", LOG).json["audit_entries"]
    assert [(e["outcome"], e["resource"]) for e in entries] == [
        ("ALREADY_EXISTS", "projects/p/vpcs/a"),
        ("OK", "projects/p/vpcs/a"),
    ]
    assert ann("GET", entries[1]["name"]).json == entries[1]
    assert set(entries[0]) == {
        "name",
        "time",
        "principal",
        "method",
        "resource",
        "outcome",
        "reason",
        "source_address",
        "request_id",
    }
    foreign = AuditEntry.objects.get(project="q")
    assert ann("GET", f"{LOG}/{foreign.uid}").status == 404
    assert ann("GET", f"{LOG}/nothing").status == 404
    assert ann("GET", "projects/q/auditEntries").status == 404


def test_the_log_is_filtered_and_paged(project: Project) -> None:
    ann, bob = member(project, "ann", "admin"), member(project, "bob", "viewer")
    for name in ("a", "b"):
        ann("POST", f"projects/p/vpcs?vpc_id={name}", {})
    bob("DELETE", "projects/p/vpcs/a")
    AuditEntry.objects.filter(resource_name="projects/p/vpcs/b").update(
        time=now() - timedelta(days=2)
    )

    def found(text: str) -> list[str]:
        return [e["resource"][-1] for e in ann("GET", f"{LOG}?filter={text}").json["audit_entries"]]

    assert found('principal = "users/bob"') == ["a"]
    assert found('method = "DeleteVpc"') == ["a"]
    assert found('outcome = "OK"') == ["a", "b"]
    yesterday = (now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert found(f'time < "{yesterday}"') == ["b"]
    assert found(f'time > "{yesterday}" AND principal != "users/bob"') == ["a"]
    page = ann("GET", f"{LOG}?page_size=2").json
    rest = ann("GET", f"{LOG}?page_size=2&page_token={page['next_page_token']}").json
    assert [e["resource"][-1] for e in page["audit_entries"] + rest["audit_entries"]] == [
        "a",
        "a",
        "b",
    ]


def test_the_log_cannot_be_written(project: Project) -> None:
    call = operator_client()
    assert call("POST", LOG, {}).status == 405
    for method in ("PATCH", "DELETE"):
        assert call(method, f"{LOG}/x", {} if method == "PATCH" else None).status == 405


def test_an_audit_row_of_what_was_done_goes_with_its_transaction(project: Project) -> None:
    actor = Actor("users/ann", is_operator=True)
    with pytest.raises(RuntimeError), transaction.atomic():
        update_project(actor=actor, project_id="p", display_name="x")
        raise RuntimeError
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("kind", "method", "name"),
    [
        ("Instance", "create", "CreateInstance"),
        ("Instance", "start", "StartInstance"),
        ("Instance", "attachVolume", "AttachVolume"),
        ("Volume", "undelete", "UndeleteVolume"),
    ],
)
def test_a_method_is_named_as_its_rpc(kind: str, method: str, name: str) -> None:
    assert method_name(kind, method) == name
