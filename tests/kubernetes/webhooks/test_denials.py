import json
from pathlib import Path

import pytest

from cycloud.core.aip import errors
from cycloud.core.aip.errors import CycloudError, FieldViolation, InvalidArgument
from cycloud.kubernetes.webhooks.denials import denial_of, is_only_about, may_pass
from cycloud.kubernetes.webhooks.reviews import Cause

SAMPLES = Path(__file__).resolve().parent.parent / "samples"


def test_wrong_fields_come_out_of_the_api_server_as_its_own_do() -> None:
    error = InvalidArgument.field("spec.instanceType", "no such type")
    denial = denial_of(error)
    recorded = json.loads((SAMPLES / "422-webhook-denied.json").read_text())
    assert (denial.code, denial.reason) == (recorded["code"], recorded["reason"])
    assert recorded["message"].endswith(f"denied the request: {denial.message}")
    cause = denial.causes[0]
    assert {
        "field": cause.field,
        "message": cause.message,
        "reason": cause.reason,
    } == recorded["details"]["causes"][0]


def test_a_reason_of_ours_goes_with_the_field() -> None:
    denial = denial_of(InvalidArgument.field("spec.size", "shrinks", "VOLUME_NEVER_SHRINKS"))
    assert denial.causes == (Cause("spec.size", "shrinks", "VolumeNeverShrinks"),)


def test_what_is_about_no_field_has_its_own_reason_so_that_kubectl_shows_the_message() -> None:
    denial = denial_of(errors.ResourceExhausted("No more.", reason="QUOTA_EXCEEDED"))
    assert (denial.code, denial.reason, denial.causes) == (422, "QuotaExceeded", ())


@pytest.mark.parametrize("error", [errors.PermissionDenied("no"), errors.Unauthenticated("who")])
def test_who_may_not_is_forbidden(error: CycloudError) -> None:
    denial = denial_of(error)
    assert (denial.code, denial.reason, denial.message) == (403, "Forbidden", error.message)


@pytest.mark.parametrize(
    ("fields", "only"),
    [
        (["spec.size", "spec"], True),
        (["spec.size", "metadata.labels"], False),
        (["specs.size"], False),
        ([], False),
    ],
)
def test_what_an_error_is_about_is_told_by_its_fields(fields: list[str], only: bool) -> None:
    error = InvalidArgument("x", violations=[FieldViolation(field, "bad") for field in fields])
    assert is_only_about(error, "spec") is only


def test_a_precondition_does_not_pass_by_itself() -> None:
    assert not may_pass(errors.FailedPrecondition("no", reason="VOLUME_ATTACHED"))
    assert may_pass(errors.FailedPrecondition("no", reason="REFERENCE_NOT_FOUND"))


def test_a_volume_that_is_not_there_may_come_whatever_field_names_it() -> None:
    about = [FieldViolation("spec.volumeAttachments[0].volumeName", "not there", "NOT_FOUND")]
    assert may_pass(errors.NotFound("There is no Volume.", violations=about))
    assert may_pass(errors.Unavailable("away", violations=about))
