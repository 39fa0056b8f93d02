from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives import serialization

from cycloud.kubernetes.webhooks.server import WebhookOptions, WebhookServer
from cycloud.kubernetes.webhooks.tls import TlsFiles, UnusableFiles
from tests.kubernetes.webhooks.listener import answer, client, conversion
from tests.kubernetes.webhooks.machines import FakeJudge, machine, review
from tests.support.authority import Authority


def test_without_tls_nothing_is_answered(server: WebhookServer) -> None:
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{server.port}/healthz", trust_env=False)


def test_a_renewed_certificate_is_used_without_a_restart(
    tmp_path: Path, verdicts: list[Any]
) -> None:
    old, new = Authority(tmp_path, "old"), Authority(tmp_path, "new")
    running = WebhookServer(WebhookOptions(TlsFiles(*old.issue("server"))), judge=FakeJudge())
    running.start()
    try:
        with client(running.port, old) as http:
            assert http.get("/healthz").status_code == 200
        new.issue("server")
        with client(running.port, new) as http:
            assert http.get("/healthz").status_code == 200
        with client(running.port, old) as http, pytest.raises(httpx.ConnectError):
            http.get("/healthz")
    finally:
        running.stop()


def test_a_renewal_that_is_half_done_leaves_the_old_certificate(
    tmp_path: Path, verdicts: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    old, new = Authority(tmp_path, "old"), Authority(tmp_path, "new")
    files = TlsFiles(*old.issue("server"))
    other, other_key = new.issue("other")
    running = WebhookServer(WebhookOptions(files), judge=FakeJudge())
    running.start()
    try:
        files.certificate.write_bytes(other.read_bytes())
        for _ in range(3):
            with client(running.port, old) as http:
                assert http.get("/healthz").status_code == 200
        assert caplog.text.count("go on with the earlier certificate") == 1
        files.key.unlink()
        with client(running.port, old) as http:
            assert http.get("/healthz").status_code == 200
        files.key.write_bytes(other_key.read_bytes())
        with client(running.port, new) as http:
            assert http.get("/healthz").status_code == 200
    finally:
        running.stop()


@pytest.fixture
def guarded(authority: Authority, tls: TlsFiles, verdicts: list[Any]) -> Iterator[WebhookServer]:
    """A server with a client CA."""
    files = TlsFiles(tls.certificate, tls.key, client_ca=authority.file)
    running = WebhookServer(WebhookOptions(files), judge=FakeJudge())
    running.start()
    yield running
    running.stop()


def test_with_a_client_ca_admission_is_only_for_who_shows_a_certificate(
    guarded: WebhookServer, authority: Authority
) -> None:
    body = review("CREATE", machine())
    with client(guarded.port, authority, authority.issue("apiserver")) as http:
        assert answer(http.post("/admission", json=body))["allowed"]
    with client(guarded.port, authority) as http:
        assert http.post("/admission", json=body).status_code == 403
        # the API server has no certificate for these
        assert http.post("/convert", json=conversion([], "v1")).status_code == 200
        assert http.get("/healthz").status_code == 200


def test_a_certificate_of_somebody_else_gets_nobody_in(
    guarded: WebhookServer, authority: Authority, tmp_path: Path
) -> None:
    stranger = Authority(tmp_path, "stranger").issue("apiserver-2")
    with client(guarded.port, authority, stranger) as http, pytest.raises(httpx.TransportError):
        http.post("/admission", json=review("CREATE", machine()))


def test_a_client_ca_that_is_replaced_no_longer_counts(
    guarded: WebhookServer, authority: Authority, tmp_path: Path
) -> None:
    known = authority.issue("apiserver")
    ca = authority.file.read_bytes()
    server_ca = tmp_path / "server-ca.pem"
    server_ca.write_bytes(ca)
    authority.file.write_bytes(Authority(tmp_path, "next").file.read_bytes())
    authority.file = server_ca
    with client(guarded.port, authority, known) as http, pytest.raises(httpx.TransportError):
        http.post("/admission", json=review("CREATE", machine()))


@pytest.mark.parametrize("broken", ["missing", "empty", "another key", "password"])
def test_files_that_cannot_be_used_are_named_and_not_quoted(
    authority: Authority, tls: TlsFiles, tmp_path: Path, broken: str
) -> None:
    if broken == "missing":
        tls.key.unlink()
    elif broken == "empty":
        tls.certificate.write_text("")
    elif broken == "another key":
        tls.key.write_bytes(authority.issue("other")[1].read_bytes())
    else:
        tls.key.write_bytes(with_password(tls.key.read_bytes()))
    with pytest.raises(UnusableFiles, match=r"server\.key") as caught:
        WebhookServer(WebhookOptions(tls))
    assert "PRIVATE" not in str(caught.value)


def with_password(key: bytes) -> bytes:
    return serialization.load_pem_private_key(key, None).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )
