"""Everything that ``install`` puts into a Kubernetes API, in the order in which it has to come."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cycloud.kubernetes import crds
from cycloud.kubernetes.install import rbac
from cycloud.kubernetes.install.webhook import WebhookAddress
from cycloud.kubernetes.kinds import ApiKind, Json
from cycloud.kubernetes.registry import all_kinds, taken_in_kinds
from cycloud.kubernetes.webhooks.configuration import configuration, conversion_client_config

__all__ = [
    "API_KINDS",
    "CONFIGURATION",
    "Installed",
    "api_of",
    "controller_apis",
    "taken_in_apis",
    "to_install",
]

# the ValidatingWebhookConfiguration
CONFIGURATION: Final = "cycloud"
_CLUSTER_ROLE = ApiKind(rbac.RBAC, "ClusterRole", "clusterroles", namespaced=False)
_CLUSTER_BINDING = ApiKind(rbac.RBAC, "ClusterRoleBinding", "clusterrolebindings", namespaced=False)
API_KINDS = {
    api.kind: api
    for api in (
        ApiKind(
            "apiextensions.k8s.io",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            namespaced=False,
        ),
        ApiKind("", "Namespace", "namespaces", namespaced=False),
        ApiKind("", "ServiceAccount", "serviceaccounts"),
        _CLUSTER_ROLE,
        _CLUSTER_BINDING,
        ApiKind(rbac.RBAC, "Role", "roles"),
        ApiKind(rbac.RBAC, "RoleBinding", "rolebindings"),
        ApiKind(
            "admissionregistration.k8s.io",
            "ValidatingWebhookConfiguration",
            "validatingwebhookconfigurations",
            namespaced=False,
        ),
    )
}


@dataclass(frozen=True)
class Installed:
    """What is to be there: the definitions first, and the webhook last, when all that it is about is there."""

    definitions: Sequence[Json]
    others: Sequence[Json]

    @property
    def all(self) -> list[Json]:
        return [*self.definitions, *self.others]


def api_of(body: Json) -> ApiKind:
    """Return where the API has objects such as this one."""
    return API_KINDS[body["kind"]]


def controller_apis() -> list[ApiKind]:
    """Return the kinds that the sync writes and watches."""
    return [kind.api for kind in all_kinds()]


def taken_in_apis() -> list[ApiKind]:
    """Return the kinds that people may write."""
    return [kind.api for kind in taken_in_kinds()]


def to_install(namespace: str, address: WebhookAddress | None) -> Installed:
    """Return all objects; ``namespace`` is Cycloud's own. Without an address there is no webhook."""
    labels = {"app.kubernetes.io/name": "cycloud"}
    others: list[Json] = [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": namespace, "labels": labels},
        },
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": rbac.ACCOUNT, "namespace": namespace, "labels": labels},
        },
        *rbac.role_bodies(controller_apis(), namespace),
        *rbac.people_roles(crds.all_definitions(), taken_in_apis()),
    ]
    if address is not None:
        others.append(
            configuration(
                address.endpoint, address.bundle, rbac.account_name(namespace), name=CONFIGURATION
            )
        )
    return Installed(crds.definitions(_convert(address)), others)


def _convert(address: WebhookAddress | None) -> Json | None:
    return None if address is None else conversion_client_config(address.endpoint, address.bundle)
