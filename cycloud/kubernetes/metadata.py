"""Labels and annotations: which of an object's belong to the resource too, and which of a resource's to its object.

An object carries keys of Kubernetes' own tools besides those that a person gave the resource: kubectl's record of what
was applied (which may hold a secret in the clear), the keys by which Argo CD, Flux and Helm know their objects, and
ours. They describe the object, so they stay with it. The other way it is the same rule: a resource that got such a key
through the API must not make a GitOps tool believe that the object is one of its own, and remove it.

| key under                                        | label        | annotation   |
|--------------------------------------------------|--------------|--------------|
| ``cycloud.jp/``                                  | the object's | the object's |
| ``kubectl.kubernetes.io/``                       | the object's | the object's |
| Argo CD, Flux, Helm                              | the object's | the object's |
| any other of ``kubernetes.io`` and ``k8s.io``    | both         | the object's |
| all others                                       | both         | both         |
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from cycloud.kubernetes.kinds import Json

__all__ = [
    "changed_annotations",
    "changed_labels",
    "declared_annotations",
    "declared_labels",
    "shown_annotations",
    "shown_labels",
]

Texts = Mapping[str, str]

_OBJECTS_OWN: Final = frozenset(
    {
        "cycloud.jp",
        "kubectl.kubernetes.io",
        "argocd.argoproj.io",
        "kustomize.toolkit.fluxcd.io",
        "helm.toolkit.fluxcd.io",
        "meta.helm.sh",
    }
)
_KUBERNETES: Final = ("kubernetes.io", "k8s.io")
# the API server is stricter than we are: an RFC 1123 subdomain, of which it takes upper case in annotations only
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_DOMAIN: Final = 253


def declared_labels(manifest: Json) -> dict[str, str]:
    """Return those labels of an object that the resource is to have."""
    return _belonging(_metadata(manifest, "labels"), _is_label)


def declared_annotations(manifest: Json) -> dict[str, str]:
    """Return those annotations of an object that the resource is to have."""
    return _belonging(_metadata(manifest, "annotations"), _is_annotation)


def shown_labels(labels: Texts) -> dict[str, str]:
    """Return those labels of a resource that its object is to have: what the API server would refuse is left out."""
    return {key: value for key, value in _belonging(labels, _is_label).items() if _is_valid(key)}


def shown_annotations(annotations: Texts) -> dict[str, str]:
    """Return those annotations of a resource that its object is to have."""
    belonging = _belonging(annotations, _is_annotation)
    return {key: value for key, value in belonging.items() if _is_valid(key)}


def changed_labels(current: Texts, manifest: Json) -> dict[str, str] | None:
    """Return the labels of a resource after its object was taken in; None where nothing differs.

    Keys that its object cannot show stay as they are.
    """
    return _changed(current, shown_labels(current), declared_labels(manifest))


def changed_annotations(current: Texts, manifest: Json) -> dict[str, str] | None:
    """Return the annotations of a resource after its object was taken in; None where nothing differs."""
    return _changed(current, shown_annotations(current), declared_annotations(manifest))


def _changed(current: Texts, shown: Texts, declared: Texts) -> dict[str, str] | None:
    if shown == declared:
        return None
    hidden = {key: value for key, value in current.items() if key not in shown}
    changed = {**hidden, **declared}
    # an object may also declare what it would not be shown: an upper-case domain, say
    return None if changed == current else changed


def _metadata(manifest: Json, part: str) -> Texts:
    return (manifest.get("metadata") or {}).get(part) or {}


def _belonging(texts: Texts, belongs: Callable[[str], bool]) -> dict[str, str]:
    return {key: value for key, value in texts.items() if belongs(key.rpartition("/")[0].lower())}


def _is_label(domain: str) -> bool:
    return domain not in _OBJECTS_OWN


def _is_annotation(domain: str) -> bool:
    kubernetes = any(domain == own or domain.endswith(f".{own}") for own in _KUBERNETES)
    return domain not in _OBJECTS_OWN and not kubernetes


def _is_valid(key: str) -> bool:
    domain, slash, _ = key.rpartition("/")
    return not slash or (len(domain) <= _LONGEST_DOMAIN and bool(_DOMAIN.fullmatch(domain)))
