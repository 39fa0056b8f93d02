"""The namespaces of projects, as they are in Kubernetes."""

from cycloud.kubernetes.client import KubernetesClient
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.places import Place

__all__ = ["MANAGED_LABEL", "PROJECT_LABEL", "ensure_namespace", "namespace_manifest"]

PROJECT_LABEL = "cycloud.jp/project"
MANAGED_LABEL = "app.kubernetes.io/managed-by"


def namespace_manifest(namespace: str, project_id: str) -> Json:
    """Return the namespace of a project as we make it."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": namespace,
            "labels": {PROJECT_LABEL: project_id, MANAGED_LABEL: "cycloud"},
        },
    }


def ensure_namespace(client: KubernetesClient, place: Place) -> bool:
    """See to it that a project's namespace is there; tell whether it is.

    One that an operator gave is made by nobody here. Raises KubernetesFault (INVALID) for one that is somebody else's:
    nothing is written to it.
    """
    if place.binding is None:
        return False
    project_id = place.binding.project.resource_id
    path = f"/api/v1/namespaces/{place.namespace}"
    try:
        found = client.raw("GET", path)
    except KubernetesFault as fault:
        if fault.kind is not FaultKind.NOT_FOUND:
            raise
        if not place.binding.is_ours:
            return False
        client.create("/api/v1/namespaces", namespace_manifest(place.namespace, project_id))
        return True
    if (found["metadata"].get("labels") or {}).get(PROJECT_LABEL) != project_id:
        raise KubernetesFault(
            FaultKind.INVALID,
            f"the namespace {place.namespace} is not labelled {PROJECT_LABEL}={project_id}: it is somebody else's. "
            f"Give the project another one (manage.py kubernetes bind {project_id} --namespace NAME).",
        )
    return True
