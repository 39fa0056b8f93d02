"""Quotas over REST: what members see of them, and how operators change them."""

from typing import Any
from urllib.parse import quote

import pytest

from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import AuditEntry, Project
from cycloud.core.quotas.models import ProjectQuota
from tests.factories.compute import World, make_world
from tests.factories.rest import RestClient, client_with, operator_client

pytestmark = pytest.mark.django_db
IDS = ["addresses", "instances", "memory", "storage", "vcpus", "volumes"]


@pytest.fixture
def world(db: None) -> World:
    world = make_world()
    Project.objects.filter(pk=world.project.pk).update(resource_id="p")
    world.project.refresh_from_db()
    world.instance(volumes=2)
    return world


@pytest.fixture
def operator(world: World) -> RestClient:
    return operator_client()


def ids(answer: Any) -> list[str]:
    assert answer.status == 200, answer.text
    return [quota["name"].rpartition("/")[2] for quota in answer.json["quotas"]]


def test_every_member_sees_limits_and_usage(world: World) -> None:
    viewer = client_with(Role.VIEWER, world.project)
    answer = viewer("GET", "projects/p/quotas")
    assert ids(answer) == IDS
    assert answer.json["next_page_token"] == ""
    shown = {q["name"].rpartition("/")[2]: (q["usage"], q["unit"]) for q in answer.json["quotas"]}
    assert shown == {
        "addresses": (1, "1"),
        "instances": (1, "1"),
        "memory": (4096, "MiB"),
        "storage": (20, "GiB"),
        "vcpus": (2, "1"),
        "volumes": (2, "1"),
    }
    assert viewer("GET", "projects/p/quotas/vcpus").json == answer.json["quotas"][4]


def test_a_warning_is_shown_from_80_percent_on(world: World, operator: RestClient) -> None:
    reasons = []
    for limit in (3, 2, 1):
        operator("PATCH", "projects/p/quotas/vcpus", {"limit": limit})
        [condition] = operator("GET", "projects/p/quotas/vcpus").json["conditions"]
        assert condition["type"] == "BelowWarningThreshold"
        reasons.append((condition["status"], condition["reason"]))
    assert reasons == [("True", "BelowThreshold"), *[("False", "LimitReached")] * 2]


def test_what_a_quota_refuses_is_told_with_its_details(world: World, operator: RestClient) -> None:
    operator("PATCH", "projects/p/quotas/volumes", {"limit": 2})
    editor = client_with(Role.EDITOR, world.project)
    body = {
        "volume_type": world.shared.resource_id,
        "availability_zone": world.zone.resource_id,
        "size": "20Gi",
    }
    for path in ("projects/p/volumes", "projects/p/volumes?validate_only=true"):
        answer = editor("POST", path, body)
        assert (answer.status, answer.reason) == (429, "QUOTA_EXCEEDED")
        assert answer.json["error"]["status"] == "RESOURCE_EXHAUSTED"
        details = {d["@type"].rpartition(".")[2]: d for d in answer.json["error"]["details"]}
        expected = {"quota": "projects/p/quotas/volumes", "limit": "2", "usage": "2"}
        assert expected.items() <= details["ErrorInfo"]["metadata"].items()
        assert details["ErrorInfo"]["metadata"]["requested"] == "1"
        [violation] = details["QuotaFailure"]["violations"]
        assert violation["subject"] == "projects/p/quotas/volumes"


def test_an_operator_changes_a_limit_and_takes_it_back(world: World, operator: RestClient) -> None:
    default = operator("GET", "projects/p/quotas/vcpus").json["limit"]
    answer = operator("PATCH", "projects/p/quotas/vcpus", {"limit": 5})
    assert (answer.status, answer.json["limit"], answer.json["usage"]) == (200, 5, 2)
    entry = AuditEntry.objects.get(method="UpdateQuota")
    assert (entry.resource_name, entry.outcome) == ("projects/p/quotas/vcpus", "OK")
    answer = operator("PATCH", "projects/p/quotas/vcpus?update_mask=limit", {})
    assert answer.json["limit"] == default
    assert not ProjectQuota.objects.exists()


def test_a_dry_run_changes_no_limit(world: World, operator: RestClient) -> None:
    answer = operator("PATCH", "projects/p/quotas/vcpus?validate_only=true", {"limit": 5})
    assert (answer.status, answer.json["limit"]) == (200, 5)
    assert not ProjectQuota.objects.exists()
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("body", [{"limit": -1}, {"limit": "5"}, {"limit": 2**31}, {"limit": True}])
def test_a_wrong_limit_is_refused(world: World, operator: RestClient, body: Any) -> None:
    answer = operator("PATCH", "projects/p/quotas/vcpus", body)
    assert (answer.status, answer.field) == (400, "limit")
    assert not ProjectQuota.objects.exists()


@pytest.mark.parametrize("who", ["anonymous", "non-member", "viewer", "editor", "admin"])
def test_only_operators_change_limits(world: World, who: str) -> None:
    expected = {"anonymous": 401, "non-member": 404}.get(who, 403)
    role = None if who in ("anonymous", "non-member") else Role(who)
    call = RestClient() if who == "anonymous" else client_with(role, world.project)
    assert call("PATCH", "projects/p/quotas/vcpus", {"limit": 1}).status == expected
    assert call("GET", "projects/p/quotas").status == (200 if role else expected)
    assert not ProjectQuota.objects.exists()


@pytest.mark.parametrize(
    ("method", "path"), [("POST", ""), ("DELETE", "/vcpus"), ("PUT", "/vcpus")]
)
def test_quotas_cannot_be_made_or_deleted(
    world: World, operator: RestClient, method: str, path: str
) -> None:
    assert operator(method, f"projects/p/quotas{path}", {}).status == 405


def test_an_unknown_quota_is_not_found(world: World, operator: RestClient) -> None:
    answer = operator("GET", "projects/p/quotas/gpus")
    assert answer.status == 404
    assert "vcpus" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order_by=name desc", IDS[::-1]),
        ("filter=unit = MiB", ["memory"]),
        ("filter=name = v*", ["vcpus", "volumes"]),
        ("filter=name = projects/p/quotas/vcpus OR usage = 20", ["storage", "vcpus"]),
        ("filter=conditions.BelowWarningThreshold.reason = LimitReached", ["volumes"]),
    ],
)
def test_the_list_is_filtered_and_ordered(
    world: World, operator: RestClient, query: str, expected: list[str]
) -> None:
    ProjectQuota.objects.create(project=world.project, resource="volumes", limit=1)
    name, _, value = query.partition("=")
    assert ids(operator("GET", f"projects/p/quotas?{name}={quote(value)}")) == expected


@pytest.mark.parametrize("order", ["", "name desc"])
def test_the_list_comes_in_pages(world: World, operator: RestClient, order: str) -> None:
    seen: list[str] = []
    token = ""
    while True:
        path = f"projects/p/quotas?page_size=4&order_by={quote(order)}&page_token={quote(token)}"
        answer = operator("GET", path)
        seen += ids(answer)
        token = answer.json["next_page_token"]
        if not token:
            break
    assert seen == (IDS[::-1] if order else IDS)
    answer = operator("GET", "projects/p/quotas?page_size=4")
    wrong = f"projects/p/quotas?filter=usage=1&page_token={quote(answer.json['next_page_token'])}"
    assert operator("GET", wrong).field == "page_token"


def test_a_read_mask_leaves_the_rest_out(world: World, operator: RestClient) -> None:
    answer = operator("GET", "projects/p/quotas/vcpus?read_mask=limit,name")
    assert set(answer.json) == {"name", "limit"}
    assert operator("GET", "projects/p/quotas?read_mask=colour").field == "read_mask"
