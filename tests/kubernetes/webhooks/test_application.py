"""What is answered to good and bad requests."""

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
from django.db import OperationalError

from cycloud.core.aip.errors import InvalidArgument
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.webhooks import admission, application
from cycloud.kubernetes.webhooks.server import WebhookOptions, WebhookServer
from cycloud.kubernetes.webhooks.tls import TlsFiles
from cycloud.kubernetes.webhooks.volume_versions import VOLUME_GROUP
from tests.factories.iam import ProjectFactory
from tests.kubernetes.webhooks.listener import answer, client, connection, conversion
from tests.kubernetes.webhooks.machines import NAME, FakeJudge, Machines, machine, review
from tests.support.authority import Authority

Json = dict[str, Any]


@pytest.mark.django_db(transaction=True)
def test_a_refusal_of_the_services_is_answered_as_a_denial(
    tls: TlsFiles, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    NamespaceBinding.objects.create(
        project=ProjectFactory.create(resource_id="shop"), namespace="demo"
    )
    monkeypatch.setattr(admission, "taken_in_kinds", lambda: (Machines(),))
    judge = FakeJudge(InvalidArgument.field("spec.size", "too large"))
    running = WebhookServer(WebhookOptions(tls), judge=judge)
    running.start()
    try:
        with client(running.port, authority) as http:
            found = answer(http.post("/admission?timeout=5s", json=review("CREATE", machine())))
    finally:
        running.stop()
    assert judge.asked == [(NAME, False)]
    assert (found["allowed"], found["status"]["code"]) == (False, 422)
    assert found["status"]["details"]["causes"] == [
        {"field": "spec.size", "message": "too large", "reason": "FieldValueInvalid"}
    ]


def test_volumes_are_converted_in_order(http: httpx.Client) -> None:
    items = [
        {
            "apiVersion": f"{VOLUME_GROUP}/v1",
            "kind": "Volume",
            "metadata": {"name": f"v-{number}"},
            "spec": {"size": f"{number}Gi"},
        }
        for number in range(1, 2000)
    ]
    found = answer(http.post("/convert?timeout=30s", json=conversion(items, "v1alpha1")))
    assert found["result"] == {"status": "Success"}
    assert [item["spec"] for item in found["convertedObjects"]] == [
        {"sizeGiB": number} for number in range(1, 2000)
    ]


def test_a_version_that_is_not_there_is_a_failure_with_a_message(http: httpx.Client) -> None:
    item = {"apiVersion": f"{VOLUME_GROUP}/v1", "kind": "Volume", "metadata": {"name": "v"}}
    found = answer(http.post("/convert", json=conversion([item], "v7")))
    assert found["convertedObjects"] == []
    assert found["result"]["status"] == "Failure"
    assert "Volume has no version 'v7'" in found["result"]["message"]


def test_json_of_an_answer_is_ascii(http: httpx.Client) -> None:
    item = {"apiVersion": f"{VOLUME_GROUP}/v9", "kind": "ボリューム", "metadata": {"name": "v"}}
    response = http.post("/convert", json=conversion([item], "v1"))
    assert response.content.isascii()
    assert "ボリューム" in json.loads(response.content)["response"]["result"]["message"]


# -- bad calls


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 200_000,
        b"\xff\xfe",
        b'{"a": NaN}',
        b"1" * 5000,
        b"[]",
        b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}',
    ],
)
@pytest.mark.parametrize("path", ["/admission", "/convert"])
def test_what_is_no_review_is_a_bad_request(http: httpx.Client, path: str, body: bytes) -> None:
    response = http.post(path, content=body)
    assert response.status_code == 400
    assert "Traceback" not in response.text
    assert http.get("/healthz").text == "ok\n"


@pytest.mark.parametrize("path", ["/", "/v1/projects", "/admin/", "/admission/", "/healthz/x"])
def test_nothing_else_is_served(http: httpx.Client, path: str) -> None:
    assert http.get(path).status_code == 404
    assert http.post(path, json={}).status_code == 404


def test_reviews_are_posted(http: httpx.Client) -> None:
    assert http.get("/admission").status_code == 405


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_body_that_is_too_large_is_refused(http: httpx.Client, is_announced: bool) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(10):
            yield b" " * 1024 * 1024

    body = b" " * 10 * 1024 * 1024 if is_announced else parts()
    # a server that answers early may hang up while more is being sent
    with suppress(httpx.TransportError):
        assert http.post("/admission", content=body).status_code == 413
    assert http.get("/healthz").status_code == 200


def test_a_body_that_does_not_come_to_its_end_is_not_waited_for(
    server: WebhookServer, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "_BODY_SECONDS", 0.2)
    with connection(server, authority) as stream:
        stream.sendall(b"POST /admission HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        assert stream.recv(100).startswith(b"HTTP/1.1 408")


def test_who_hangs_up_in_the_middle_stops_nobody_else(
    server: WebhookServer,
    authority: Authority,
    http: httpx.Client,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with connection(server, authority) as stream:
        stream.sendall(b"POST /admission HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    assert answer(http.post("/admission", json=review("CREATE", machine())))["allowed"]
    assert "Traceback" not in caplog.text


def test_what_nobody_foresaw_is_logged_and_not_told(
    http: httpx.Client, verdicts: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    verdicts.append(ZeroDivisionError("the secret is s3cr3t"))
    response = http.post("/admission", json=review("CREATE", machine()))
    assert response.status_code == 500
    assert "s3cr3t" not in response.text and "ZeroDivision" not in response.text
    assert "s3cr3t" in caplog.text
    assert answer(http.post("/admission", json=review("CREATE", machine())))["allowed"]


def test_a_database_that_is_away_fails_the_call_and_not_the_write(
    http: httpx.Client, verdicts: list[Any]
) -> None:
    verdicts.append(OperationalError("host db.internal"))
    response = http.post("/admission", json=review("CREATE", machine()))
    assert (response.status_code, "db.internal" in response.text) == (503, False)


def test_a_review_that_waited_too_long_is_not_begun(
    server: WebhookServer, authority: Authority, verdicts: list[Any]
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        assert go_on.wait(20)

    verdicts.append(hold)
    statuses: list[int] = []

    def post(timeout: str) -> None:
        with client(server.port, authority) as http:
            body = review("CREATE", machine())
            statuses.append(http.post(f"/admission?timeout={timeout}", json=body).status_code)

    threads = [threading.Thread(target=post, args=(seconds,)) for seconds in ("30s", "1s")]
    threads[0].start()
    assert begun.wait(10)
    threads[1].start()
    # longer than the second one's time-out
    threads[1].join(1.5)
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert sorted(statuses) == [200, 503]


def test_more_than_may_wait_are_turned_away(
    tls: TlsFiles, authority: Authority, verdicts: list[Any], server: WebhookServer
) -> None:
    route = server._application._routes["/admission"]
    route.most_waiting = 0
    with client(server.port, authority) as http:
        response = http.post("/admission", json=review("CREATE", machine()))
        assert response.status_code == 503
        # conversions have threads of their own
        assert answer(http.post("/convert", json=conversion([], "v1")))["convertedObjects"] == []
