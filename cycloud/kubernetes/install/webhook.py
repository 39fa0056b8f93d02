"""How the API server reaches the webhooks that the portal serves, as the settings say."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from cycloud.kubernetes.webhooks.configuration import ServiceReference

__all__ = ["WebhookAddress", "address_of_settings"]

_SERVICE_PARTS: Final = 3


@dataclass(frozen=True)
class WebhookAddress:
    """``url`` has no path. ``bundle``: authorities that certify it, in PEM; empty: those that the API server trusts."""

    url: str
    bundle: bytes = b""

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 443

    @property
    def service(self) -> ServiceReference | None:
        """The Service that ``https://NAME.NAMESPACE.svc`` means: the API server finds it without the cluster's DNS."""
        parts = self.host.split(".")
        if len(parts) != _SERVICE_PARTS or parts[2] != "svc":
            return None
        return ServiceReference(namespace=parts[1], name=parts[0], port=self.port)

    @property
    def endpoint(self) -> str | ServiceReference:
        return self.service or self.url


def address_of_settings() -> WebhookAddress | None:
    """Return what CYCLOUD_KUBERNETES_WEBHOOK_URL and _CA say; None where there is no webhook.

    Raises ImproperlyConfigured for an address without TLS and for a file that holds no certificates.
    """
    url = settings.CYCLOUD_KUBERNETES_WEBHOOK_URL.rstrip("/")
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.path or parts.query or parts.username:
        raise ImproperlyConfigured(
            f"CYCLOUD_KUBERNETES_WEBHOOK_URL is {url[:200]!r}: set it to https://HOST[:PORT] as the API server "
            "reaches the portal's webhooks, without a path. The API server calls no webhook without TLS."
        )
    path = settings.CYCLOUD_KUBERNETES_WEBHOOK_CA
    return WebhookAddress(url, _bundle(Path(path)) if path else b"")


def _bundle(path: Path) -> bytes:
    try:
        bundle = path.read_bytes()
    except OSError as error:
        raise ImproperlyConfigured(
            f"CYCLOUD_KUBERNETES_WEBHOOK_CA names {path}, which cannot be read ({error.strerror}). Correct the path."
        ) from None
    if b"-----BEGIN CERTIFICATE-----" not in bundle or b"PRIVATE KEY" in bundle:
        raise ImproperlyConfigured(
            f"CYCLOUD_KUBERNETES_WEBHOOK_CA names {path}, which must hold certificates in PEM and no private key."
        )
    return bundle
