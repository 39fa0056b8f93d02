"""Which namespace is which project's. A binding is made at the first need of it and stays."""

import hashlib
from contextlib import suppress

from django.conf import settings
from django.db import IntegrityError, transaction

from cycloud.core.iam.models import Project
from cycloud.kubernetes.models import NamespaceBinding

__all__ = ["binding_for", "default_namespace", "names_in_namespace", "project_of"]

_LONGEST = 63


def default_namespace(project_id: str) -> str:
    """Return the name of the namespace that we make for a project: the prefix and its id, at most 63 characters."""
    name = f"{settings.CYCLOUD_KUBERNETES_NAMESPACE_PREFIX}{project_id}"
    if len(name) <= _LONGEST and name != settings.CYCLOUD_KUBERNETES_NAMESPACE:
        return name
    return _with_digest(name, project_id)


def _with_digest(name: str, project_id: str) -> str:
    digest = hashlib.sha256(project_id.encode()).hexdigest()[:8]
    return f"{name[: _LONGEST - 9].rstrip('-')}-{digest}"


def binding_for(project_id: str) -> NamespaceBinding | None:
    """Return the binding of a project, made now if it has none; None where there is no such project."""
    bindings = NamespaceBinding.objects.select_related("project", "service_account__project")
    found = bindings.filter(project__resource_id=project_id).first()
    if found is not None:
        return found
    project = Project.objects.filter(resource_id=project_id).first()
    if project is None:
        return None
    usual = default_namespace(project_id)
    # the second where an operator gave the first to another project
    for namespace in (usual, _with_digest(usual, project_id)):
        with suppress(IntegrityError), transaction.atomic():
            NamespaceBinding.objects.create(project=project, namespace=namespace)
            break
    # made here, or meanwhile by somebody else
    return bindings.filter(project=project).first()


def project_of(namespace: str) -> str | None:
    """Return the id of the project that a namespace is bound to."""
    return (
        NamespaceBinding.objects.filter(namespace=namespace)
        .values_list("project__resource_id", flat=True)
        .first()
    )


def names_in_namespace(namespace: str, collection: str, names: list[str]) -> list[str]:
    """Return the resources' full names of objects in a namespace; ``namespaces/...`` where it is bound to nobody."""
    project = project_of(namespace)
    prefix = f"projects/{project}" if project is not None else f"namespaces/{namespace}"
    return [f"{prefix}/{collection}/{name}" for name in names]
