"""The looks over the network that ``check`` takes: clock and webhook."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kubernetes.client.configuration import Configuration

from cycloud.core.clock import use_clock
from cycloud.kubernetes.config import ApiAccess, load_configuration
from cycloud.kubernetes.install.findings import Level
from cycloud.kubernetes.install.reach import check_webhook, server_time
from cycloud.kubernetes.install.webhook import WebhookAddress
from tests.support.authority import Authority
from tests.support.kubernetes.https import Answer, HttpsServer, serving_https

DATE = "Thu, 01 Jan 2026 12:00:00 GMT"


@pytest.fixture
def https(tmp_path: Path) -> Iterator[HttpsServer]:
    with serving_https(tmp_path) as server:
        yield server


def configuration(server: HttpsServer) -> Configuration:
    return load_configuration(ApiAccess(str(server.kubeconfig())))


@pytest.mark.parametrize("status", [200, 401, 503])
def test_the_servers_time_is_that_of_any_answer(https: HttpsServer, status: int) -> None:
    https.answers = [Answer(status, headers={"Date": DATE})]
    time = server_time(configuration(https))
    assert time is not None
    assert time.told in (datetime(2026, 1, 1, 12, tzinfo=UTC), time.told)
    assert time.before <= time.after
    # everybody may ask for the version: the credentials stay here
    assert "authorization" not in https.asked[0].headers


def test_a_server_that_is_down_tells_no_time(https: HttpsServer) -> None:
    wrong = configuration(https)
    https.stop()
    assert server_time(wrong) is None


@contextmanager
def serving(certificate: Path, key: Path) -> Iterator[int]:
    """Serve TLS, one handshake after the other, and return the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:
                return
            try:
                context.wrap_socket(plain, server_side=True).close()
            except OSError:
                plain.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def test_a_webhook_is_connected_to_as_the_api_server_does(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with serving(*authority.issue("webhook")) as port:
        address = WebhookAddress(f"https://127.0.0.1:{port}", authority.file.read_bytes())
        # the certificate is good for a day
        (soon,) = check_webhook(address)
        with use_clock(lambda: datetime.now(UTC) - timedelta(days=30)):
            (later,) = check_webhook(address)
    assert (soon.level, later.level) == (Level.NOTE, Level.GOOD)
    assert soon.text.endswith(": 0 days. Renew it.")
    assert f"127.0.0.1:{port} answers over TLS; its certificate is good until 20" in later.text


def test_a_certificate_of_somebody_else_is_found(tmp_path: Path) -> None:
    other = Authority(tmp_path, "other")
    with serving(*Authority(tmp_path).issue("webhook")) as port:
        address = WebhookAddress(f"https://127.0.0.1:{port}", other.file.read_bytes())
        (finding,) = check_webhook(address)
    assert finding.level is Level.WRONG
    assert "CYCLOUD_KUBERNETES_WEBHOOK_CA does not vouch for" in finding.text


def test_a_certificate_for_another_host_is_found(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with serving(*authority.issue("webhook")) as port:
        # the certificate is for the address, not for the name
        address = WebhookAddress(f"https://localhost:{port}", authority.file.read_bytes())
        (finding,) = check_webhook(address)
    assert finding.level is Level.WRONG
    assert "does not vouch for" in finding.text


def test_a_webhook_that_does_not_run_is_found(tmp_path: Path) -> None:
    with serving(*Authority(tmp_path).issue("webhook")) as port:
        pass
    (finding,) = check_webhook(WebhookAddress(f"https://127.0.0.1:{port}"))
    assert finding.level is Level.WRONG
    assert "does not answer" in finding.text
    assert "manage.py kubernetes webhook" in finding.text


def test_what_speaks_no_tls_is_found() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def greet() -> None:
        plain, _ = listener.accept()
        with plain:
            plain.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")
            plain.recv(10_000)

    thread = threading.Thread(target=greet, daemon=True)
    thread.start()
    port = int(listener.getsockname()[1])
    (finding,) = check_webhook(WebhookAddress(f"https://127.0.0.1:{port}"))
    thread.join(5)
    listener.close()
    assert finding.level is Level.WRONG
    assert "does not speak TLS" in finding.text


def test_a_service_of_the_cluster_is_not_tried() -> None:
    (finding,) = check_webhook(WebhookAddress("https://hook.cycloud-system.svc"))
    assert finding.level is Level.NOTE
