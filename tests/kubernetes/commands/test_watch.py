"""``watch`` and ``webhook`` run until a signal, and say when they ended by themselves."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from cycloud.kubernetes.commands import stopping
from tests.kubernetes.commands.running import run
from tests.support.authority import Authority
from tests.support.kubernetes.server import ApiServer
from tests.support.kubernetes.store import Ref
from tests.support.kubernetes.widgets import Widgets


def when(holds: Callable[[], bool], number: signal.Signals) -> threading.Thread:
    """Send this process a signal as soon as something holds."""
    end = threading.Event()

    def wait() -> None:
        for _ in range(200):
            if holds():
                break
            end.wait(0.05)
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_watcher_runs_until_a_signal_and_gives_its_lease_back(
    api: ApiServer, widgets: Widgets, settings: Any, number: signal.Signals
) -> None:
    name = settings.CYCLOUD_KUBERNETES_NAMESPACE
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    api.store.create(Ref("", "v1", "namespaces", "", name), body, "kubectl")
    before = signal.getsignal(number)
    thread = when(lambda: any("watch=true" in path for _, path in api.faults.requests), number)
    told = run("watch").splitlines()
    thread.join(5)
    assert told[0].startswith(f"Watching {api.url}")
    assert told[-1] == "Stopping."
    lease = api.store.get(Ref("coordination.k8s.io", "v1", "leases", name, "cycloud-watcher"))
    assert lease["spec"]["holderIdentity"] == ""
    assert signal.getsignal(number) is before


def test_the_webhooks_are_served_until_a_signal(settings: Any, tmp_path: Path) -> None:
    certificate, key = Authority(tmp_path).issue("webhook")
    settings.CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE = str(certificate)
    settings.CYCLOUD_KUBERNETES_WEBHOOK_KEY = str(key)
    settings.CYCLOUD_KUBERNETES_WEBHOOK_PORT = 0
    thread = when(lambda: signal.getsignal(signal.SIGTERM) not in DEFAULTS, signal.SIGTERM)
    told = run("webhook").splitlines()
    thread.join(5)
    assert told[0].startswith("Webhooks are served at https://127.0.0.1:")
    assert told[-1] == "Stopping."


DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)


@pytest.mark.parametrize(
    ("certificate", "message"), [("", "over TLS only"), ("/nowhere.pem", "cannot use /nowhere.pem")]
)
def test_without_a_certificate_nothing_is_served(
    settings: Any, certificate: str, message: str
) -> None:
    settings.CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE = certificate
    settings.CYCLOUD_KUBERNETES_WEBHOOK_KEY = certificate
    with pytest.raises(CommandError, match=message):
        run("webhook")


def test_what_ends_by_itself_is_an_error(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = Authority(tmp_path).issue("webhook")
    settings.CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE = str(certificate)
    settings.CYCLOUD_KUBERNETES_WEBHOOK_KEY = str(key)
    settings.CYCLOUD_KUBERNETES_WEBHOOK_PORT = 0
    monkeypatch.setattr(stopping, "_LOOK_SECONDS", 0.0)
    monkeypatch.setattr("cycloud.kubernetes.commands.webhook.WebhookServer.running", False)
    with pytest.raises(CommandError, match="ended by itself"):
        run("webhook")
