"""Calling the webhooks' listener as the API server does."""

import socket
import ssl
from pathlib import Path
from typing import Any

import httpx

from cycloud.kubernetes.webhooks.server import WebhookServer
from cycloud.kubernetes.webhooks.volume_versions import VOLUME_GROUP
from tests.support.authority import Authority

__all__ = ["answer", "client", "connection", "conversion"]

Json = dict[str, Any]


def client(
    port: int, authority: Authority, certificate: tuple[Path, Path] | None = None
) -> httpx.Client:
    context = ssl.create_default_context(cafile=str(authority.file))
    if certificate is not None:
        context.load_cert_chain(*certificate)
    return httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=context, trust_env=False)


def answer(response: httpx.Response) -> Json:
    assert response.status_code == 200, response.text
    found: Json = response.json()["response"]
    return found


def conversion(items: list[Json], version: str) -> Json:
    request = {"uid": "u", "desiredAPIVersion": f"{VOLUME_GROUP}/{version}", "objects": items}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": request,
    }


def connection(server: WebhookServer, authority: Authority) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(authority.file))
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    return context.wrap_socket(raw, server_hostname="127.0.0.1")
