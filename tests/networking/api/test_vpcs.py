import uuid

import pytest

from cycloud.core.aip.models import Operation
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import AuditEntry, Project
from networking.models import VPC
from tests.factories.iam import ProjectFactory
from tests.factories.networking import VpcFactory
from tests.factories.rest import RestClient, client_with

pytestmark = pytest.mark.django_db
VPCS = "projects/p/vpcs"


@pytest.fixture
def project() -> Project:
    project: Project = ProjectFactory.create(resource_id="p")
    return project


@pytest.fixture
def call(project: Project) -> RestClient:
    return client_with(Role.EDITOR, project)


def test_a_vpc_is_made_read_changed_and_deleted(call: RestClient) -> None:
    made = call("POST", f"{VPCS}?vpc_id=main", {"labels": {"env": "prod"}})
    assert (made.status, made.json["done"]) == (200, True), made.text
    assert made.json["response"]["name"] == "projects/p/vpcs/main"
    assert made.json["metadata"]["target"] == "projects/p/vpcs/main"
    operation = call("GET", made.json["name"])
    assert operation.json == made.json
    read = call("GET", f"{VPCS}/main")
    assert read.json["labels"] == {"env": "prod"}
    assert read.json["conditions"][0]["type"] == "Ready"
    changed = call("PATCH", f"{VPCS}/main?update_mask=display_name", {"display_name": "Main"})
    assert changed.json["response"]["display_name"] == "Main"
    deleted = call("DELETE", f"{VPCS}/main")
    assert deleted.json["response"] == {"@type": "type.googleapis.com/google.protobuf.Empty"}
    assert call("GET", f"{VPCS}/main").status == 404
    # the operations outlive it
    assert call("GET", deleted.json["name"]).json["response"] == {
        "@type": "type.googleapis.com/google.protobuf.Empty"
    }
    verbs = [
        item["metadata"]["verb"] for item in call("GET", "projects/p/operations").json["operations"]
    ]
    assert verbs == ["delete", "update", "create"]
    assert [entry.method for entry in AuditEntry.objects.order_by("time")] == [
        "CreateVpc",
        "UpdateVpc",
        "DeleteVpc",
    ]


def test_what_was_read_can_be_sent_back(call: RestClient, project: Project) -> None:
    VpcFactory.create(project=project, resource_id="main", labels={"a": "b"})
    read = call("GET", f"{VPCS}/main").json
    answer = call("PATCH", f"{VPCS}/main", {**read, "display_name": "New"})
    assert answer.json["response"]["display_name"] == "New"
    assert answer.json["response"]["labels"] == {"a": "b"}


def test_a_mask_resets_what_the_body_leaves_out(call: RestClient, project: Project) -> None:
    VpcFactory.create(project=project, resource_id="main", labels={"a": "b"}, display_name="M")
    body = {"display_name": "ignored"}
    answer = call("PATCH", f"{VPCS}/main?update_mask=labels", body)
    shown = answer.json["response"]
    assert (shown["labels"], shown["display_name"]) == ({}, "M")
    answer = call("PATCH", f"{VPCS}/main?update_mask=*", {"labels": {"c": "d"}})
    shown = answer.json["response"]
    assert (shown["labels"], shown["display_name"]) == ({"c": "d"}, "")


def test_an_etag_that_is_not_the_present_one_is_refused(call: RestClient, project: Project) -> None:
    VpcFactory.create(project=project, resource_id="main")
    first = call("GET", f"{VPCS}/main")
    etag = first.headers["ETag"]
    assert etag.startswith(first.json["etag"].removesuffix('"') + ".")
    assert (
        call("PATCH", f"{VPCS}/main", {"display_name": "1"}, headers={"If-Match": etag}).status
        == 200
    )
    bare = first.json["etag"]
    for headers, body in (({"If-Match": etag}, {}), ({"If-Match": bare}, {}), ({}, {"etag": bare})):
        answer = call("PATCH", f"{VPCS}/main", {"display_name": "2", **body}, headers=headers)
        assert (answer.status, answer.reason) == (409, "ETAG_MISMATCH")
    assert call("DELETE", f"{VPCS}/main?etag={etag}").status == 409
    assert VPC.objects.get().display_name == "1"
    two = call("PATCH", f"{VPCS}/main", {"etag": "a"}, headers={"If-Match": "b"})
    assert two.field == "etag"
    assert call("DELETE", f"{VPCS}/main", headers={"If-Match": "*"}).status == 200


def test_who_has_it_already_gets_304(call: RestClient, project: Project) -> None:
    VpcFactory.create(project=project, resource_id="main")
    for path in (VPCS, f"{VPCS}/main"):
        etag = call("GET", path).headers["ETag"]
        again = call("GET", path, headers={"If-None-Match": f'"other", {etag}'})
        assert (again.status, again.text, again.headers["ETag"]) == (304, "", etag)
        call("PATCH", f"{VPCS}/main", {"display_name": path})
        assert call("GET", path, headers={"If-None-Match": etag}).status == 200


def test_a_repeated_request_answers_the_earlier_operation(call: RestClient) -> None:
    path = f"{VPCS}?vpc_id=main&request_id={uuid.uuid4()}"
    first, second = call("POST", path, {}), call("POST", path, {})
    assert first.json == second.json
    assert Operation.objects.count() == 1
    other = call("POST", path, {"display_name": "x"})
    assert (other.status, other.field) == (400, "request_id")


def test_validate_only_of_an_update_shows_what_would_be(call: RestClient, project: Project) -> None:
    VpcFactory.create(project=project, resource_id="main")
    answer = call("PATCH", f"{VPCS}/main?validate_only=true", {"display_name": "x"})
    assert (answer.json["done"], answer.json["response"]["display_name"]) == (True, "x")
    assert "name" not in answer.json
    assert VPC.objects.get().display_name == ""
    assert not Operation.objects.exists()


def test_a_list_is_filtered_ordered_and_paged(call: RestClient, project: Project) -> None:
    for number in range(5):
        VpcFactory.create(
            project=project,
            resource_id=f"v{number}",
            labels={"even": "yes"} if number % 2 == 0 else {},
        )
    VpcFactory.create(resource_id="foreign", labels={"even": "yes"})
    query = "filter=labels.even%3Dyes&order_by=name%20desc&page_size=2"
    first = call("GET", f"{VPCS}?{query}").json
    assert [item["name"][-2:] for item in first["vpcs"]] == ["v4", "v2"]
    second = call("GET", f"{VPCS}?{query}&page_token={first['next_page_token']}").json
    assert [item["name"][-2:] for item in second["vpcs"]] == ["v0"]
    assert second["next_page_token"] == ""


def test_a_page_token_of_one_project_is_none_of_another(call: RestClient, project: Project) -> None:
    VpcFactory.create_batch(3, project=project)
    token = call("GET", f"{VPCS}?page_size=1").json["next_page_token"]
    other = client_with(Role.VIEWER, ProjectFactory.create(resource_id="q"))
    answer = other("GET", f"projects/q/vpcs?page_size=1&page_token={token}")
    assert (answer.status, answer.field) == (400, "page_token")
