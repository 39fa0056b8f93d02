"""Binding a namespace that is in a cluster already, or is made for it: the label there, the binding here.

The label ``cycloud.jp/project`` is what lets the controller write into a namespace. It is set here, where an operator
names the namespace, and nowhere else on what Cycloud did not make.
"""

from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.bindings import bind_namespace
from cycloud.kubernetes.client import MERGE_PATCH, KubernetesClient
from cycloud.kubernetes.faults import FaultKind, KubernetesFault
from cycloud.kubernetes.kinds import Json
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.namespace_objects import PROJECT_LABEL, namespace_manifest
from cycloud.kubernetes.namespaces import binding_for

__all__ = ["bind", "unbind"]


def bind(
    client: KubernetesClient,
    *,
    actor: Actor,
    project_id: str,
    namespace: str | None = None,
    service_account: str | None = None,
) -> NamespaceBinding:
    """Bind a project's namespace (see ``bind_namespace``), and see to it that it is there, with the project's label.

    A namespace that is labelled as another project's is refused, and so is one of the name that Cycloud would make
    for the project if somebody else made it and it is not named here. Raises CycloudError and KubernetesFault; then
    nothing is bound, and the same call again goes on. The namespace that the project leaves loses the label.
    """
    left = binding_for(project_id)
    wanted = bind_namespace(
        actor=actor,
        project_id=project_id,
        namespace=namespace,
        service_account=service_account,
        validate_only=True,
    )
    _claim(client, project_id, wanted.namespace, is_named=bool(namespace))
    bound = bind_namespace(
        actor=actor, project_id=project_id, namespace=namespace, service_account=service_account
    )
    if left is not None and left.namespace != bound.namespace and not left.is_ours:
        _give_back(client, project_id, left.namespace)
    return bound


def unbind(client: KubernetesClient, *, actor: Actor, project_id: str) -> NamespaceBinding:
    """Take nothing in any more, and give a namespace of the operator's back: the project has again the one we make.

    Raises FailedPrecondition where resources are declared in a namespace that would be left.
    """
    return bind(client, actor=actor, project_id=project_id, namespace="", service_account="")


def _claim(client: KubernetesClient, project_id: str, namespace: str, *, is_named: bool) -> None:
    found = _namespace(client, namespace)
    if found is None:
        client.create("/api/v1/namespaces", namespace_manifest(namespace, project_id))
        return
    if found["metadata"].get("deletionTimestamp"):
        raise _in_use(namespace, "is being deleted. Wait for its end, or choose another one.")
    holder = (found["metadata"].get("labels") or {}).get(PROJECT_LABEL)
    if holder == project_id:
        return
    if holder is not None:
        raise _in_use(
            namespace,
            f"is labelled {PROJECT_LABEL}={holder[:63]}: it is another project's, maybe of another Cycloud. If nobody "
            "uses it any more, remove that label first.",
        )
    if not is_named:
        raise _in_use(
            namespace,
            f"is there already, and Cycloud did not make it. If projects/{project_id} is to have it, name it with "
            "--namespace.",
        )
    _label(client, namespace, project_id)


def _give_back(client: KubernetesClient, project_id: str, namespace: str) -> None:
    found = _namespace(client, namespace)
    if found is None:
        return
    if (found["metadata"].get("labels") or {}).get(PROJECT_LABEL) == project_id:
        _label(client, namespace, None)


def _label(client: KubernetesClient, namespace: str, project_id: str | None) -> None:
    body: Json = {"metadata": {"labels": {PROJECT_LABEL: project_id}}}
    client.raw("PATCH", f"/api/v1/namespaces/{namespace}", body, content_type=MERGE_PATCH)


def _namespace(client: KubernetesClient, namespace: str) -> Json | None:
    try:
        return client.raw("GET", f"/api/v1/namespaces/{namespace}")
    except KubernetesFault as fault:
        if fault.kind is FaultKind.NOT_FOUND:
            return None
        raise


def _in_use(namespace: str, message: str) -> FailedPrecondition:
    return FailedPrecondition(
        f"The namespace {namespace} {message}",
        reason="NAMESPACE_IN_USE",
        metadata={"namespace": namespace},
    )
