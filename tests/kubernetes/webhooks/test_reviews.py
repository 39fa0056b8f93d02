"""Reviews as the API server sent them (tests/kubernetes/samples), and what must not pass for one."""

import json
from pathlib import Path
from typing import Any

import pytest

from cycloud.kubernetes.webhooks.reviews import (
    Cause,
    Denial,
    MalformedReview,
    Verdict,
    admission_answer,
    admission_request,
    conversion_answer,
    conversion_request,
)
from tests.kubernetes.webhooks.machines import machine, review

Json = dict[str, Any]
SAMPLES = Path(__file__).resolve().parent.parent / "samples"


def recorded(name: str, api_version: str, kind: str) -> Json:
    request = json.loads((SAMPLES / name).read_text())
    return {"apiVersion": api_version, "kind": kind, "request": request}


@pytest.fixture
def admission() -> Json:
    return recorded("admission-review.json", "admission.k8s.io/v1", "AdmissionReview")


@pytest.fixture
def conversion() -> Json:
    return recorded("conversion-review.json", "apiextensions.k8s.io/v1", "ConversionReview")


def test_a_recorded_admission_review_is_read(admission: Json) -> None:
    request = admission_request(admission)
    assert (request.group, request.kind) == ("compute.cycloud.example", "Instance")
    assert (request.operation, request.namespace, request.name) == ("CREATE", "demo", "web-1")
    assert request.new is not None and request.new["spec"]["instanceType"] == "m8a.medium"
    assert request.old is None


def test_a_recorded_conversion_review_is_read(conversion: Json) -> None:
    request = conversion_request(conversion)
    assert request.desired_api_version == "compute.cycloud.example/v1alpha1"
    assert [item["metadata"]["name"] for item in request.objects] == ["web-5"]


def test_a_denial_names_object_and_fields(admission: Json) -> None:
    request = admission_request(admission)
    denial = Denial(422, "Invalid", "spec.a: bad", (Cause("spec.a", "bad"),))
    assert admission_answer(request, Verdict(denial, ("look out",))) == {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": {
            "uid": request.uid,
            "allowed": False,
            "status": {
                "status": "Failure",
                "code": 422,
                "reason": "Invalid",
                "message": "spec.a: bad",
                "details": {
                    "name": "web-1",
                    "group": "compute.cycloud.example",
                    "kind": "Instance",
                    "causes": [
                        {"field": "spec.a", "message": "bad", "reason": "FieldValueInvalid"}
                    ],
                },
            },
            "warnings": ["look out"],
        },
    }


def test_what_is_allowed_says_no_more(admission: Json) -> None:
    request = admission_request(admission)
    assert admission_answer(request, Verdict())["response"] == {"uid": request.uid, "allowed": True}


def test_a_failed_conversion_converts_nothing(conversion: Json) -> None:
    request = conversion_request(conversion)
    assert conversion_answer(request, (), failure="no such version")["response"] == {
        "uid": request.uid,
        "convertedObjects": [],
        "result": {"status": "Failure", "message": "no such version"},
    }


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "AdmissionReview",
        {},
        {"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "request": {}},
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"},
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {}},
        review("CREATE", machine(), uid=1),
        review("CREATE", machine(), kind="Instance"),
        review("CREATE", machine(), kind={"group": 1, "kind": "Instance"}),
        review(None, machine()),  # type: ignore[arg-type]
        review("CREATE", machine(), object=[]),
        review("CREATE", machine(), name="../../other/instances/web-1"),
        review("CREATE", machine(), namespace="a/b"),
        review("CREATE", machine(metadata={"name": 7}), name=""),
        review("CREATE", {**machine(), "spec": "x"}),
        review("CREATE", {**machine(), "metadata": ["x"]}),
        review("CREATE", machine(metadata={"labels": "x"})),
        review("CREATE", machine(metadata={"annotations": [1]})),
    ],
)
def test_what_is_no_review_is_malformed(body: Any) -> None:
    with pytest.raises(MalformedReview):
        admission_request(body)


@pytest.mark.parametrize(
    "request_", [{}, {"uid": "u", "desiredAPIVersion": "a/v1"}, {"objects": [1]}, {"objects": {}}]
)
def test_what_is_no_conversion_review_is_malformed(request_: Json) -> None:
    whole = (
        {"uid": "u", "desiredAPIVersion": "a/v1", **request_} if "objects" in request_ else request_
    )
    body = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": whole}
    with pytest.raises(MalformedReview):
        conversion_request(body)
