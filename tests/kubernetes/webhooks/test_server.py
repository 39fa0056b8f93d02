import socket
import ssl
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from cycloud.kubernetes.webhooks.server import (
    CannotListen,
    WebhookOptions,
    WebhookServer,
    is_configured,
    options_of_settings,
)
from cycloud.kubernetes.webhooks.tls import TlsFiles
from tests.kubernetes.webhooks.listener import answer, client
from tests.kubernetes.webhooks.machines import FakeJudge, machine, review
from tests.support.authority import Authority

Json = dict[str, Any]


def test_it_stops_although_a_connection_is_open(
    server: WebhookServer, authority: Authority
) -> None:
    with client(server.port, authority) as http:
        assert http.get("/healthz").status_code == 200
        server.stop()
        assert not server.running
        # again: nothing
        server.stop()
    with client(server.port, authority) as http, pytest.raises(httpx.ConnectError):
        http.get("/healthz")


def test_a_stop_waits_for_the_review_under_way(
    server: WebhookServer, authority: Authority, verdicts: list[Any]
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        assert go_on.wait(20)

    verdicts.append(hold)
    found: list[Json] = []

    def post() -> None:
        with client(server.port, authority) as http:
            found.append(answer(http.post("/admission", json=review("CREATE", machine()))))

    caller, stopper = threading.Thread(target=post), threading.Thread(target=server.stop)
    caller.start()
    assert begun.wait(10)
    stopper.start()
    go_on.set()
    caller.join(20)
    stopper.join(20)
    assert found[0]["allowed"] and not server.running


def test_one_that_was_never_started_leaves_the_port(tls: TlsFiles) -> None:
    unused = WebhookServer(WebhookOptions(tls))
    unused.stop()
    with socket.create_server(("127.0.0.1", unused.port)):
        assert not unused.running


def test_it_listens_at_ipv6_too(tls: TlsFiles, authority: Authority) -> None:
    running = WebhookServer(WebhookOptions(tls, host="::1"), judge=FakeJudge())
    running.start()
    try:
        context = ssl.create_default_context(cafile=str(authority.file))
        context.check_hostname = False
        url = f"https://[::1]:{running.port}/healthz"
        assert httpx.get(url, verify=context, trust_env=False).text == "ok\n"
    finally:
        running.stop()


def test_a_busy_port_is_named(tls: TlsFiles) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=f"127.0.0.1:{port}"):
            WebhookServer(WebhookOptions(tls, port=port))


def test_the_settings_name_the_files(settings: Any) -> None:
    assert not is_configured()
    settings.CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE = "/etc/c.pem"
    assert is_configured()
    with pytest.raises(ImproperlyConfigured, match="CYCLOUD_KUBERNETES_WEBHOOK_KEY"):
        options_of_settings()
    settings.CYCLOUD_KUBERNETES_WEBHOOK_KEY = "/etc/k.pem"
    assert options_of_settings() == WebhookOptions(
        TlsFiles(Path("/etc/c.pem"), Path("/etc/k.pem")), host="127.0.0.1", port=9443
    )
    settings.CYCLOUD_KUBERNETES_WEBHOOK_CLIENT_CA = "/etc/ca.pem"
    assert options_of_settings().tls.client_ca == Path("/etc/ca.pem")
