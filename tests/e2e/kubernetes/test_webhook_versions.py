"""The conversion webhook as a real API server calls it, and an API server that shows the webhooks a certificate."""

import json
import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from cycloud.core.aip.errors import CycloudError, InvalidArgument
from cycloud.kubernetes.webhooks.configuration import configuration
from cycloud.kubernetes.webhooks.server import WebhookOptions, WebhookServer
from cycloud.kubernetes.webhooks.tls import TlsFiles
from cycloud.kubernetes.webhooks.volume_versions import VOLUME_GROUP
from tests.e2e.kubernetes.harness.api import Api
from tests.e2e.kubernetes.harness.install import install
from tests.e2e.kubernetes.harness.kubectl import Kubectl
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.e2e.kubernetes.harness.webhooks import (
    OWN_GROUP,
    WEBHOOKS,
    serve,
    two_versions_of_volumes,
    until,
)
from tests.support.authority import Authority

Json = dict[str, Any]


@pytest.fixture
def webhook(server: ApiServer) -> Iterator[WebhookServer]:
    running = serve(server)
    yield running
    running.stop()


@pytest.fixture
def kubectl(server: ApiServer) -> Kubectl:
    return Kubectl(server, "default")


@pytest.fixture
def two_versions(
    server: ApiServer, webhook: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], str]]:
    """Volumes in two versions; returns how kubectl calls a version of them."""
    with two_versions_of_volumes(server, webhook, monkeypatch):
        yield lambda version: f"volumes.{version}.{OWN_GROUP}"


def volume(name: str, version: str, **size: Any) -> Json:
    return {
        "apiVersion": f"{OWN_GROUP}/{version}",
        "kind": "Volume",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"volumeType": "cgp1", "availabilityZone": "apne1a", **size},
    }


def apply(kubectl: Kubectl, *objects: Json, words: tuple[str, ...] = ()) -> str:
    return kubectl("apply", *words, "--filename=-", input=list(objects))


def test_volumes_are_read_and_written_in_both_versions(
    kubectl: Kubectl, two_versions: Callable[[str], str]
) -> None:
    apply(kubectl, volume("new", "v1", size="1Ti"))
    text = apply(kubectl, volume("old", "v1alpha1", sizeGiB=7))
    assert "is deprecated; use" in text

    def sizes(version: str, field: str) -> Json:
        items = kubectl.json("get", two_versions(version))["items"]
        return {item["metadata"]["name"]: item["spec"][field] for item in items}

    assert sizes("v1", "size") == {"new": "1Ti", "old": "7Gi"}
    assert sizes("v1alpha1", "sizeGiB") == {"new": 1024, "old": 7}
    # a change of something else, by who knows only the earlier version, leaves the text as it was
    patch = json.dumps({"spec": {"displayName": "mine"}})
    earlier = two_versions("v1alpha1")
    kubectl("patch", earlier, "new", "--type=merge", f"--patch={patch}")
    assert sizes("v1", "size")["new"] == "1Ti"
    # and a change of the number changes the text
    patch = json.dumps({"spec": {"sizeGiB": 2048}})
    kubectl("patch", earlier, "new", "--type=merge", f"--patch={patch}")
    assert sizes("v1", "size")["new"] == "2048Gi"
    annotations = kubectl.json("get", two_versions("v1"), "new")["metadata"]["annotations"]
    assert [key for key in annotations if key.startswith("cycloud.jp/")] == []


def test_server_side_apply_works_across_versions(
    kubectl: Kubectl, two_versions: Callable[[str], str]
) -> None:
    words = ("--server-side", "--field-manager=gitops")
    apply(kubectl, volume("both", "v1", size="1Ti"), words=words)
    # the same manager goes back to the earlier version, and forward again: nobody is in its way
    apply(kubectl, volume("both", "v1alpha1", sizeGiB=1024), words=words)
    apply(kubectl, volume("both", "v1", size="2Ti"), words=words)
    found = kubectl.json("get", two_versions("v1alpha1"), "both")
    assert found["spec"]["sizeGiB"] == 2048


def test_a_version_is_read_again_when_the_portal_is_back(
    server: ApiServer, kubectl: Kubectl, webhook: WebhookServer, two_versions: Callable[[str], str]
) -> None:
    apply(kubectl, volume("kept", "v1", size="3Gi"))
    webhook.stop()
    # the stored version needs nobody; Kubernetes has no failurePolicy for the other one
    assert kubectl.json("get", two_versions("v1"), "kept")["spec"]["size"] == "3Gi"
    text = kubectl.fails("get", two_versions("v1alpha1"), "kept")
    assert "conversion webhook" in text
    back = serve(server, webhook.port)
    try:
        until(
            lambda: kubectl.run("get", two_versions("v1alpha1"), "kept").returncode == 0,
            "the other version is there again",
        )
    finally:
        back.stop()


# -- an API server that shows a certificate

ADMISSION_CONFIGURATION = """
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ValidatingAdmissionWebhook
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: WebhookAdmissionConfiguration
    kubeConfigFile: {kubeconfig}
"""
KUBECONFIG = """
apiVersion: v1
kind: Config
users:
- name: "*"
  user: {{client-certificate: {certificate}, client-key: {key}}}
"""


@pytest.fixture
def showing_server(tmp_path: Path, server: ApiServer) -> Iterator[tuple[ApiServer, Authority]]:
    """A server that shows webhooks a certificate (docs/kubernetes.md), and who signed it."""
    authority = Authority(tmp_path, "clients")
    certificate, key = authority.issue("apiserver")
    kubeconfig, admission = tmp_path / "kubeconfig", tmp_path / "admission.yaml"
    kubeconfig.write_text(KUBECONFIG.format(certificate=certificate, key=key))
    admission.write_text(ADMISSION_CONFIGURATION.format(kubeconfig=kubeconfig))
    flags = f"--admission-control-config-file={admission}"
    showing = replace(ApiServer.on(server.host, "showing"), flags=flags)
    with showing.running():
        install(showing)
        yield showing, authority


def test_with_a_client_ca_the_api_server_gets_in_and_nobody_else(
    showing_server: tuple[ApiServer, Authority], database: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, authority = showing_server
    pki = server.root / "pki"
    tls = TlsFiles(pki / "webhook.crt", pki / "webhook.key", client_ca=authority.file)

    def judge(*_: object, **__: object) -> CycloudError:
        return InvalidArgument.field("spec.size", "refused by the suite")

    webhook = WebhookServer(WebhookOptions(tls), judge=judge)
    webhook.start()
    api = Api(server, "default")
    try:
        url, ca = f"https://127.0.0.1:{webhook.port}", server.ca.read_bytes()
        api.call("POST", WEBHOOKS, configuration(url, ca, "nobody"))
        body = {**volume("data", "v1", size="1Gi"), "apiVersion": f"{VOLUME_GROUP}/v1"}

        def is_refused() -> bool:
            answer = api.send("POST", api.path("volumes"), body, dryRun="All")
            return "refused by the suite" in answer.text

        until(is_refused, "the API server is let in")
        with httpx.Client(verify=ssl.create_default_context(cafile=str(server.ca))) as http:
            assert http.post(f"{url}/admission", json={}).status_code == 403
        # without a certificate: the API server has none for conversions
        with two_versions_of_volumes(server, webhook, monkeypatch):
            own = {**body, "apiVersion": f"{OWN_GROUP}/v1"}
            path = f"/apis/{OWN_GROUP}/{{}}/namespaces/default/volumes"
            api.call("POST", path.format("v1"), own)
            found = api.call("GET", path.format("v1alpha1"))["items"]
            assert [item["spec"]["sizeGiB"] for item in found] == [1]
    finally:
        webhook.stop()
        api.close()
