"""Handing the declaration of a resource over: from the API to its Kubernetes object, and back.

Only by these verbs: an object of the name of a resource is never taken for its declaration by accident.
"""

from django.conf import settings
from django.db import transaction

from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument, NotFound
from cycloud.core.iam.access import require_permission
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.refusals import refusals_audited
from cycloud.core.reconcile.queue import in_order
from cycloud.core.resources.managers import set_manager
from cycloud.kubernetes.kinds import Kind, TakenIn
from cycloud.kubernetes.marks import mark
from cycloud.kubernetes.places import Place, place_of
from cycloud.kubernetes.registry import all_kinds, taken_in_kinds

__all__ = ["adopt", "can_adopt", "release"]


def adopt(*, actor: Actor, kind: str, name: str) -> str:
    """Let the object of a resource declare it from now on; return the object's path.

    ``kind`` is Kubernetes' word and ``name`` the resource's full name: "Instance", ``projects/p/instances/web-1``. The
    object keeps what it says, and so does the resource. Again: nothing. Raises PermissionDenied for who is no platform
    operator, InvalidArgument for a kind that is not taken in, NotFound, and FailedPrecondition where no Kubernetes API
    is configured, where nobody takes in what is applied in the project's namespace, or where the resource is being
    deleted.
    """
    with refusals_audited(actor, f"Adopt{kind}", name):
        require_permission(actor, "kubernetes.resources.adopt")
        found = _kind(kind)
        if not settings.CYCLOUD_KUBERNETES_ENABLED:
            raise FailedPrecondition(
                f"{name[:200]} cannot be adopted: no Kubernetes API is configured. Set CYCLOUD_KUBERNETES_KUBECONFIG "
                "(docs/kubernetes.md).",
                reason="KUBERNETES_NOT_CONFIGURED",
            )
        place = _place(found, name)
        _set(actor, f"Adopt{kind}", found, name, place.path)
        return place.path


def release(*, actor: Actor, kind: str, name: str) -> None:
    """Let the API declare a resource from now on; its object shows it, and what is applied to it is put back.

    Again: nothing. Works without a Kubernetes API too: it is the way out when that is gone. Raises PermissionDenied for
    who is no platform operator, InvalidArgument for a kind that is not taken in, NotFound.
    """
    with refusals_audited(actor, f"Release{kind}", name):
        require_permission(actor, "kubernetes.resources.release")
        _set(actor, f"Release{kind}", _kind(kind), name, "")


def can_adopt(kind: str) -> bool:
    """Tell whether resources of a kind of rows, such as "Instance", can be declared in Kubernetes."""
    return settings.CYCLOUD_KUBERNETES_ENABLED and any(
        found.row_kind == kind for found in taken_in_kinds()
    )


def _kind(kind: str) -> TakenIn:
    found = next((each for each in all_kinds() if each.api.kind == kind), None)
    if isinstance(found, TakenIn):
        return found
    words = ", ".join(sorted(each.api.kind for each in taken_in_kinds()))
    cause = "there is no such kind" if found is None else "its objects are only shown"
    raise InvalidArgument.field(
        "kind", f"{kind[:63]!r}: {cause}. These can be handed over: {words}."
    )


def _place(kind: Kind, name: str) -> Place:
    """Return where the object is, if what is applied there is taken in."""
    parts = name.split("/")
    place = None
    if not kind.api.namespaced or (len(parts) == 4 and parts[0] == "projects"):
        place = place_of(kind, name)
    if place is None:
        raise NotFound(
            f"There is no {kind.api.kind} {name[:200]}. Give its full name.", resource=name[:200]
        )
    account = place.binding.service_account if place.binding is not None else None
    if place.namespace and (account is None or account.disabled):
        raise FailedPrecondition(
            f"{name} cannot be adopted: the namespace {place.namespace} is bound to no service account that is "
            "enabled, so nothing would be taken in from there. Bind it first: manage.py kubernetes bind "
            f"projects/{parts[1]} --service-account ID.",
            resource=name,
            reason="NAMESPACE_NOT_BOUND",
            metadata={"namespace": place.namespace},
        )
    return place


def _set(actor: Actor, method: str, kind: Kind, name: str, manager: str) -> None:
    with transaction.atomic(), in_order():
        changed = set_manager(
            actor=actor, method=method, kind=kind.row_kind, name=name, manager=manager
        )
        if changed:
            mark(kind.api.kind, name)
