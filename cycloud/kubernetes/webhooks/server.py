"""The listener of the webhooks: TLS, a small pool of threads, and how it begins and ends."""

import asyncio
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from uvicorn.protocols.http.h11_impl import H11Protocol

from cycloud.core.threaded_server import ThreadedServer
from cycloud.kubernetes.intake import dry_run
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.webhooks.admission import Judge, verdict_on
from cycloud.kubernetes.webhooks.application import CERTIFICATE, Application, Route
from cycloud.kubernetes.webhooks.configuration import ADMISSION_PATH, CONVERSION_PATH
from cycloud.kubernetes.webhooks.conversion import ConversionRefused, convert
from cycloud.kubernetes.webhooks.reviews import (
    admission_answer,
    admission_request,
    conversion_answer,
    conversion_request,
)
from cycloud.kubernetes.webhooks.tls import FollowingContext, TlsFiles

__all__ = [
    "CannotListen",
    "WebhookOptions",
    "WebhookServer",
    "is_configured",
    "options_of_settings",
]

# how long reviews under way may take to end
DRAIN_SECONDS: Final = 3
# an object and the one before it, each as large as the API server takes any request (3 MiB)
MOST_ADMISSION_BYTES: Final = 8 * 1024 * 1024
# a page of a list, of some ten thousand objects
MOST_CONVERSION_BYTES: Final = 64 * 1024 * 1024
CONVERSION_THREADS: Final = 2


class CannotListen(ImproperlyConfigured):
    """The address cannot be listened at; the text says which one."""


@dataclass(frozen=True)
class WebhookOptions:
    """``port`` 0 takes any free one. ``threads``: how many admissions are checked at once."""

    tls: TlsFiles
    host: str = "127.0.0.1"
    port: int = 0
    threads: int = 4


def is_configured() -> bool:
    """Tell whether there is a certificate to serve the webhooks with."""
    return bool(settings.CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE)


def options_of_settings() -> WebhookOptions:
    """Return what CYCLOUD_KUBERNETES_WEBHOOK_* say. Raises ImproperlyConfigured."""
    certificate = settings.CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE
    key = settings.CYCLOUD_KUBERNETES_WEBHOOK_KEY
    client_ca = settings.CYCLOUD_KUBERNETES_WEBHOOK_CLIENT_CA
    if not certificate or not key:
        raise ImproperlyConfigured(
            "The webhooks are served over TLS only: set CYCLOUD_KUBERNETES_WEBHOOK_CERTIFICATE and "
            "CYCLOUD_KUBERNETES_WEBHOOK_KEY to files in PEM."
        )
    return WebhookOptions(
        tls=TlsFiles(Path(certificate), Path(key), Path(client_ca) if client_ca else None),
        host=settings.CYCLOUD_KUBERNETES_WEBHOOK_HOST,
        port=settings.CYCLOUD_KUBERNETES_WEBHOOK_PORT,
    )


class WebhookServer(ThreadedServer):
    """Serves the webhooks in a thread of its own. ``judge`` is for tests."""

    def __init__(self, options: WebhookOptions, *, judge: Judge = dry_run) -> None:
        """Raises UnusableFiles and CannotListen."""
        context = FollowingContext(options.tls)
        self._application = _application(options, judge)
        super().__init__(
            self._application,
            _listen(options.host, options.port),
            name="webhooks' server",
            http=_Protocol,
            ws="none",
            lifespan="off",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
            ssl_context_factory=lambda *_: context,
        )

    def stop(self) -> None:
        """Answer what is under way, and end. Harmless to repeat."""
        super().stop()
        self._application.close()


class _Protocol(H11Protocol):
    """Tells the application whether the client showed a certificate; what it shows otherwise ends the handshake."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        verified = bool(transport.get_extra_info("peercert"))
        self.app_state = {**self.app_state, CERTIFICATE: verified}


def _application(options: WebhookOptions, judge: Judge) -> Application:
    def admission(review: object) -> Json:
        request = admission_request(review)
        return admission_answer(request, verdict_on(request, judge))

    return Application(
        {
            ADMISSION_PATH: Route(
                admission,
                most_bytes=MOST_ADMISSION_BYTES,
                threads=options.threads,
                needs_certificate=options.tls.client_ca is not None,
            ),
            # the API server shows no certificate here, and nothing is told that was not sent
            CONVERSION_PATH: Route(
                _conversion, most_bytes=MOST_CONVERSION_BYTES, threads=CONVERSION_THREADS
            ),
        }
    )


def _conversion(review: object) -> Json:
    request = conversion_request(review)
    try:
        converted = convert(request.objects, request.desired_api_version)
    except ConversionRefused as refused:
        return conversion_answer(request, (), failure=str(refused))
    return conversion_answer(request, converted)


def _listen(host: str, port: int) -> socket.socket:
    family: Any = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise CannotListen(
            f"The webhooks cannot listen at {host}:{port} ({error}): another program has the port, or the address is "
            "not this machine's. Set CYCLOUD_KUBERNETES_WEBHOOK_HOST and CYCLOUD_KUBERNETES_WEBHOOK_PORT."
        ) from error
