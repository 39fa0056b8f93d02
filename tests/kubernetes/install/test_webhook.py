"""Where the API server finds the webhooks, as the settings say it."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from cycloud.kubernetes.install.objects import to_install
from cycloud.kubernetes.install.webhook import WebhookAddress, address_of_settings
from cycloud.kubernetes.webhooks.configuration import ServiceReference
from tests.support.authority import Authority


def test_without_an_address_there_is_none(settings: Any) -> None:
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = ""
    assert address_of_settings() is None


def test_the_bundle_is_read(settings: Any, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = "https://portal.example.com:9443/"
    settings.CYCLOUD_KUBERNETES_WEBHOOK_CA = str(authority.file)
    address = address_of_settings()
    assert address == WebhookAddress("https://portal.example.com:9443", authority.file.read_bytes())
    assert (address.host, address.port) == ("portal.example.com", 9443)


@pytest.mark.parametrize(
    "url",
    [
        "http://portal.example.com",
        "portal.example.com:9443",
        "https://portal.example.com/webhooks",
        "https://portal.example.com?x=1",
        "https://me:secret@portal.example.com",
        "https://",
    ],
)
def test_a_bad_address_is_refused(settings: Any, url: str) -> None:
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = url
    with pytest.raises(ImproperlyConfigured, match="set it to https://"):
        address_of_settings()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("", "must hold certificates in PEM"),
        ("-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n", "no private key"),
    ],
)
def test_a_bad_bundle_is_refused(
    settings: Any, tmp_path: Path, content: str | None, message: str
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    settings.CYCLOUD_KUBERNETES_WEBHOOK_URL = "https://portal.example.com"
    settings.CYCLOUD_KUBERNETES_WEBHOOK_CA = str(path)
    with pytest.raises(ImproperlyConfigured, match=message):
        address_of_settings()


@pytest.mark.parametrize(
    ("url", "service"),
    [
        ("https://hook.cycloud-system.svc", ServiceReference("cycloud-system", "hook", 443)),
        ("https://hook.cycloud-system.svc:8443", ServiceReference("cycloud-system", "hook", 8443)),
        ("https://hook.cycloud-system.svc.example.com", None),
        ("https://127.0.0.1:9443", None),
    ],
)
def test_a_service_of_the_cluster_is_named_as_one(
    url: str, service: ServiceReference | None
) -> None:
    address = WebhookAddress(url)
    assert address.service == service
    assert address.endpoint == (service or url)


def test_only_with_a_webhook_earlier_versions_are_served() -> None:
    for address in (None, WebhookAddress("https://portal.example.com", b"pem")):
        objects = to_install("system", address)
        kinds = [body["kind"] for body in objects.others]
        assert ("ValidatingWebhookConfiguration" in kinds) is (address is not None)
        volumes = next(
            body for body in objects.definitions if body["spec"]["names"]["kind"] == "Volume"
        )
        served = {version["name"] for version in volumes["spec"]["versions"] if version["served"]}
        assert ("v1alpha1" in served) is (address is not None)
        assert (volumes["spec"]["conversion"]["strategy"] == "Webhook") is (address is not None)


def test_the_webhook_is_the_last_and_asks_nobody_about_the_controller() -> None:
    objects = to_install("system", WebhookAddress("https://portal.example.com"))
    webhook = objects.all[-1]
    assert webhook["kind"] == "ValidatingWebhookConfiguration"
    (condition,) = webhook["webhooks"][0]["matchConditions"]
    assert "system:serviceaccount:system:cycloud" in condition["expression"]
