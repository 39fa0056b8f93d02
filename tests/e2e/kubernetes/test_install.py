"""``manage.py kubernetes install`` and ``check`` on a real and empty API server."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError

from cycloud.kubernetes import crds
from cycloud.kubernetes.client import forget_client
from cycloud.kubernetes.webhooks.server import WebhookOptions, WebhookServer
from cycloud.kubernetes.webhooks.tls import TlsFiles
from tests.e2e.kubernetes.conftest import HOST
from tests.e2e.kubernetes.harness.api import Api
from tests.e2e.kubernetes.harness.install import check, manage
from tests.e2e.kubernetes.harness.kubectl import Kubectl
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.support.authority import Authority

pytestmark = pytest.mark.django_db
WEBHOOK = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/cycloud"
VOLUMES = "customresourcedefinition/volumes.storage.interface.compute.cycloud.jp"


# -- on the empty server, in this order


def test_a_dry_run_tells_all_and_keeps_nothing(configured: ApiServer) -> None:
    told = manage("install", "--dry-run").splitlines()
    assert told[0] == f"Nothing is kept at {configured.url}"
    assert told[-1] == "Would be: 24 created."
    assert (
        "created    CustomResourceDefinition instances.compute.interface.compute.cycloud.jp" in told
    )
    kubectl = Kubectl(configured)
    assert "No resources found" in kubectl("get", "crd")
    assert "cycloud" not in kubectl("get", "namespaces,clusterroles")


def test_without_an_install_every_missing_part_is_named(configured: ApiServer) -> None:
    told = check(1)
    assert (
        "wrong  definitions  volumes.storage.interface.compute.cycloud.jp is not installed. "
        "Run: manage.py kubernetes install" in told
    )
    assert "wrong  objects      ServiceAccount cycloud is missing." in told


def test_an_install_makes_everything_and_again_nothing(configured: ApiServer) -> None:
    first = manage("install").splitlines()
    assert first[0] == f"Installing into {configured.url}"
    assert first[-2] == "Done: 24 created."
    second = manage("install").splitlines()
    assert second[-2] == "Done: 24 unchanged."
    assert all(line.startswith("unchanged ") for line in second[1:-2])
    assert manage("install", "--dry-run").splitlines()[-1] == "Would be: 24 unchanged."
    # what is installed is served at once
    for definition in crds.definitions():
        plural, group = definition["spec"]["names"]["plural"], definition["spec"]["group"]
        assert Kubectl(configured)("get", f"{plural}.{group}", "-A").startswith(
            "No resources found"
        )
    assert "wrong" not in check(0)


def test_what_somebody_changed_is_told_by_check_and_put_right_by_install(
    installed: ApiServer,
) -> None:
    kubectl = Kubectl(installed)
    rule = '[{"op": "remove", "path": "/rules/0"}]'
    kubectl("patch", "clusterrole", "cycloud-controller", "--type=json", "-p", rule)
    column = '[{"op": "remove", "path": "/spec/versions/0/additionalPrinterColumns/0"}]'
    kubectl("patch", VOLUMES, "--type=json", "-p", column)
    told = manage("install", "--dry-run").splitlines()
    assert [line.split()[2] for line in told if line.startswith("changed")] == [
        VOLUMES.partition("/")[2],
        "cycloud-controller",
    ]
    assert manage("install").splitlines()[-2] == "Done: 2 changed, 22 unchanged."
    assert "wrong" not in check(0)


def test_the_printed_objects_are_what_is_installed(installed: ApiServer) -> None:
    printed = manage("install", "--output", "yaml")
    assert len(list(yaml.safe_load_all(printed))) == 24
    kubectl = Kubectl(installed)
    applied = kubectl(
        "apply", "--server-side", "--field-manager=flux", "--filename=-", input=printed
    )
    assert len(applied.splitlines()) == 24
    assert manage("install").splitlines()[-2] == "Done: 24 unchanged."
    # what a GitOps tool would change: nothing
    assert (
        kubectl("diff", "--server-side", "--field-manager=flux", "--filename=-", input=printed)
        == ""
    )


def test_the_examples_pass_the_definitions(admin_api: Api) -> None:
    kubectl = Kubectl(admin_api.server, "team")
    for folder, count in (("web", 4), ("generation", 2)):
        path = f"deploy/kubernetes/examples/{folder}/"
        for words in ((), ("--server-side",)):
            told = kubectl("apply", *words, "--dry-run=server", "--filename", path)
            assert len(told.splitlines()) == count


# -- the webhook


def test_a_webhook_is_installed_checked_and_removed_again(
    installed: ApiServer, admin_api: Api, tmp_path: Path, settings: Any
) -> None:
    authority = Authority(tmp_path)
    files = TlsFiles(*authority.issue("webhook"))
    server = WebhookServer(WebhookOptions(files))
    server.start()
    try:
        settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = f"https://127.0.0.1:{server.port}"
        settings.CYCLOUD_KUBERNETES_WEBHOOK_CA = str(authority.file)
        assert manage("install").splitlines()[-2] == "Done: 1 changed, 1 created, 23 unchanged."
        assert manage("install").splitlines()[-2] == "Done: 25 unchanged."
        told = check(0)
        assert (
            f"note   webhook      127.0.0.1:{server.port} answers over TLS; its certificate" in told
        )
        kubectl = Kubectl(installed)
        assert "v1alpha1" in kubectl(
            "get", VOLUMES, "-o", "jsonpath={.spec.versions[?(@.served)].name}"
        )
        assert admin_api.call("GET", WEBHOOK)["webhooks"][0]["clientConfig"]["caBundle"]
    finally:
        server.stop()
    assert f"wrong  webhook      127.0.0.1:{server.port} does not answer" in check(1)
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = ""
    told = manage("install")
    assert "removed    ValidatingWebhookConfiguration cycloud" in told
    assert told.splitlines()[-2] == "Done: 1 changed, 1 removed, 23 unchanged."
    assert admin_api.send("GET", WEBHOOK).status_code == 404
    assert (
        Kubectl(installed)("get", VOLUMES, "-o", "jsonpath={.spec.conversion.strategy}") == "None"
    )


def test_a_server_that_does_not_answer_is_one_line(
    empty_server: ApiServer, settings: Any, tmp_path: Path
) -> None:
    document = yaml.safe_load(empty_server.kubeconfig().read_text())
    document["clusters"][0]["cluster"]["server"] = f"https://{HOST}:1"
    path = tmp_path / "down.kubeconfig"
    path.write_text(yaml.safe_dump(document))
    settings.CYCLOUD_KUBERNETES_KUBECONFIG = str(path)
    forget_client()
    with pytest.raises(CommandError, match="The Kubernetes API does not answer") as failed:
        manage("install")
    assert "\n" not in str(failed.value)
    forget_client()
