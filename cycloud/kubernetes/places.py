"""Where the object of a resource is."""

from dataclasses import dataclass

from django.conf import settings

from cycloud.kubernetes.kinds import ApiKind, Kind
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.namespaces import binding_for

__all__ = ["Place", "object_path", "place_of", "system_namespace"]

_UNBOUND = "namespaces"


@dataclass(frozen=True)
class Place:
    """``namespace`` is empty for what is outside namespaces; ``binding`` None where that is bound to nobody."""

    api: ApiKind
    namespace: str
    name: str
    binding: NamespaceBinding | None = None

    @property
    def path(self) -> str:
        """What ``managed_by`` of a row is that was taken from here: ``namespaces/n/instances/web-1``."""
        return object_path(self.api, self.namespace, self.name)

    @property
    def event_namespace(self) -> str:
        """Events on objects outside namespaces are in ``default`` (Kubernetes convention)."""
        return self.namespace or "default"


def object_path(api: ApiKind, namespace: str, name: str) -> str:
    """Return the path of an object, as people find it again: ``namespaces/n/instances/web-1``."""
    within = f"namespaces/{namespace}/" if namespace else ""
    return f"{within}{api.plural}/{name}"


def place_of(kind: Kind, name: str) -> Place | None:
    """Return where the object of a resource is; None where its project is gone, and so nothing of it is left."""
    parts = name.split("/")
    if not kind.api.namespaced:
        return Place(kind.api, "", parts[-1])
    if parts[0] == _UNBOUND:
        return Place(kind.api, parts[1], parts[-1])
    binding = binding_for(parts[1])
    return None if binding is None else Place(kind.api, binding.namespace, parts[-1], binding)


def system_namespace() -> str:
    """Return our own namespace."""
    return str(settings.CYCLOUD_KUBERNETES_NAMESPACE)
