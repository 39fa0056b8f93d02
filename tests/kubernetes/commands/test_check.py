"""``check`` and ``install`` as a whole; on a real server: tests/e2e/kubernetes/test_install.py."""

from datetime import UTC, datetime
from typing import Any

import pytest

from cycloud.core.clock import use_clock
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.install.checks import ServerTime
from cycloud.kubernetes.kinds import Json
from tests.kubernetes.commands.running import run
from tests.kubernetes.install.servers import FakeServer

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def served(body: Json) -> None:
    if body["kind"] == "CustomResourceDefinition":
        body["status"] = {"conditions": [{"type": "Established", "status": "True"}]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, settings: Any) -> FakeServer:
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = ""
    version = {"major": "1", "minor": "37", "gitVersion": "v1.37.2"}
    server = FakeServer(answers={("GET", "/version"): version}, on_apply=served)
    server.reviews = lambda asked: asked["verb"] != "*"
    for module in ("check", "install"):
        monkeypatch.setattr(f"cycloud.kubernetes.commands.{module}.client", lambda: server)
    check = "cycloud.kubernetes.commands.check"
    monkeypatch.setattr(f"{check}.load_configuration", lambda _: None)
    monkeypatch.setattr(f"{check}.server_time", lambda _: ServerTime(NOON, NOON, NOON))
    return server


def test_after_an_install_all_is_good(server: FakeServer) -> None:
    told = run("install").splitlines()
    assert told[0] == "Installing into https://kubernetes.test"
    assert told[-2] == "Done: 24 created."
    assert told[-1].endswith("Next: manage.py kubernetes check")
    assert run("install", "--dry-run").splitlines()[-1] == "Would be: 24 unchanged."
    found = {line.split()[1]: line.split()[0] for line in run("check").splitlines()}
    assert found == {
        "server": "ok",
        "identity": "ok",
        "clock": "ok",
        "rights": "ok",
        "definitions": "ok",
        "objects": "ok",
        "watcher": "note",
        "webhook": "note",
        "worker": "ok",
    }


def test_what_is_wrong_gives_the_exit_status(server: FakeServer) -> None:
    assert "wrong  definitions" in run("check", status=1)


def test_a_server_that_says_no_time_is_noted(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("install")
    monkeypatch.setattr("cycloud.kubernetes.commands.check.server_time", lambda _: None)
    assert "note   clock" in run("check")


def test_a_server_that_goes_away_ends_the_look_at_it(server: FakeServer) -> None:
    server.answers["GET", "/version"] = KubernetesFault(FaultKind.UNREACHABLE, "refused")
    told = run("check", status=1).splitlines()
    assert told[0].startswith("wrong  server       The Kubernetes API does not answer (refused).")
    assert [line.split()[1] for line in told[1:]] == ["webhook", "worker"]


def test_the_webhook_is_looked_at_where_there_is_one(server: FakeServer, settings: Any) -> None:
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = "https://hook.cycloud-system.svc"
    with use_clock(lambda: NOON):
        assert "hook.cycloud-system.svc:443 is a Service" in run("check", status=1)
