import logging
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from cycloud.core.aip.reasons import ERROR_REASONS
from cycloud.core.iam.actor import Role
from networking.api.vpcs import Vpcs
from networking.models import VPC
from tests.factories.iam import ProjectFactory
from tests.factories.networking import SubnetFactory, VpcFactory
from tests.factories.rest import Answer, RestClient, client_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def call() -> RestClient:
    return client_with(Role.EDITOR, ProjectFactory.create(resource_id="p"))


def check_envelope(answer: Answer) -> None:
    assert set(answer.json) == {"error"}, answer.text
    error = answer.json["error"]
    assert error["code"] == answer.status
    assert error["status"].isupper()
    assert error["message"]
    info = error["details"][0]
    assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert info["domain"] == "cycloud.jp"
    assert "Traceback" not in answer.text


BODIES: list[tuple[bytes, int, str]] = [
    (b"{", 400, "INVALID_JSON"),
    (b"[]", 400, "INVALID_JSON"),
    (b'"text"', 400, "INVALID_JSON"),
    (b"null", 400, "INVALID_JSON"),
    (b'{"labels": NaN}', 400, "INVALID_JSON"),
    (b'{"labels": {}, "labels": {}}', 400, "INVALID_JSON"),
    (b'{"display_name": "\xff"}', 400, "INVALID_JSON"),
    (b'{"display_name": "a\\u0000b"}', 400, "INVALID_ARGUMENT"),
    (b'{"display_name": "\\ud800"}', 400, "INVALID_ARGUMENT"),
    (b'{"\\u0000": 1}', 400, "INVALID_ARGUMENT"),
    (b'{"display_name": ' + b"[" * 100 + b"]" * 100 + b"}", 400, "INVALID_JSON"),
    (b'{"display_name": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400, "INVALID_JSON"),
    (b'{"display_name": ' + b"9" * 10_000 + b"}", 400, "INVALID_JSON"),
    (b'{"display_name": 1e999}', 400, "INVALID_ARGUMENT"),
    (b'{"display_name": 5}', 400, "INVALID_ARGUMENT"),
    (b'{"labels": []}', 400, "INVALID_ARGUMENT"),
    (b'{"labels": {"a": 1}}', 400, "INVALID_ARGUMENT"),
    (b'{"colour": "red"}', 400, "INVALID_ARGUMENT"),
    (b'{"display_name": "' + b"x" * 3_000_000 + b'"}', 413, "BODY_TOO_LARGE"),
]


@pytest.mark.parametrize(("raw", "status", "reason"), BODIES, ids=lambda value: str(value)[:30])
def test_a_bad_body_is_refused_and_changes_nothing(
    call: RestClient, raw: bytes, status: int, reason: str
) -> None:
    answer = call("POST", "projects/p/vpcs", raw=raw)
    check_envelope(answer)
    assert (answer.status, answer.reason) == (status, reason), answer.text
    assert not VPC.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"colour": "red"}, "colour"),
        ({"labels": {"-": "x"}}, "labels"),
        ({"display_name": ["x"]}, "display_name"),
        ({"display_name": "x" * 256}, "display_name"),
    ],
)
def test_a_wrong_field_is_named(call: RestClient, body: dict[str, Any], field: str) -> None:
    answer = call("POST", "projects/p/vpcs", body)
    assert (answer.status, answer.field) == (400, field)


@pytest.mark.parametrize(
    ("method", "path", "status", "reason"),
    [
        ("GET", "nothing", 404, "METHOD_NOT_FOUND"),
        ("GET", "projects/p/nothing", 404, "METHOD_NOT_FOUND"),
        ("GET", "projects/p/vpcs/", 404, "METHOD_NOT_FOUND"),
        ("GET", "", 404, "METHOD_NOT_FOUND"),
        ("PUT", "projects/p/vpcs/a", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "projects/p/vpcs/a", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "projects/p/vpcs", 405, "METHOD_NOT_ALLOWED"),
        ("OPTIONS", "projects/p/vpcs", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "projects/p/vpcs/a:start", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "projects/p/vpcs/a:explode", 404, "METHOD_NOT_FOUND"),
        ("POST", "projects/p/operations", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "projects/p/vpcs?page_size=-1", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/p/vpcs?pagesize=1", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/p/vpcs?page_size=1&page_size=2", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/p/vpcs?filter=%00", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/p/vpcs?filter=colour=red", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/p/vpcs?show_deleted=yes", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/p/vpcs?order_by=colour", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/p/vpcs?page_token=abc", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/p/vpcs/%00", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/%00/vpcs", 400, "INVALID_ARGUMENT"),
        ("POST", "projects/p/vpcs?vpc_id=Wrong_Id", 400, "INVALID_ARGUMENT"),
        ("POST", "projects/p/vpcs?request_id=1", 400, "INVALID_ARGUMENT"),
        ("POST", "projects/p/vpcs?validate_only=1", 400, "INVALID_ARGUMENT"),
        ("POST", "projects/p/vpcs?etag=1", 400, "INVALID_ARGUMENT"),
        ("PATCH", "projects/p/vpcs/a?update_mask=colour", 400, "INVALID_ARGUMENT"),
        ("GET", "projects/p/vpcs/" + "x" * 300, 404, "NOT_FOUND"),
    ],
)
def test_a_bad_request_is_refused(
    call: RestClient, method: str, path: str, status: int, reason: str
) -> None:
    answer = call(method, path)
    check_envelope(answer)
    assert (answer.status, answer.reason) == (status, reason), answer.text


def test_an_unknown_path_needs_no_csrf_token() -> None:
    answer = Client(enforce_csrf_checks=True).post("/v1/nothing")
    assert answer.status_code == 404
    assert answer.json()["error"]["details"][0]["reason"] == "METHOD_NOT_FOUND"


def test_a_refusal_reads_in_the_callers_language(call: RestClient) -> None:
    answer = call("GET", "projects/p/vpcs/x", headers={"Accept-Language": "ja-JP,en;q=0.5"})
    local = answer.json["error"]["details"][-1]
    assert (local["locale"], local["message"]) == ("ja", ERROR_REASONS["NOT_FOUND"].japanese)
    assert answer.json["error"]["message"].startswith("There is no Vpc projects/p/vpcs/x.")


def test_405_says_what_is_allowed(call: RestClient) -> None:
    assert call("PUT", "projects/p/vpcs/a").headers["Allow"] == "GET, HEAD, PATCH, DELETE"
    assert call("PUT", "projects/p/operations").headers["Allow"] == "GET, HEAD"


def test_another_content_type_is_415(call: RestClient) -> None:
    answer = call(
        "POST", "projects/p/vpcs", raw=b"a=b", content_type="application/x-www-form-urlencoded"
    )
    check_envelope(answer)
    assert (answer.status, answer.reason) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert "application/json" in answer.json["error"]["message"]


def test_accept_does_not_matter(call: RestClient) -> None:
    assert call("GET", "projects/p/vpcs", headers={"Accept": "text/html"}).status == 200


def test_a_wrong_host_is_refused_in_the_same_form() -> None:
    answer = Client(raise_request_exception=False).get(
        "/v1/projects", headers={"Host": "evil.example"}
    )
    assert answer.status_code == 400
    assert answer.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_who_does_not_say_who_they_are_gets_401() -> None:
    answer = RestClient()("GET", "projects/p/vpcs")
    check_envelope(answer)
    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="cycloud"'


def test_what_nobody_foresaw_is_logged_and_told_by_its_id(
    call: RestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(Vpcs, "rows", fail)
    with caplog.at_level(logging.ERROR):
        answer = call("GET", "projects/p/vpcs")
    check_envelope(answer)
    assert (answer.status, answer.json["error"]["status"]) == (500, "INTERNAL")
    assert "secret inside" not in answer.text
    incident = answer.json["error"]["details"][0]["metadata"]["incident"]
    assert incident in answer.json["error"]["message"]
    assert incident in caplog.text
    assert "secret inside" in caplog.text


def test_an_answer_has_the_callers_request_id_or_a_new_one(call: RestClient) -> None:
    answer = call("GET", "projects/p/vpcs", headers={"X-Request-Id": "abc-1"})
    assert answer.headers["X-Request-Id"] == "abc-1"
    strange = call("GET", "projects/p/vpcs", headers={"X-Request-Id": "a b\\n" * 100})
    assert len(strange.headers["X-Request-Id"]) == 32


def test_a_precondition_that_fails_is_400_with_its_own_reason(call: RestClient) -> None:
    vpc = VpcFactory.create(project__resource_id="q")
    SubnetFactory.create(vpc=vpc)
    answer = client_with(Role.EDITOR, vpc.project)("DELETE", f"projects/q/vpcs/{vpc.resource_id}")
    assert (answer.status, answer.reason) == (400, "VPC_NOT_EMPTY")
    assert answer.json["error"]["status"] == "FAILED_PRECONDITION"


def test_a_database_that_fails_is_503_to_be_repeated(
    call: RestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OperationalError("database is locked: /secret/path")

    monkeypatch.setattr(Vpcs, "rows", fail)
    answer = call("GET", "projects/p/vpcs")
    check_envelope(answer)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert "secret" not in answer.text
