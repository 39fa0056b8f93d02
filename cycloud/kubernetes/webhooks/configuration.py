"""What is installed in the cluster so that the API server calls our webhooks.

Why the admission webhook may fail (``failurePolicy: Ignore``): it gives early what comes anyway. The same rules run
when an object is taken in, and a refusal is written into the object (``Accepted``). Failing closed would add no
safety, and with the portal down nobody could apply, GitOps could not go on, and a namespace with our objects in it
could not be deleted. Why 5 seconds: a check takes some milliseconds, and this is how long each ``kubectl apply``
hangs while the portal is down in a way that refuses no connection.

The conversion webhook has no such choice (Kubernetes gives none): v1alpha1 cannot be read while the portal is down. The
stored version v1 can.
"""

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cycloud.kubernetes.kinds import ApiKind, Json
from cycloud.kubernetes.registry import taken_in_kinds

__all__ = [
    "ADMISSION_PATH",
    "CONVERSION_PATH",
    "ServiceReference",
    "configuration",
    "conversion_client_config",
]

ADMISSION_PATH = "/admission"
CONVERSION_PATH = "/convert"
TIMEOUT_SECONDS = 5
_NAME = "cycloud"
# shown in every refusal: admission webhook "admission.cycloud.jp" denied the request: ...
_WEBHOOK = "admission.cycloud.jp"


@dataclass(frozen=True)
class ServiceReference:
    """A Service in the cluster that leads to the portal's webhook listener."""

    namespace: str
    name: str
    port: int = 443


def configuration(
    endpoint: str | ServiceReference,
    ca_bundle: bytes,
    controller_username: str,
    *,
    name: str = _NAME,
    namespace_selector: Json | None = None,
    apis: Sequence[ApiKind] | None = None,
) -> Json:
    """Return the ValidatingWebhookConfiguration.

    ``endpoint``: ``https://host:port`` as the API server reaches it, or a Service. ``ca_bundle``: certificates in PEM
    that the listener's is verified with; empty: those that the API server trusts. ``controller_username``: as whom
    our controllers write; their writes are not asked about. ``namespace_selector``: None for all namespaces.
    ``apis``: the kinds, those that are taken in where it is None.
    """
    if apis is None:
        apis = [kind.api for kind in taken_in_kinds()]
    webhook: Json = {
        "name": _WEBHOOK,
        "clientConfig": _client_config(endpoint, ADMISSION_PATH, ca_bundle),
        "rules": list(_rules(apis)),
        # a write in an earlier version is one of the same object
        "matchPolicy": "Equivalent",
        "failurePolicy": "Ignore",
        "timeoutSeconds": TIMEOUT_SECONDS,
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "matchConditions": [
            {
                "name": "not-written-by-cycloud",
                # a text in JSON is one in CEL too
                "expression": f"request.userInfo.username != {json.dumps(controller_username)}",
            }
        ],
    }
    if namespace_selector is not None:
        webhook["namespaceSelector"] = namespace_selector
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name, "labels": {"app.kubernetes.io/name": "cycloud"}},
        "webhooks": [webhook],
    }


def conversion_client_config(endpoint: str | ServiceReference, ca_bundle: bytes) -> Json:
    """Return ``spec.conversion.webhook.clientConfig`` of a CustomResourceDefinition."""
    return _client_config(endpoint, CONVERSION_PATH, ca_bundle)


def _client_config(endpoint: str | ServiceReference, path: str, ca_bundle: bytes) -> Json:
    config: Json
    if isinstance(endpoint, ServiceReference):
        service: Json = {"namespace": endpoint.namespace, "name": endpoint.name}
        config = {"service": {**service, "port": endpoint.port, "path": path}}
    else:
        config = {"url": f"{endpoint.rstrip('/')}{path}"}
    if ca_bundle:
        config["caBundle"] = base64.b64encode(ca_bundle).decode()
    return config


def _rules(apis: Sequence[ApiKind]) -> Iterable[Json]:
    """Yield one rule for each group and scope: subresources, such as the status, are not in it."""
    plurals: dict[tuple[str, str, bool], list[str]] = {}
    for api in apis:
        plurals.setdefault((api.group, api.version, api.namespaced), []).append(api.plural)
    for (group, version, namespaced), names in sorted(plurals.items()):
        yield {
            "apiGroups": [group],
            "apiVersions": [version],
            "operations": ["CREATE", "UPDATE", "DELETE"],
            "resources": sorted(names),
            "scope": "Namespaced" if namespaced else "Cluster",
        }
