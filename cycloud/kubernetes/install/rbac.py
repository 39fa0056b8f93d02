"""Who may do what in Kubernetes. The controller's rights are said once, here: its roles and ``check`` are made of them.

People get rights on what a project declares by the roles ``admin``, ``edit`` and ``view`` that every cluster has. What
names OpenStack clusters (catalog, bindings of volumes, provider's objects) is in none of them: for that operators are
bound to roles of ours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cycloud.kubernetes.crds.definition import Category, Definition
from cycloud.kubernetes.kinds import ApiKind, Json

__all__ = [
    "ACCOUNT",
    "CATALOG_ROLE",
    "OPERATOR_ROLE",
    "RBAC",
    "Right",
    "Rule",
    "account_name",
    "controller_rules",
    "lease_rules",
    "people_roles",
    "rights_of",
    "role_bodies",
]

ACCOUNT: Final = "cycloud"
CATALOG_ROLE: Final = "cycloud-catalog-edit"
OPERATOR_ROLE: Final = "cycloud-operator-view"
RBAC: Final = "rbac.authorization.k8s.io"
_LABELS: Final = {"app.kubernetes.io/name": "cycloud", "app.kubernetes.io/component": "rbac"}
_READ: Final = ("get", "list", "watch")
_WRITE: Final = ("create", "update", "patch", "delete")


@dataclass(frozen=True)
class Rule:
    """Verbs on resources of one API group (``""``: the core). ``instances/status`` is a subresource."""

    group: str
    resources: tuple[str, ...]
    verbs: tuple[str, ...]

    def body(self) -> Json:
        return {
            "apiGroups": [self.group],
            "resources": list(self.resources),
            "verbs": list(self.verbs),
        }


@dataclass(frozen=True)
class Right:
    """One verb on one resource; ``namespace`` is empty for all of them."""

    group: str
    resource: str
    verb: str
    namespace: str = ""

    def __str__(self) -> str:
        where = f" in the namespace {self.namespace}" if self.namespace else ""
        group = f".{self.group}" if self.group else ""
        resource, _, subresource = self.resource.partition("/")
        return f"{self.verb} {resource}{group}{'/' + subresource if subresource else ''}{where}"


def controller_rules(apis: Sequence[ApiKind]) -> list[Rule]:
    """Return what the sync does in all namespaces: ``apis`` are the kinds that it writes and watches.

    No secrets, no deletion of namespaces. ``finalizers`` is left out: no ownerReference of ours blocks its owner.
    """
    rules = [
        rule
        for group, plurals in _by_group(apis)
        for rule in (
            Rule(group, plurals, _READ + _WRITE),
            Rule(group, tuple(f"{plural}/status" for plural in plurals), ("update", "patch")),
        )
    ]
    return [
        *rules,
        Rule("", ("namespaces",), ("get", "create", "patch")),
        # an Event that is said again is read and counted up
        Rule("events.k8s.io", ("events",), ("get", "create", "update")),
    ]


def lease_rules() -> list[Rule]:
    """Return what is done in Cycloud's own namespace: one process at a time watches."""
    return [Rule("coordination.k8s.io", ("leases",), ("get", "create", "update"))]


def rights_of(rules: Sequence[Rule], namespace: str = "") -> list[Right]:
    """Return every single right of rules, as ``check`` asks for them."""
    return [
        Right(rule.group, resource, verb, namespace)
        for rule in rules
        for resource in rule.resources
        for verb in rule.verbs
    ]


def people_roles(definitions: Sequence[Definition], taken_in: Sequence[ApiKind]) -> list[Json]:
    """Return the ClusterRoles for people: two that Kubernetes adds to its own, two for operators to be bound to.

    What cannot be taken in can only be looked at.
    """
    interface = [item.api for item in definitions if item.category == Category.INTERFACE]
    named = [item.api for item in definitions if item.category != Category.INTERFACE]
    written = {api.definition for api in taken_in}
    mine = [api for api in interface if api.definition in written]
    catalog = [api for api in named if api.definition in written]
    return [
        # edit has what view has, and admin what edit has
        _role("cycloud-view", _rules(interface, _READ), {f"{RBAC}/aggregate-to-view": "true"}),
        _role("cycloud-edit", _rules(mine, _WRITE), {f"{RBAC}/aggregate-to-edit": "true"}),
        _role(OPERATOR_ROLE, _rules([*interface, *named], _READ)),
        _role(CATALOG_ROLE, _rules(catalog, _READ + _WRITE)),
    ]


def role_bodies(apis: Sequence[ApiKind], namespace: str) -> list[Json]:
    """Return the controller's roles and their bindings to its service account."""
    name = "cycloud-controller"
    return [
        _role(name, controller_rules(apis)),
        _binding("ClusterRole", name, namespace),
        _role("cycloud-lease", lease_rules(), namespace=namespace),
        _binding("Role", "cycloud-lease", namespace),
    ]


def account_name(namespace: str) -> str:
    """Return as whom the API server sees the controller's service account."""
    return f"system:serviceaccount:{namespace}:{ACCOUNT}"


def _by_group(apis: Sequence[ApiKind]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for group in sorted({api.group for api in apis}):
        yield group, tuple(sorted(api.plural for api in apis if api.group == group))


def _rules(apis: Sequence[ApiKind], verbs: tuple[str, ...]) -> list[Rule]:
    return [Rule(group, plurals, verbs) for group, plurals in _by_group(apis)]


def _role(
    name: str, rules: Sequence[Rule], labels: dict[str, str] | None = None, *, namespace: str = ""
) -> Json:
    metadata: Json = {"name": name, "labels": {**_LABELS, **(labels or {})}}
    if namespace:
        metadata["namespace"] = namespace
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "Role" if namespace else "ClusterRole",
        "metadata": metadata,
        "rules": [rule.body() for rule in rules],
    }


def _binding(kind: str, role: str, namespace: str) -> Json:
    metadata: Json = {"name": role, "labels": dict(_LABELS)}
    if kind == "Role":
        metadata["namespace"] = namespace
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata,
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": namespace}],
    }
