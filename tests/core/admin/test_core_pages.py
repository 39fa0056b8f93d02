"""Operators manage people, projects and tokens, and read the log, the operations and the queue."""

from datetime import timedelta

import pytest
from django.test import Client

from cycloud.core.aip.models import Operation
from cycloud.core.clock import now
from cycloud.core.iam.access import audit
from cycloud.core.iam.authentication import actor_for_secret
from cycloud.core.iam.models import ApiToken, AuditEntry, Membership, Project, ServiceAccount, User
from cycloud.core.reconcile.models import DueRow
from cycloud.core.reconcile.queue import enqueue
from tests.factories.compute import InstanceFactory
from tests.factories.iam import (
    OPERATOR,
    MembershipFactory,
    OperatorFactory,
    ProjectFactory,
    ServiceAccountFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery staple"


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(OperatorFactory.create(username="olga"))
    return client


def test_the_first_page_and_every_list_open(operator: Client) -> None:
    MembershipFactory.create()
    ServiceAccountFactory.create()
    audit(OPERATOR, "CreateProject", "projects/p")
    enqueue("instance", "key")
    assert operator.get("/admin/").status_code == 200
    for table in (
        "iam/user",
        "iam/project",
        "iam/membership",
        "iam/serviceaccount",
        "iam/apitoken",
        "iam/auditentry",
        "aip/operation",
        "reconcile/duerow",
    ):
        assert operator.get(f"/admin/{table}/").status_code == 200, table


@pytest.mark.parametrize("table", ["iam/auditentry", "aip/operation", "reconcile/duerow"])
def test_logs_and_queue_are_to_be_read(operator: Client, table: str) -> None:
    assert operator.get(f"/admin/{table}/add/").status_code == 403


def test_a_member_who_is_no_operator_is_kept_out() -> None:
    client = Client()
    user = UserFactory.create()
    MembershipFactory.create(user=user, role="admin")
    client.force_login(user)

    assert client.get("/admin/iam/user/").status_code == 302
    assert client.get("/admin/").status_code == 302


def test_a_user_is_made_and_made_operator_with_audit_rows(operator: Client) -> None:
    operator.post(
        "/admin/iam/user/add/",
        {
            "username": "bob",
            "usable_password": "true",
            "password1": PASSWORD,
            "password2": PASSWORD,
        },
    )
    bob = User.objects.get(username="bob")
    assert (bob.is_staff, bob.is_superuser, bob.check_password(PASSWORD)) == (False, False, True)

    operator.post(
        f"/admin/iam/user/{bob.pk}/change/",
        {"username": "bob", "is_active": "on", "is_staff": "on", "email": "bob@example.com"},
    )
    bob.refresh_from_db()
    assert (bob.is_staff, bob.is_superuser) == (True, True)
    rows = AuditEntry.objects.filter(principal="users/olga", resource_name="users/bob")
    assert [row.method for row in rows.order_by("pk")] == ["CreateUser", "UpdateUser"]
    assert PASSWORD not in str(list(rows.values()))


def test_a_user_is_closed_not_deleted(operator: Client) -> None:
    user = UserFactory.create()

    assert operator.post(f"/admin/iam/user/{user.pk}/delete/").status_code == 403


def test_a_project_is_made_renamed_and_deleted_through_the_services(operator: Client) -> None:
    operator.post("/admin/iam/project/add/", {"resource_id": "shop", "display_name": "Shop"})
    project = Project.objects.get(resource_id="shop")
    operator.post(f"/admin/iam/project/{project.pk}/change/", {"display_name": "The shop"})
    project.refresh_from_db()
    assert project.display_name == "The shop"

    operator.post(f"/admin/iam/project/{project.pk}/delete/", {"post": "yes"})
    assert not Project.objects.filter(pk=project.pk).exists()
    methods = AuditEntry.objects.order_by("pk").values_list("method", flat=True)
    assert list(methods) == ["CreateProject", "UpdateProject", "DeleteProject"]


def test_a_bad_project_id_is_told_at_the_field(operator: Client) -> None:
    response = operator.post("/admin/iam/project/add/", {"resource_id": "No-Good"})

    assert response.status_code == 200
    assert "is not a resource id" in str(response.context["adminform"].form.errors["resource_id"])
    assert not Project.objects.exists()


def test_a_project_with_resources_is_not_deleted(operator: Client) -> None:
    project = InstanceFactory.create().project
    operator.post(f"/admin/iam/project/{project.pk}/delete/", {"post": "yes"}, follow=True)

    assert Project.objects.filter(pk=project.pk).exists()


def test_a_member_is_added_promoted_and_removed(operator: Client) -> None:
    project, user = ProjectFactory.create(), UserFactory.create()
    operator.post(
        "/admin/iam/membership/add/", {"project": project.pk, "user": user.pk, "role": "viewer"}
    )
    membership = Membership.objects.get()
    operator.post(f"/admin/iam/membership/{membership.pk}/change/", {"role": "admin"})
    membership.refresh_from_db()
    assert membership.role == "admin"

    operator.post(f"/admin/iam/membership/{membership.pk}/delete/", {"post": "yes"})
    assert not Membership.objects.exists()


def test_a_second_membership_of_one_user_is_refused_on_the_form(operator: Client) -> None:
    user = UserFactory.create()
    before = MembershipFactory.create(user=user, role="viewer")
    response = operator.post(
        "/admin/iam/membership/add/",
        {"project": before.project.pk, "user": user.pk, "role": "admin"},
    )

    assert response.status_code == 200
    assert "already exists" in response.content.decode()
    assert Membership.objects.get().role == "viewer"


def test_a_service_account_is_made_and_disabled(operator: Client) -> None:
    project = ProjectFactory.create()
    operator.post(
        "/admin/iam/serviceaccount/add/", {"project": project.pk, "resource_id": "deployer"}
    )
    account = ServiceAccount.objects.get()
    operator.post(
        f"/admin/iam/serviceaccount/{account.pk}/change/",
        {"display_name": "Deploys", "disabled": "on"},
    )

    account.refresh_from_db()
    assert (account.display_name, account.disabled) == ("Deploys", True)


def test_the_secret_of_a_token_is_shown_once_and_works(operator: Client) -> None:
    user = UserFactory.create(username="ann")
    response = operator.post(
        "/admin/iam/apitoken/add/",
        {"display_name": "laptop", "user": user.pk, "role": "", "days": "7"},
    )
    secret = response.context["secret"]

    assert response.status_code == 200
    assert secret in response.content.decode()
    assert "no-store" in response.headers["Cache-Control"]
    assert actor_for_secret(secret).principal == "users/ann"
    token = ApiToken.objects.get()
    assert timedelta(days=6) < token.expire_time - now() <= timedelta(days=7)
    for page in ("/admin/iam/apitoken/", f"/admin/iam/apitoken/{token.pk}/change/", "/admin/"):
        content = operator.get(page).content.decode()
        assert secret not in content
        assert token.digest not in content
    assert secret not in str(dict(operator.session.items()))


def test_a_token_needs_one_owner(operator: Client) -> None:
    response = operator.post("/admin/iam/apitoken/add/", {"display_name": "x", "days": "7"})

    assert "not both" in str(response.context["adminform"].form.errors["user"])
    assert not ApiToken.objects.exists()


def test_a_token_is_revoked_after_a_question(operator: Client) -> None:
    user = UserFactory.create()
    operator.post("/admin/iam/apitoken/add/", {"user": user.pk, "days": "7", "display_name": ""})
    token = ApiToken.objects.get()
    selection = {"action": "revoke", "_selected_action": [token.pk]}

    operator.post("/admin/iam/apitoken/", selection)
    token.refresh_from_db()
    assert token.revoke_time is None

    operator.post("/admin/iam/apitoken/", {**selection, "confirmed": "yes"})
    token.refresh_from_db()
    assert token.revoke_time is not None


def test_reconcile_now_makes_a_parked_row_due(operator: Client) -> None:
    enqueue("instance", "key")
    DueRow.objects.update(due=None, attempts=7)
    row = DueRow.objects.get()
    operator.post(
        "/admin/reconcile/duerow/", {"action": "reconcile_now", "_selected_action": [row.pk]}
    )

    row.refresh_from_db()
    assert row.due is not None
    assert row.attempts == 0
    assert AuditEntry.objects.filter(method="ReconcileNow", resource_name="instance/key").exists()


def test_the_button_of_one_row_of_the_queue_asks_first(operator: Client) -> None:
    enqueue("instance", "key")
    DueRow.objects.update(due=None)
    path = f"/admin/reconcile/duerow/{DueRow.objects.get().pk}/reconcile_this/"

    assert "Reconcile it now?" in operator.get(path).content.decode()
    assert DueRow.objects.get().due is None

    operator.post(path, {"_form_submitted": "True"})
    assert DueRow.objects.get().due is not None


def test_the_queue_tells_what_is_parked_and_what_is_late(operator: Client) -> None:
    enqueue("instance", "parked")
    DueRow.objects.update(due=None)
    enqueue("instance", "late", due=now() - timedelta(hours=2))
    enqueue("instance", "later", due=now() + timedelta(hours=3, minutes=1))
    content = operator.get("/admin/reconcile/duerow/").content.decode().replace("\xa0", " ")

    for text in ("when asked", "since 2 hours", "in 3 hours"):
        assert text in content


def test_operations_tell_how_they_ended(operator: Client) -> None:
    project = ProjectFactory.create()
    for verb, done, error in (
        ("create", True, None),
        ("start", True, {"message": "There is no quota left."}),
        ("stop", False, None),
    ):
        Operation.objects.create(
            project=project,
            verb=verb,
            target_kind="Instance",
            target_uid=project.uid,
            target_name="projects/p/instances/web-1",
            generation=1,
            done=done,
            error=error,
            progress_message="" if done else "Stopping: it shuts down",
            create_time=now() - timedelta(seconds=90),
            end_time=now() if done else None,
        )
    content = operator.get("/admin/aip/operation/").content.decode()

    for text in ("Done", "Failed", "In progress", "no quota left", "it shuts down", "90."):
        assert text in content


def test_a_service_account_is_deleted_through_the_service(operator: Client) -> None:
    account = ServiceAccountFactory.create()
    operator.post(f"/admin/iam/serviceaccount/{account.pk}/delete/", {"post": "yes"})

    assert not ServiceAccount.objects.exists()
    assert AuditEntry.objects.filter(method="DeleteServiceAccount").exists()
