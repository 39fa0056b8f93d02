"""A listener of the webhooks, and what its admission is to find."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cycloud.kubernetes.webhooks import server as server_module
from cycloud.kubernetes.webhooks.reviews import AdmissionRequest, Verdict
from cycloud.kubernetes.webhooks.server import WebhookOptions, WebhookServer
from cycloud.kubernetes.webhooks.tls import TlsFiles
from tests.kubernetes.webhooks.listener import client
from tests.kubernetes.webhooks.machines import FakeJudge
from tests.support.authority import Authority


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def tls(authority: Authority) -> TlsFiles:
    return TlsFiles(*authority.issue("server"))


@pytest.fixture
def verdicts(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What admission finds, one after the other: a verdict, or an exception; at the end it allows."""
    found: list[Any] = []

    def verdict(request: AdmissionRequest, judge: Any) -> Verdict:
        given = found.pop(0) if found else Verdict()
        if isinstance(given, BaseException):
            raise given
        if callable(given):
            given()
            return Verdict()
        assert isinstance(given, Verdict)
        return given

    monkeypatch.setattr(server_module, "verdict_on", verdict)
    return found


@pytest.fixture
def server(tls: TlsFiles, verdicts: list[Any]) -> Iterator[WebhookServer]:
    running = WebhookServer(WebhookOptions(tls, threads=1), judge=FakeJudge())
    running.start()
    yield running
    running.stop()


@pytest.fixture
def http(server: WebhookServer, authority: Authority) -> Iterator[httpx.Client]:
    with client(server.port, authority) as found:
        yield found
