"""The audit rows of refused writes, by whatever way they come: pages call services directly."""

from typing import Any

import pytest
from django.test import Client

from cycloud.core.aip.errors import FailedPrecondition, PermissionDenied
from cycloud.core.iam.actor import Actor, Role, system_actor
from cycloud.core.iam.models import AuditEntry
from cycloud.core.iam.refusals import refusals_audited
from cycloud.core.iam.services.members import remove_member
from tests.factories.iam import (
    MembershipFactory,
    OperatorFactory,
    ProjectFactory,
    UserFactory,
    member,
)

pytestmark = pytest.mark.django_db


def logged() -> list[tuple[str, str, str, str]]:
    return [
        (row.method, row.resource_name, row.outcome, row.reason)
        for row in AuditEntry.objects.order_by("pk")
    ]


def test_the_outermost_frame_writes_one_row() -> None:
    actor = Actor("users/ann")
    with (
        pytest.raises(FailedPrecondition),
        refusals_audited(actor, "Outer", "projects/p/x"),
        refusals_audited(actor, "Inner", "projects/p"),
    ):
        raise FailedPrecondition("no", reason="LAST_ADMIN")
    assert logged() == [("Outer", "projects/p/x", "FAILED_PRECONDITION", "LAST_ADMIN")]
    with pytest.raises(FailedPrecondition), refusals_audited(actor, "Next", "projects/p"):
        raise FailedPrecondition("no")
    assert len(logged()) == 2


@pytest.mark.parametrize(
    ("actor", "dry_run"), [(Actor("users/ann"), True), (system_actor("x"), False)]
)
def test_dry_runs_and_controllers_leave_no_row(actor: Actor, dry_run: bool) -> None:
    with pytest.raises(PermissionDenied), refusals_audited(actor, "X", "x", dry_run=dry_run):
        raise PermissionDenied("no")
    assert logged() == []


def test_what_is_no_refusal_leaves_no_row() -> None:
    with pytest.raises(RuntimeError), refusals_audited(Actor("users/ann"), "X", "x"):
        raise RuntimeError
    assert logged() == []


def test_a_service_that_is_called_directly_leaves_a_row() -> None:
    project = ProjectFactory.create(resource_id="p")
    MembershipFactory.create(project=project, user__username="ann", role="admin")
    with pytest.raises(FailedPrecondition):
        remove_member(actor=member(project, Role.ADMIN), project_id="p", member_id="user-ann")
    assert logged() == [("DeleteMember", "iam", "FAILED_PRECONDITION", "LAST_ADMIN")]


def test_a_viewer_who_posts_to_a_page_of_the_console_is_logged(client: Client) -> None:
    user = UserFactory.create()
    MembershipFactory.create(project__resource_id="p", user=user, role="viewer")
    client.force_login(user)
    assert client.post("/projects/p/instances/web/do/start/").status_code == 403
    assert logged() == [
        (
            "console:instance-do",
            "projects/p/instances/web/do/start",
            "PERMISSION_DENIED",
            "PERMISSION_DENIED",
        )
    ]
    assert AuditEntry.objects.get().project == "p"
    client.get("/projects/q/instances/")
    assert len(logged()) == 1


def test_the_operators_pages_leave_a_row_and_show_it(client: Client) -> None:
    client.force_login(OperatorFactory.create(username="olga"))
    form: dict[str, Any] = {"resource_id": "Capitals", "display_name": ""}
    assert "is not a resource id" in client.post("/admin/iam/project/add/", form).content.decode()
    assert logged() == [("CreateProject", "project", "INVALID_ARGUMENT", "INVALID_ARGUMENT")]
    page = client.get("/admin/iam/auditentry/?outcome=INVALID_ARGUMENT").content.decode()
    assert "users/olga" in page
    assert "CreateProject" in page
