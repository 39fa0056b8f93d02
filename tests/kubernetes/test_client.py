"""The calls: what is sent, and what comes of the answers."""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test.utils import override_settings

from cycloud.kubernetes.client import client, forget_client, path_of
from cycloud.kubernetes.config import ApiAccess
from cycloud.kubernetes.faults import FaultKind
from cycloud.kubernetes.kinds import ApiKind, Json
from tests.support.kubernetes.bed import BODY, WIDGET, WIDGETS, Bed, recorded
from tests.support.kubernetes.https import TOKEN, Answer, serving_https

PLACE = ApiKind("example.test", "Place", "places", namespaced=False)
NAMESPACE = ApiKind("", "Namespace", "namespaces", namespaced=False)


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Bed]:
    with serving_https(tmp_path) as server:
        bed = Bed(server, ApiAccess(str(server.kubeconfig())))
        yield bed
        bed.client.close()


# -- what is sent


def test_an_object_is_asked_for_with_our_credentials(bed: Bed) -> None:
    bed.answers(Answer(body=BODY))
    assert bed.client.get(WIDGET, "team", "a") == BODY
    [asked] = bed.server.asked
    assert (asked.method, asked.path) == ("GET", f"{WIDGETS}/a")
    assert asked.headers["authorization"] == f"Bearer {TOKEN}"
    assert asked.headers["user-agent"] == "cycloud"


def test_paths_of_kinds_in_and_outside_namespaces_and_of_the_core() -> None:
    assert path_of(WIDGET) == "/apis/example.test/v1/widgets"
    assert path_of(WIDGET, "team") == WIDGETS
    assert path_of(PLACE, name="here") == "/apis/example.test/v1/places/here"
    assert path_of(NAMESPACE, name="team") == "/api/v1/namespaces/team"


def test_a_name_cannot_reach_out_of_its_path(bed: Bed) -> None:
    bed.client.get(WIDGET, "team", "../../nodes?watch=1")
    assert bed.server.asked[0].path == f"{WIDGETS}/..%2F..%2Fnodes%3Fwatch%3D1"
    assert bed.server.asked[0].query == {}


@pytest.mark.parametrize(("namespace", "name"), [("team", ""), ("", "a")])
def test_a_collection_is_never_taken_for_an_object(bed: Bed, namespace: str, name: str) -> None:
    with pytest.raises(ValueError, match="Widget"):
        bed.client.delete(WIDGET, namespace, name, uid="u")
    assert bed.server.asked == []


def test_apply_is_forced_strict_and_in_the_manager_s_name(bed: Bed) -> None:
    bed.answers(Answer(201, BODY))
    assert bed.client.apply(WIDGET, BODY, manager="cycloud") == BODY
    [asked] = bed.server.asked
    assert (asked.method, asked.path) == ("PATCH", f"{WIDGETS}/a")
    assert asked.headers["content-type"] == "application/apply-patch+yaml"
    assert asked.query == {"fieldManager": "cycloud", "force": "true", "fieldValidation": "Strict"}
    assert asked.body == BODY


def test_a_status_goes_to_its_subresource(bed: Bed) -> None:
    bed.client.apply_status(WIDGET, BODY, manager="cycloud-status")
    assert bed.server.asked[0].path == f"{WIDGETS}/a/status"
    assert bed.server.asked[0].query["fieldManager"] == "cycloud-status"


def test_patches_say_what_they_are(bed: Bed) -> None:
    bed.client.patch_json(WIDGET, "team", "a", [{"op": "remove", "path": "/spec"}])
    bed.client.patch_merge(WIDGET, "team", "a", {"spec": None})
    first, second = bed.server.asked
    assert first.headers["content-type"] == "application/json-patch+json"
    assert first.body == [{"op": "remove", "path": "/spec"}]
    assert second.headers["content-type"] == "application/merge-patch+json"
    assert second.body == {"spec": None}


def test_a_deletion_is_of_one_uid_only(bed: Bed) -> None:
    bed.client.delete(WIDGET, "team", "a", uid="u-1")
    [asked] = bed.server.asked
    assert asked.method == "DELETE"
    assert asked.body["preconditions"] == {"uid": "u-1"}


def test_pages_follow_the_continuation_until_its_end(bed: Bed) -> None:
    bed.answers(
        Answer(body={"metadata": {"resourceVersion": "7", "continue": "c&1"}, "items": [BODY]}),
        Answer(body={"metadata": {"resourceVersion": "7"}, "items": []}),
    )
    pages = list(bed.client.pages(WIDGET, label_selector="a=b", limit=1))
    assert [(len(page.items), page.resource_version) for page in pages] == [(1, "7"), (0, "7")]
    first, second = bed.server.asked
    assert first.path == "/apis/example.test/v1/widgets"
    assert first.query == {"limit": "1", "labelSelector": "a=b"}
    assert second.query == {"limit": "1", "labelSelector": "a=b", "continue": "c&1"}


def test_no_page_is_asked_for_before_it_is_needed(bed: Bed) -> None:
    bed.answers(
        Answer(body={"metadata": {"resourceVersion": "7", "continue": "c"}, "items": [BODY]})
    )
    next(bed.client.pages(WIDGET))
    assert len(bed.server.asked) == 1


# -- absence and errors


def test_a_missing_object_is_none(bed: Bed) -> None:
    bed.answers(recorded("404-object.json"))
    assert bed.client.get(WIDGET, "team", "a") is None


def test_a_kind_that_is_not_installed_is_no_missing_object(bed: Bed) -> None:
    bed.answers(recorded("404-no-crd.txt"))
    assert bed.fault().kind is FaultKind.NO_SUCH_KIND


def test_to_delete_what_is_gone_is_fine_and_to_write_to_it_is_not(bed: Bed) -> None:
    bed.answers(recorded("404-object.json"))
    bed.client.delete(WIDGET, "team", "a", uid="u-1")
    fault = bed.fault(lambda: bed.client.patch_merge(WIDGET, "team", "a", {}))
    assert fault.kind is FaultKind.NOT_FOUND


def test_another_object_of_the_same_name_is_not_deleted(bed: Bed) -> None:
    bed.answers(recorded("409-precondition.json"))
    fault = bed.fault(lambda: bed.client.delete(WIDGET, "team", "a", uid="u-1"))
    assert fault.kind is FaultKind.CONFLICT


@pytest.mark.parametrize("body", [b"<html>Welcome</html>", b"[]", b""])
def test_what_is_not_of_the_api_is_never_taken_for_an_empty_answer(bed: Bed, body: bytes) -> None:
    bed.answers(Answer(body=body))
    assert bed.fault().kind is FaultKind.UNREACHABLE


@pytest.mark.parametrize("body", [{}, {"items": []}, {"metadata": {"resourceVersion": "1"}}])
def test_what_is_no_listing_is_never_taken_for_an_empty_one(bed: Bed, body: Json) -> None:
    bed.answers(Answer(body=body))
    fault = bed.fault(lambda: list(bed.client.pages(WIDGET)))
    assert fault.kind is FaultKind.UNREACHABLE


def test_a_redirect_is_not_followed_with_our_credentials(bed: Bed) -> None:
    bed.answers(Answer(302, headers={"Location": f"{bed.server.url}/elsewhere"}))
    assert bed.fault().kind is FaultKind.UNREACHABLE
    assert len(bed.server.asked) == 1


def test_a_write_without_an_answer_is_not_sent_again(bed: Bed) -> None:
    bed.answers(Answer(cut=True))
    fault = bed.fault(lambda: bed.client.apply(WIDGET, BODY, manager="cycloud"))
    assert fault.kind is FaultKind.UNREACHABLE
    assert len(bed.server.asked) == 1


def test_a_server_that_is_not_there_is_unreachable(bed: Bed) -> None:
    assert bed.client.get(WIDGET, "team", "a") == {}
    bed.server.stop()
    bed.client.close()
    assert bed.fault().kind is FaultKind.UNREACHABLE


def test_a_server_that_does_not_answer_in_time_is_unreachable(bed: Bed) -> None:
    bed.timeout_seconds = 0.2
    may_answer = threading.Event()
    bed.answers(Answer(stream=lambda send: _wait(may_answer)))
    try:
        fault = bed.fault()
    finally:
        may_answer.set()
    assert fault.kind is FaultKind.UNREACHABLE
    assert "imeout" in fault.message


def test_an_unknown_authority_gets_no_request(bed: Bed, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with serving_https(other) as stranger:
        bed.access = ApiAccess(str(stranger.kubeconfig(server=bed.server.url)))
        fault = bed.fault()
    assert fault.kind is FaultKind.UNREACHABLE
    assert "certificate" in fault.message.lower()
    assert bed.server.asked == []


def test_a_certificate_for_another_name_gets_no_request(bed: Bed) -> None:
    path = bed.server.kubeconfig("named", tls_server_name="kubernetes.example.test")
    bed.access = ApiAccess(str(path))
    assert bed.fault().kind is FaultKind.UNREACHABLE
    assert bed.server.asked == []


# -- credentials


def test_a_renewed_kubeconfig_is_read_after_a_refusal(bed: Bed) -> None:
    bed.answers(recorded("401.json"), Answer(body=BODY))
    assert bed.client.host == bed.server.url
    bed.server.token = "renewed"
    bed.server.kubeconfig()
    bed.time += 60.0
    assert bed.fault().kind is FaultKind.UNAUTHENTICATED
    assert bed.client.get(WIDGET, "team", "a") == BODY
    assert [a.headers["authorization"] for a in bed.server.asked] == [
        f"Bearer {TOKEN}",
        "Bearer renewed",
    ]


def test_a_kubeconfig_that_broke_leaves_the_old_one_in_use(bed: Bed) -> None:
    bed.answers(recorded("401.json"), Answer(body=BODY))
    assert bed.client.host == bed.server.url
    Path(bed.access.kubeconfig).write_text("")
    bed.time += 60.0
    assert bed.fault().kind is FaultKind.UNAUTHENTICATED
    assert bed.client.get(WIDGET, "team", "a") == BODY


def test_no_text_holds_the_token(bed: Bed, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    bed.answers(recorded("401.json"), Answer(cut=True), Answer(body=BODY))
    texts = [repr(bed.fault()), str(bed.fault())]
    bed.client.get(WIDGET, "team", "a")
    texts += [repr(bed.client), repr(bed.client._transport), repr(bed.access), caplog.text]
    assert TOKEN not in "".join(texts)
    assert "get /apis" in caplog.text


# -- one per process


def test_a_process_has_one_client_until_it_is_forgotten(bed: Bed) -> None:
    forget_client()
    with override_settings(CYCLOUD_KUBERNETES_KUBECONFIG=bed.access.kubeconfig):
        first = client()
        assert client() is first
        assert first.get(WIDGET, "team", "a") == {}
        forget_client()
        assert client() is not first
    forget_client()


def _wait(event: threading.Event) -> None:
    event.wait(20)
