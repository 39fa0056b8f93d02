"""``install --output yaml``; the rest needs a real server: tests/e2e/kubernetes/test_install.py."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError

from tests.kubernetes.commands.running import run
from tests.support.authority import Authority


def test_all_objects_are_printed_without_a_server(settings: Any) -> None:
    settings.CYCLOUD_KUBERNETES_KUBECONFIG = ""
    settings.CYCLOUD_KUBERNETES_NAMESPACE = "our-namespace"
    printed = run("install", "--output", "yaml")
    documents = list(yaml.safe_load_all(printed))
    kinds = [document["kind"] for document in documents]
    assert kinds.count("CustomResourceDefinition") == 14
    # a definition before what is about it, a namespace before what is in it
    assert kinds[:14] == ["CustomResourceDefinition"] * 14
    assert documents[14]["metadata"]["name"] == "our-namespace"
    named = {
        document["metadata"]["namespace"]
        for document in documents
        if "namespace" in document["metadata"]
    }
    assert named == {"our-namespace"}
    # no anchors: not every tool reads them
    assert "&id" not in printed


def test_the_webhook_is_printed_with_its_bundle(settings: Any, tmp_path: Path) -> None:
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = "https://portal.example.com:9443"
    settings.CYCLOUD_KUBERNETES_WEBHOOK_CA = str(Authority(tmp_path).file)
    webhook = list(yaml.safe_load_all(run("install", "--output", "yaml")))[-1]["webhooks"][0]
    assert webhook["clientConfig"]["url"].startswith("https://portal.example.com:9443/")
    assert webhook["clientConfig"]["caBundle"]


def test_a_webhook_without_tls_is_refused(settings: Any) -> None:
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = "http://portal.example.com"
    with pytest.raises(CommandError, match="CYCLOUD_KUBERNETES_WEBHOOK_URL"):
        run("install", "--output", "yaml")
