"""What an operator does once: ``manage.py kubernetes install``, and a kubeconfig of the controller's own account."""

import io
import shutil
from pathlib import Path

import yaml
from django.core.management import call_command
from django.test.utils import override_settings

from cycloud.kubernetes.client import forget_client
from tests.e2e.harness.services import free_port
from tests.e2e.kubernetes.harness.kubectl import Kubectl, discovery
from tests.e2e.kubernetes.harness.server import ApiServer

DEFINITIONS = "deploy/kubernetes/crds"
ACCOUNT = ("cycloud", "--namespace=cycloud-system")


def install(server: ApiServer, *, webhook: bool = False, url: str = "") -> dict[str, object]:
    """Install everything as an administrator; return the settings of a portal that works as its own account.

    ``url``: by which way the portal goes to the API server, if not straight.
    """
    values: dict[str, object] = {"CYCLOUD_KUBERNETES_ENABLED": True}
    if webhook:
        port = free_port()
        values |= {
            "CYCLOUD_KUBERNETES_WEBHOOK_URL": f"https://127.0.0.1:{port}",
            "CYCLOUD_KUBERNETES_WEBHOOK_CA": str(server.ca),
            "CYCLOUD_KUBERNETES_WEBHOOK_HOST": "127.0.0.1",
            "CYCLOUD_KUBERNETES_WEBHOOK_PORT": port,
            "CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE": str(server.root / "pki/webhook.crt"),
            "CYCLOUD_KUBERNETES_WEBHOOK_KEY": str(server.root / "pki/webhook.key"),
        }
    with override_settings(CYCLOUD_KUBERNETES_KUBECONFIG=str(server.kubeconfig()), **values):
        forget_client()
        manage("install")
        forget_client()
    shutil.rmtree(discovery(server), ignore_errors=True)
    return {**values, "CYCLOUD_KUBERNETES_KUBECONFIG": str(account_kubeconfig(server, url))}


def account_kubeconfig(server: ApiServer, url: str = "") -> Path:
    """Write a kubeconfig for the service account that ``install`` made: it may do what is listed, and no more."""
    token = Kubectl(server)("create", "token", *ACCOUNT, "--duration=24h").strip()
    config = yaml.safe_load(server.kubeconfig().read_text())
    config["users"][0]["user"] = {"token": token}
    config["clusters"][0]["cluster"]["server"] = url or server.url
    path = server.root / "account.kubeconfig"
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(config))
    return path


def manage(*words: str) -> str:
    """Run ``manage.py kubernetes ...`` in this process, and return what it printed."""
    out = io.StringIO()
    call_command("kubernetes", *words, stdout=out)
    return out.getvalue()


def check(status: int) -> str:
    """Run ``manage.py kubernetes check``, which must end with that status, and return what it printed."""
    out, ended = io.StringIO(), 0
    try:
        call_command("kubernetes", "check", stdout=out)
    except SystemExit as left:
        ended = int(left.code or 0)
    assert ended == status, out.getvalue()
    return out.getvalue()
