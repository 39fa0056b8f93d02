"""Looks over the network that are no calls of the sync: at the API server's clock, and the webhook's certificate."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from kubernetes.client.configuration import Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.client.rest import RESTClientObject
from urllib3.exceptions import HTTPError

from cycloud.core.clock import now
from cycloud.kubernetes.install.checks import ServerTime
from cycloud.kubernetes.install.findings import Finding, good, note, wrong
from cycloud.kubernetes.install.webhook import WebhookAddress

__all__ = ["check_webhook", "server_time"]

_SECONDS: Final = 5.0
_SOON: Final = timedelta(days=14)


def server_time(configuration: Configuration) -> ServerTime | None:
    """Return what the API server says that the time is; None where it doesn't say."""
    rest = RESTClientObject(configuration)
    before = now()
    try:
        # without our credentials: everybody is told the version, and a refusal is dated too
        response = rest.request(  # type: ignore[no-untyped-call]
            "GET", f"{configuration.host}/version", _request_timeout=(_SECONDS, _SECONDS)
        )
        headers = response.headers
    except ApiException as error:
        headers = error.headers or {}
    except (HTTPError, OSError):
        return None
    finally:
        rest.pool_manager.clear()
    told = headers.get("Date")
    if not told:
        return None
    try:
        return ServerTime(parsedate_to_datetime(told), before, now())
    except ValueError:
        return None


def check_webhook(address: WebhookAddress) -> Iterator[Finding]:
    """Connect to the webhook as the API server does: TLS with the authorities that ``install`` hands over."""
    where = f"{address.host}:{address.port}"
    if address.service is not None:
        text = f"{where} is a Service: only the cluster reaches it, so it was not tried."
        yield note("webhook", text)
        return
    next_step = (
        "Start it (manage.py kubernetes webhook), or correct CYCLOUD_KUBERNETES_WEBHOOK_URL."
    )
    try:
        context = _context(address)
        with (
            socket.create_connection((address.host, address.port), _SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=address.host) as secured,
        ):
            certificate = secured.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        yield wrong(
            "webhook",
            f"{where} shows a certificate that CYCLOUD_KUBERNETES_WEBHOOK_CA does not vouch for "
            f"({error.verify_message}). Give it one for this host by that authority, and install again.",
        )
        return
    except ssl.SSLError as error:
        yield wrong("webhook", f"{where} does not speak TLS ({error.reason}). {next_step}")
        return
    except OSError as error:
        reason = error.strerror or str(error)
        yield wrong("webhook", f"{where} does not answer ({reason}). {next_step}")
        return
    yield _judge(where, str(certificate["notAfter"]))


def _context(address: WebhookAddress) -> ssl.SSLContext:
    if not address.bundle:
        return ssl.create_default_context()
    return ssl.create_default_context(cadata=address.bundle.decode("ascii", "ignore"))


def _judge(where: str, not_after: str) -> Finding:
    end = datetime.fromtimestamp(ssl.cert_time_to_seconds(not_after), UTC)
    left = end - now()
    text = f"{where} answers over TLS; its certificate is good until {end:%Y-%m-%d}"
    if left < _SOON:
        return note("webhook", f"{text}: {left.days} days. Renew it.")
    return good("webhook", f"{text}.")
