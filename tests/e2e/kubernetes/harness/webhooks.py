"""The webhooks' listener beside an API server that asks it, and kinds in several versions."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import pytest

from cycloud.kubernetes.crds import definitions
from cycloud.kubernetes.webhooks import server as server_module
from cycloud.kubernetes.webhooks.configuration import conversion_client_config
from cycloud.kubernetes.webhooks.conversion import CONVERSIONS, convert
from cycloud.kubernetes.webhooks.server import WebhookOptions, WebhookServer
from cycloud.kubernetes.webhooks.tls import TlsFiles
from cycloud.kubernetes.webhooks.volume_versions import VOLUME_GROUP
from tests.e2e.kubernetes.harness.api import Api
from tests.e2e.kubernetes.harness.server import ApiServer

__all__ = ["OWN_GROUP", "WEBHOOKS", "serve", "two_versions_of_volumes", "until"]

Json = dict[str, Any]
WEBHOOKS: Final = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
OWN_GROUP: Final = "webhooks.cycloud.example"
_DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_LATEST_SECONDS: Final = 20.0
_POLL_SECONDS: Final = 0.1


def serve(server: ApiServer, port: int = 0) -> WebhookServer:
    pki = server.root / "pki"
    tls = TlsFiles(pki / "webhook.crt", pki / "webhook.key")
    webhook = WebhookServer(WebhookOptions(tls, port=port))
    webhook.start()
    return webhook


def until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + _LATEST_SECONDS
    while not holds():
        assert time.monotonic() < end, f"{what}: not within {_LATEST_SECONDS:.0f} s"
        time.sleep(_POLL_SECONDS)


@contextmanager
def two_versions_of_volumes(
    server: ApiServer, webhook: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The real definition of volumes with its converter, in a group of our own: others share the real one."""
    versions = CONVERSIONS[(VOLUME_GROUP, "Volume")]
    own = partial(convert, conversions={(OWN_GROUP, "Volume"): versions})
    monkeypatch.setattr(server_module, "convert", own)
    client = conversion_client_config(f"https://127.0.0.1:{webhook.port}", server.ca.read_bytes())
    body = next(
        item
        for item in definitions(client)
        if item["metadata"]["name"] == f"volumes.{VOLUME_GROUP}"
    )
    body = json.loads(json.dumps(body).replace(VOLUME_GROUP, OWN_GROUP))
    body["spec"]["names"] = {"kind": "Volume", "plural": "volumes", "singular": "volume"}
    api = Api(server)
    api.call("POST", _DEFINITIONS, body)
    path = f"/apis/{OWN_GROUP}/v1alpha1/volumes"
    until(lambda: api.send("GET", path).status_code == 200, "the kind is served")
    try:
        yield
    finally:
        api.call("DELETE", f"{_DEFINITIONS}/volumes.{OWN_GROUP}")
        api.close()
