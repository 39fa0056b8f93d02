import json
from pathlib import Path
from typing import Any

import pytest
import requests
from keystoneauth1 import exceptions as ksa
from openstack import exceptions as sdk

from cycloud.openstack.faults import FaultKind, ProviderFault
from cycloud.openstack.translation import (
    fault_from_exception,
    fault_from_response,
    retry_after_of,
    safe_text,
)

SAMPLES = Path(__file__).resolve().parent.parent / "e2e/testbed/samples"


def answer(status: int, body: Any, headers: dict[str, str] | None = None) -> requests.Response:
    response = requests.Response()
    response.status_code = status
    text = body if isinstance(body, str) else json.dumps(body)
    response._content = text.encode()
    kind = "text/html" if text.startswith("<") else "application/json"
    response.headers.update({"Content-Type": kind, **(headers or {})})
    return response


def fault(service: str, status: int, body: Any, **headers: str) -> ProviderFault:
    found = fault_from_response(
        service, answer(status, body, {k.replace("_", "-"): v for k, v in headers.items()})
    )
    assert found is not None
    return found


SAMPLE_KINDS = [
    ("nova", "nova-over-core-quota", FaultKind.QUOTA_EXCEEDED),
    ("cinder", "cinder-quota-gigabytes", FaultKind.QUOTA_EXCEEDED),
    ("cinder", "cinder-manage-over-quota", FaultKind.QUOTA_EXCEEDED),
    ("neutron", "neutron-quota-network", FaultKind.QUOTA_EXCEEDED),
    ("neutron", "neutron-ip-in-use", FaultKind.CONFLICT),
    ("neutron", "neutron-mac-in-use", FaultKind.CONFLICT),
    ("neutron", "neutron-stale-revision", FaultKind.CONFLICT),
    ("neutron", "neutron-ip-outside-subnet", FaultKind.INVALID),
    ("neutron", "neutron-unknown-network", FaultKind.NOT_FOUND),
    ("nova", "nova-volume-in-use", FaultKind.CONFLICT),
    ("nova", "nova-attach-in-use-volume", FaultKind.CONFLICT),
    ("nova", "nova-port-in-use", FaultKind.CONFLICT),
    ("nova", "nova-stop-stopped", FaultKind.CONFLICT),
    ("nova", "nova-unknown-volume", FaultKind.CONFLICT),
    ("nova", "nova-unknown-port", FaultKind.CONFLICT),
    ("nova", "nova-unknown-flavor", FaultKind.INVALID),
    ("nova", "nova-create-not-bootable", FaultKind.INVALID),
    ("nova", "nova-bad-body", FaultKind.INVALID),
    ("nova", "nova-get-deleted", FaultKind.NOT_FOUND),
    ("nova", "outage-neutron-create-server", FaultKind.SERVER_ERROR),
    ("cinder", "cinder-unmanage-in-use", FaultKind.CONFLICT),
    ("cinder", "cinder-delete-with-snapshot", FaultKind.CONFLICT),
    ("cinder", "cinder-delete-attachment-behind-nova", FaultKind.CONFLICT),
    ("cinder", "cinder-manage-already-managed-same-cloud", FaultKind.CONFLICT),
    ("cinder", "cinder-manage-unknown-host", FaultKind.INVALID),
    ("cinder", "cinder-get-unknown", FaultKind.NOT_FOUND),
    ("nova", "auth-microversion-too-new", FaultKind.INVALID),
    ("cinder", "auth-demo-manage-forbidden", FaultKind.FORBIDDEN),
    ("nova", "auth-bad-token-nova", FaultKind.FORBIDDEN),
    ("glance", "glance-unknown", FaultKind.NOT_FOUND),
    ("glance", "glance-delete-protected", FaultKind.FORBIDDEN),
    ("glance", "glance-import-active", FaultKind.CONFLICT),
    # a path that the service does not have is no absent object
    ("cinder", "cinder-manageable-needs-3.8", FaultKind.SERVER_ERROR),
]


@pytest.mark.parametrize("release", ["2025.1", "2026.2"])
@pytest.mark.parametrize(("service", "name", "kind"), SAMPLE_KINDS)
def test_what_real_clouds_answered_has_its_kind(
    release: str, service: str, name: str, kind: FaultKind
) -> None:
    path = SAMPLES / f"errors-{release}" / f"{name}.json"
    if not path.exists():  # some were provoked on one release only
        path = SAMPLES / "errors-2026.2" / f"{name}.json"
    sample = json.loads(path.read_text())

    found = fault(service, sample["status"], sample["body"])

    assert (found.kind, found.status, found.service) == (kind, sample["status"], service)
    assert found.text
    assert "<" not in found.text or "<class" in found.text


@pytest.mark.parametrize(
    "body",
    [
        "<html><body><h1>404 Not Found</h1>nginx</body></html>",
        "",
        "not found",
        "[]",
        {"NeutronError": {"type": "HTTPNotFound", "message": "The resource could not be found."}},
        {"itemNotFound": {"code": 404, "message": "The resource could not be found."}},
        {"message": "404 from somewhere"},
    ],
)
def test_a_404_of_something_in_between_is_not_absence(body: Any) -> None:
    assert fault("neutron", 404, body).kind is FaultKind.SERVER_ERROR


def test_glance_answers_in_json_where_it_is_accepted() -> None:
    body = {"message": "No image found with ID x<br /><br />\n\n\n", "code": "404 Not Found"}

    found = fault("glance", 404, body)

    assert (found.kind, found.text) == (FaultKind.NOT_FOUND, "No image found with ID x")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (500, FaultKind.SERVER_ERROR),
        (502, FaultKind.SERVER_ERROR),
        (503, FaultKind.SERVER_ERROR),
        (300, FaultKind.SERVER_ERROR),
        (408, FaultKind.UNREACHABLE),
        (422, FaultKind.INVALID),
        (401, FaultKind.FORBIDDEN),
    ],
)
def test_other_codes_have_their_kind(status: int, kind: FaultKind) -> None:
    found = fault("nova", status, "")

    assert (found.kind, found.text) == (kind, f"HTTP {status}")


def test_two_hundred_is_no_fault() -> None:
    assert fault_from_response("nova", answer(202, "")) is None


def test_too_many_requests_say_when_to_come_back() -> None:
    found = fault("nova", 429, {"overLimit": {"message": "slow down"}}, Retry_After="7")

    assert (found.kind, found.retry_after) == (FaultKind.RATE_LIMITED, 7.0)


def test_413_without_a_quota_is_a_rate_limit() -> None:
    assert fault("cinder", 413, {"overLimit": {"message": "slow down"}}).kind is (
        FaultKind.RATE_LIMITED
    )


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        ("3", 3, 3),
        ("-3", 0, 0),
        ("Wed, 21 Oct 2099 07:28:00 GMT", 1e9, 1e10),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, low: float, high: float) -> None:
    seconds = retry_after_of({"Retry-After": value})

    assert seconds is not None
    assert low <= seconds <= high


def test_a_retry_after_that_cannot_be_read_is_none() -> None:
    assert retry_after_of({"Retry-After": "soon"}) is None
    assert retry_after_of({}) is None


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ksa.ConnectFailure("refused"), FaultKind.UNREACHABLE),
        (ksa.ConnectTimeout("late"), FaultKind.UNREACHABLE),
        (ksa.SSLError("who is that"), FaultKind.UNREACHABLE),
        (ksa.UnknownConnectionError("odd", ValueError()), FaultKind.UNREACHABLE),
        (requests.ConnectionError("refused"), FaultKind.UNREACHABLE),
        (requests.ReadTimeout("late"), FaultKind.UNREACHABLE),
        (requests.exceptions.ChunkedEncodingError("cut"), FaultKind.UNREACHABLE),
        (requests.exceptions.ContentDecodingError("odd"), FaultKind.SERVER_ERROR),
        (requests.JSONDecodeError("odd", "", 0), FaultKind.SERVER_ERROR),
        (ConnectionResetError("cut"), FaultKind.UNREACHABLE),
        (ksa.Unauthorized("no"), FaultKind.FORBIDDEN),
        (ksa.Forbidden("no"), FaultKind.FORBIDDEN),
        (ksa.NotFound("no"), FaultKind.INVALID),
        (ksa.ServiceUnavailable("down"), FaultKind.SERVER_ERROR),
        (ksa.HttpError("slow", http_status=429), FaultKind.RATE_LIMITED),
        (ksa.EndpointNotFound("none"), FaultKind.INVALID),
        (ksa.EmptyCatalog("none"), FaultKind.INVALID),
        (ksa.AuthorizationFailure("no"), FaultKind.FORBIDDEN),
        (sdk.ConfigException("none"), FaultKind.INVALID),
        (sdk.SDKException("odd"), FaultKind.SERVER_ERROR),
    ],
)
def test_every_exception_of_the_libraries_has_its_kind(error: Exception, kind: FaultKind) -> None:
    found = fault_from_exception("nova", error)

    assert found.kind is kind
    assert found.text


@pytest.mark.parametrize(
    "text",
    [
        "token gAAAAABm1234567890abcdefghijklmnopqrstuvwxyz-_== expired",
        "{'X-Auth-Token': 'hush-hush'}",
        '{"password": "hush-hush"}',
        "http://user:hush-hush@host/path",
        "the word hush-hush alone",
    ],
)
def test_no_text_holds_a_secret(text: str) -> None:
    cleaned = safe_text(text, ("hush-hush",))

    assert "hush" not in cleaned
    assert "gAAAA" not in cleaned
    assert "***" in cleaned
    if "alone" not in text:  # by its form alone, where the secret is not known
        assert "hush" not in safe_text(text)


def test_texts_are_of_limited_length() -> None:
    assert len(safe_text("x" * 9999)) == 2000


def test_passing_faults_are_those_that_may_go_away() -> None:
    passing = {kind for kind in FaultKind if ProviderFault(kind, "x").passing}

    assert passing == {
        FaultKind.UNREACHABLE,
        FaultKind.SERVER_ERROR,
        FaultKind.RATE_LIMITED,
        FaultKind.CONFLICT,
    }
