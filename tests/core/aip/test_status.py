"""The details of an error, the same on both faces."""

import re
from typing import Any

import pytest
from django.conf import LazySettings
from google.protobuf import any_pb2, json_format
from google.rpc import error_details_pb2, status_pb2

from cycloud.core.aip.errors import (
    Aborted,
    AlreadyExists,
    CycloudError,
    FailedPrecondition,
    FieldViolation,
    InvalidArgument,
    NotFound,
    OutOfRange,
    PermissionDenied,
    PreconditionViolation,
    QuotaViolation,
    ResourceExhausted,
    Unauthenticated,
    Unavailable,
)
from cycloud.core.aip.language import language_of
from cycloud.core.aip.reasons import FIELD_REASONS
from cycloud.core.aip.status import _TYPES, error_status, resource_type_of, status_details
from tests.support.reasons import ROOT

WEB = "projects/p/instances/web-1"
ERRORS: list[CycloudError] = [
    InvalidArgument.field("size", "is too small.", "SIZE_OUT_OF_RANGE"),
    NotFound("There is none.", resource=WEB),
    AlreadyExists("There is one.", resource=WEB),
    PermissionDenied("No.", resource="projects/p"),
    FailedPrecondition("It runs.", reason="INSTANCE_NOT_STOPPED", metadata={"instance": WEB}),
    ResourceExhausted(
        "Full.",
        reason="QUOTA_EXCEEDED",
        quota_violations=[QuotaViolation("projects/p/quotas/vcpus", "8 of 8 are in use.")],
        retry_after=2.5,
    ),
    Aborted("Changed.", reason="ETAG_MISMATCH", resource=WEB),
    OutOfRange("Old.", reason="RESOURCE_VERSION_TOO_OLD", http_status=410),
    Unavailable("Away.", reason="DATABASE_UNAVAILABLE", retry_after=5),
    Unauthenticated("Who?", reason="CREDENTIALS_MISSING"),
    CycloudError("Broken.", metadata={"incident": "1"}),
]


def detail(error: CycloudError, name: str, language: str = "en") -> dict[str, Any]:
    found = [
        d for d in status_details(error, language) if d["@type"].endswith(f"google.rpc.{name}")
    ]
    assert len(found) == 1, name
    return found[0]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.reason)
def test_every_error_is_a_status_of_the_protos(error: CycloudError, language: str) -> None:
    status = json_format.ParseDict(error_status(error, language=language), status_pb2.Status())
    assert (status.code, status.message) == (error.code.grpc, error.message)
    kinds = [packed.TypeName().rpartition(".")[2] for packed in status.details]
    # AIP-193: each kind once, ErrorInfo always
    assert len(kinds) == len(set(kinds))
    assert kinds[0] == "ErrorInfo"
    assert kinds[-2:] == ["Help", "LocalizedMessage"]
    for packed in status.details:
        assert isinstance(packed, any_pb2.Any)
        assert packed.Unpack(getattr(error_details_pb2, packed.TypeName().rpartition(".")[2])())


def test_the_reason_and_the_metadata_are_in_the_first_detail() -> None:
    error = NotFound("m", reason="PROJECT_NOT_FOUND", metadata={"a": "b"}, resource="projects/p")
    assert status_details(error)[0] == {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "PROJECT_NOT_FOUND",
        "domain": "cycloud.jp",
        "metadata": {"a": "b", "resource": "projects/p"},
    }


@pytest.mark.parametrize("kind", [NotFound, AlreadyExists, PermissionDenied])
def test_an_error_about_a_resource_names_it(kind: type[CycloudError]) -> None:
    info = detail(kind("m", resource=WEB), "ResourceInfo")
    assert (info["resource_type"], info["resource_name"]) == ("compute.cycloud.jp/Instance", WEB)


def test_without_a_resource_there_is_no_resource_info() -> None:
    kinds = [d["@type"] for d in status_details(NotFound("m", metadata={"word": "a/b"}))]
    assert not any(kind.endswith("ResourceInfo") for kind in kinds)


def test_a_precondition_has_its_subject_from_the_metadata() -> None:
    error = FailedPrecondition(
        "It runs.", reason="INSTANCE_NOT_STOPPED", metadata={"instance": WEB}
    )
    violation = {"type": "INSTANCE_NOT_STOPPED", "subject": WEB, "description": "It runs."}
    assert detail(error, "PreconditionFailure")["violations"] == [violation]


def test_preconditions_that_are_given_are_shown_one_by_one() -> None:
    given = [PreconditionViolation("STORAGE_DIFFERS", f"projects/p/volumes/{n}", n) for n in "ab"]
    error = FailedPrecondition("m", precondition_violations=given)
    shown = detail(error, "PreconditionFailure")["violations"]
    assert [(v["type"], v["subject"]) for v in shown] == [
        ("STORAGE_DIFFERS", "projects/p/volumes/a"),
        ("STORAGE_DIFFERS", "projects/p/volumes/b"),
    ]


def test_a_quota_is_named() -> None:
    error = ResourceExhausted("m", quota_violations=[QuotaViolation("projects/p/quotas/v", "d")])
    shown = detail(error, "QuotaFailure")["violations"]
    assert shown == [{"subject": "projects/p/quotas/v", "description": "d"}]


@pytest.mark.parametrize(
    ("seconds", "text"), [(5, "5s"), (0.25, "0.25s"), (-1, "0s"), (90.5, "90.5s")]
)
def test_the_time_to_wait_is_a_duration(seconds: float, text: str) -> None:
    assert detail(Unavailable("m", retry_after=seconds), "RetryInfo")["retry_delay"] == text


def test_the_help_is_where_the_documents_are_published(settings: LazySettings) -> None:
    settings.CYCLOUD_DOCS_URL = "https://docs.example/cycloud/"
    links = detail(NotFound("m"), "Help")["links"]
    assert links[0]["url"] == "https://docs.example/cycloud/errors#NOT_FOUND"


def test_a_japanese_text_has_the_metadata_in_it() -> None:
    error = FailedPrecondition(
        "It runs.", reason="INSTANCE_NOT_STOPPED", metadata={"instance": WEB}
    )
    local = detail(error, "LocalizedMessage", "ja")
    assert (local["locale"], local["message"]) == (
        "ja",
        f"{WEB} は実行中です。先に停止してください。",
    )
    assert detail(error, "LocalizedMessage")["message"] == "It runs."


@pytest.mark.parametrize(
    "error",
    [
        CycloudError("m", reason="NO_SUCH_REASON"),
        FailedPrecondition("m", reason="INSTANCE_STOPPED"),
    ],
)
def test_without_a_text_or_its_values_the_english_stays(error: CycloudError) -> None:
    local = detail(error, "LocalizedMessage", "ja")
    assert (local["locale"], local["message"]) == ("en", "m")


def test_a_wrong_field_is_told_in_the_callers_language_too() -> None:
    error = InvalidArgument.field("volumes[0].size", "is too small.", "SIZE_OUT_OF_RANGE")
    text = FIELD_REASONS["SIZE_OUT_OF_RANGE"].japanese
    violation = detail(error, "BadRequest", "ja")["field_violations"][0]
    assert violation["description"] == "is too small."
    assert violation["localized_message"] == {"locale": "ja", "message": text}
    assert detail(error, "LocalizedMessage", "ja")["message"] == f"volumes[0].size: {text}"
    strange = InvalidArgument("m", violations=[FieldViolation("f", "d", "NO_SUCH_REASON")])
    assert detail(strange, "BadRequest", "ja")["field_violations"][0]["localized_message"] == {
        "locale": "en",
        "message": "d",
    }


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ja", "ja"),
        ("JA-jp", "ja"),
        ("fr, ja;q=0.8, en;q=0.9", "en"),
        ("ja;q=0.9, en;q=0.8", "ja"),
        ("ja;q=0, en", "en"),
        ("*", "en"),
        ("de", "en"),
        ("ja;q=x", "en"),
        ("\x00;;,,=", "en"),
        ("ja," * 5000, "ja"),
    ],
)
def test_the_language_is_the_first_that_there_is(header: str, language: str) -> None:
    assert language_of(header) == language


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("projects/p", "iam.cycloud.jp/Project"),
        (WEB, "compute.cycloud.jp/Instance"),
        ("instanceTypes/m8a.small", "catalog.cycloud.jp/InstanceType"),
        ("users/alice", ""),
        ("word", ""),
        ("", ""),
    ],
)
def test_a_name_has_a_type(name: str, kind: str) -> None:
    assert resource_type_of(name) == kind


def test_the_types_are_those_of_the_protos() -> None:
    protos = "".join(path.read_text() for path in (ROOT / "proto" / "cycloud").rglob("*.proto"))
    found = re.findall(r'type: "([^"]+)"\s+pattern: "([^"]+)"', protos)
    declared = {pattern.split("/")[-2]: kind for kind, pattern in found}
    assert declared == {name: kind for name, kind in _TYPES.items() if name != "operations"}
