"""Every answer that a real server was seen to give, sorted by what is to be done then."""

import json
from pathlib import Path
from typing import Any

import pytest

from cycloud.kubernetes.faults import FaultKind
from cycloud.kubernetes.translation import fault_from_answer, fault_from_status, is_outage

SAMPLES = Path(__file__).parent / "samples"
K = FaultKind
SORTED = {
    "400-apply-managed-fields": K.INVALID,
    "400-apply-no-manager": K.INVALID,
    # HTTP 500, yet no trouble of the server's
    "400-apply-unknown": K.INVALID,
    "400-field-selector": K.INVALID,
    "400-strict": K.INVALID,
    "401": K.UNAUTHENTICATED,
    "403-forbidden": K.FORBIDDEN,
    "403-namespace-terminating": K.TERMINATING,
    "403-webhook-denied": K.INVALID,
    "404-namespace": K.NOT_FOUND,
    "404-object": K.NOT_FOUND,
    "404-status": K.NOT_FOUND,
    "409-already-exists": K.CONFLICT,
    "409-apply-across-versions": K.CONFLICT,
    "409-apply-conflict": K.CONFLICT,
    "409-apply-stale": K.CONFLICT,
    "409-apply-uid": K.CONFLICT,
    "409-lease": K.CONFLICT,
    "409-precondition": K.CONFLICT,
    "409-stale": K.CONFLICT,
    "409-status-conflict": K.CONFLICT,
    "410-list": K.GONE,
    "415-strategic": K.INVALID,
    "422-admission-policy": K.INVALID,
    "422-cel": K.INVALID,
    "422-cel-immutable": K.INVALID,
    "422-cel-transition": K.INVALID,
    "422-event": K.INVALID,
    "422-finalizer-added-late": K.INVALID,
    "422-force-on-merge": K.INVALID,
    "422-json-patch-test": K.INVALID,
    "422-name": K.INVALID,
    "422-no-resource-version": K.INVALID,
    "422-schema": K.INVALID,
    "422-status": K.INVALID,
    "422-stored-version": K.INVALID,
    "422-two-controllers": K.INVALID,
    "422-type": K.INVALID,
    "422-webhook-denied": K.INVALID,
    "500-conversion-down": K.UNREACHABLE,
    "500-conversion-failed": K.UNREACHABLE,
    "500-webhook-500": K.UNREACHABLE,
    "500-webhook-down": K.UNREACHABLE,
    "500-webhook-timeout": K.UNREACHABLE,
    "500-webhook-x509": K.UNREACHABLE,
    "504-etcd": K.UNREACHABLE,
    # its storage was wiped: what was seen before is void
    "504-future": K.GONE,
}


def sample(name: str) -> tuple[int, bytes]:
    content = (SAMPLES / f"{name}.json").read_bytes()
    return int(json.loads(content)["code"]), content


@pytest.mark.parametrize(("name", "kind"), SORTED.items(), ids=SORTED)
def test_an_error_is_sorted_and_keeps_the_server_s_own_words(name: str, kind: FaultKind) -> None:
    status, content = sample(name)
    fault = fault_from_answer(status, {}, content)
    assert fault.kind is kind
    assert fault.status == status
    assert fault.message == json.loads(content)["message"][:2000]


def test_every_recorded_error_is_sorted() -> None:
    errors = {path.stem for path in SAMPLES.glob("[45]*.json")} - {"410-watch-event"}
    assert errors == SORTED.keys()


def test_a_kind_without_definition_is_no_missing_object() -> None:
    content = (SAMPLES / "404-no-crd.txt").read_bytes()
    assert fault_from_answer(404, {}, content).kind is FaultKind.NO_SUCH_KIND


def test_a_not_found_that_names_no_object_is_of_the_kind() -> None:
    document: dict[str, Any] = {
        "kind": "Status",
        "message": "the server could not find the requested resource",
        "reason": "NotFound",
        "details": {},
        "code": 404,
    }
    assert fault_from_status(document).kind is FaultKind.NO_SUCH_KIND


def test_an_error_within_a_watch_has_the_status_of_its_object() -> None:
    event = json.loads((SAMPLES / "410-watch-event.json").read_text())
    fault = fault_from_status(event["object"])
    assert (fault.kind, fault.status) == (FaultKind.GONE, 410)


def test_a_failed_test_of_a_json_patch_is_a_conflict() -> None:
    status, content = sample("422-json-patch-test")
    fault = fault_from_answer(status, {}, content, is_json_patch=True)
    assert fault.kind is FaultKind.CONFLICT


def test_a_json_patch_that_breaks_the_schema_stays_invalid() -> None:
    status, content = sample("422-cel")
    fault = fault_from_answer(status, {}, content, is_json_patch=True)
    assert fault.kind is FaultKind.INVALID


@pytest.mark.parametrize("value", ["7", "7.0"])
def test_the_server_s_retry_after_is_kept(value: str) -> None:
    fault = fault_from_answer(429, {"Retry-After": value}, b"slow down")
    assert (fault.kind, fault.retry_after) == (FaultKind.RATE_LIMITED, 7.0)


def test_a_retry_after_in_the_body_is_kept() -> None:
    status, content = sample("504-future")
    assert fault_from_answer(status, {}, content).retry_after == 1.0


@pytest.mark.parametrize("value", ["soon", "-1", "inf", "nan", ""])
def test_a_retry_after_that_is_none_is_left_out(value: str) -> None:
    assert fault_from_answer(503, {"Retry-After": value}, b"").retry_after is None


@pytest.mark.parametrize("status", [302, 404, 500, 502, 503])
def test_a_page_of_a_proxy_tells_nothing_about_the_object(status: int) -> None:
    fault = fault_from_answer(status, {}, b"<html><h1>Not here</h1></html>")
    assert fault.kind is FaultKind.UNREACHABLE


@pytest.mark.parametrize("name", [n for n in SORTED if n.startswith("500")])
def test_a_webhook_in_trouble_does_not_make_the_server_look_down(name: str) -> None:
    status, content = sample(name)
    assert not is_outage(fault_from_answer(status, {}, content))


def test_etcd_in_trouble_is_the_server_s_own() -> None:
    status, content = sample("504-etcd")
    assert is_outage(fault_from_answer(status, {}, content))
