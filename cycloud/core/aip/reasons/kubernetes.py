"""Reasons of resources that are declared in Kubernetes."""

from cycloud.core.aip.errors import Code
from cycloud.core.aip.reasons.reason import ErrorReason

__all__ = ["REASONS"]

REASONS = (
    ErrorReason(
        "MANAGED_BY_KUBERNETES",
        (Code.FAILED_PRECONDITION,),
        "The resource is declared in a Kubernetes object, so only a change of that object changes it; the metadata "
        "names it as `manager`.",
        "Change the object with kubectl or in its repository, or ask your platform team to release it to the API.",
        "{resource} は Kubernetes で管理されています。オブジェクト {manager} を変更してください。",
    ),
    ErrorReason(
        "NAMESPACE_NOT_BOUND",
        (Code.FAILED_PRECONDITION, Code.PERMISSION_DENIED),
        "The Kubernetes namespace of the project is bound to no service account, or to a disabled one, so that nothing "
        "is taken in from there.",
        "Have a platform operator bind it: `manage.py kubernetes bind`, or the page of the binding in the admin.",
        "Kubernetes の名前空間にサービスアカウントが割り当てられていません。",
    ),
    ErrorReason(
        "NAMESPACE_IN_USE",
        (Code.FAILED_PRECONDITION,),
        "Operators only: a namespace belongs to another project, or to resources that are declared in it.",
        "Choose another namespace, or release those resources to the API first.",
        "名前空間 {namespace} は使用中のため割り当てを変更できません。",
    ),
    ErrorReason(
        "KUBERNETES_NOT_CONFIGURED",
        (Code.FAILED_PRECONDITION,),
        "Operators only: Cycloud has no Kubernetes API, so nothing can be declared there.",
        "Set CYCLOUD_KUBERNETES_KUBECONFIG or CYCLOUD_KUBERNETES_IN_CLUSTER and start the portal again.",
        "Kubernetes API が設定されていません。",
    ),
)
