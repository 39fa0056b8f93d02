"""Who takes in what people apply in a project's namespace, and which namespace that is."""

import re
from collections.abc import Iterator

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument, NotFound
from cycloud.core.clock import now
from cycloud.core.iam.access import audit, require_permission
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import Membership, ServiceAccount
from cycloud.core.iam.permissions import role_has
from cycloud.core.iam.refusals import refusals_audited
from cycloud.core.reconcile.models import DueRow, Lane
from cycloud.core.reconcile.queue import in_order
from cycloud.kubernetes.marks import CONTROLLER, mark
from cycloud.kubernetes.models import NamespaceBinding
from cycloud.kubernetes.namespaces import binding_for, default_namespace
from cycloud.kubernetes.places import system_namespace
from cycloud.kubernetes.registry import all_kinds

__all__ = ["bind_namespace"]

# RFC 1123, as the API server has it for namespaces
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_NOT_FOR_PROJECTS = {"default"}
# what a service account has to be able to do, for what is applied to be taken in
_NEEDED = "compute.instances.create"


def bind_namespace(
    *,
    actor: Actor,
    project_id: str,
    service_account: str | None = None,
    namespace: str | None = None,
    validate_only: bool = False,
) -> NamespaceBinding:
    """Set as whom objects of a project's namespace are taken in, and which namespace is the project's.

    ``service_account``: the id of one of the project's own; "" takes it away, and then nothing is taken in any more.
    ``namespace``: one that an operator has made for the project; "" is the one that we make. None leaves either as it
    is. Again: nothing. ``validate_only``: everything is checked, nothing is kept. What waited for this is looked at
    again. Raises PermissionDenied for who is no platform operator, NotFound, InvalidArgument, and FailedPrecondition
    for a namespace that is another project's, or that cannot be left because resources are declared in it.
    """
    name = f"projects/{project_id}"
    with refusals_audited(actor, "BindNamespace", name):
        require_permission(actor, "kubernetes.namespaces.bind")
        if binding_for(project_id) is None:
            raise NotFound(
                f"There is no {name[:80]}. List the projects to see what is there.",
                resource=name[:80],
                reason="PROJECT_NOT_FOUND",
            )
        with transaction.atomic(), in_order():
            rows = NamespaceBinding.objects.select_for_update(of=("self",))
            binding = rows.select_related("project").get(project__resource_id=project_id)
            before = _state(binding)
            if namespace is not None:
                _move(binding, namespace or default_namespace(project_id))
            if service_account is not None:
                binding.service_account = _account(binding, service_account)
            if _state(binding) == before or validate_only:
                return binding
            _save(binding)
            audit(
                actor,
                "BindNamespace",
                name,
                namespace=binding.namespace,
                service_account=str(binding.service_account or ""),
            )
            _wake(binding, left=before[0] if binding.namespace != before[0] else "")
    return binding


def _state(binding: NamespaceBinding) -> tuple[str, int | None]:
    return binding.namespace, binding.service_account_id


def _account(binding: NamespaceBinding, account_id: str) -> ServiceAccount | None:
    if not account_id:
        return None
    account = ServiceAccount.objects.filter(
        project=binding.project, resource_id=account_id.rpartition("/")[2]
    ).first()
    if account is None or account_id not in (account.resource_id, str(account)):
        raise InvalidArgument.field(
            "service_account",
            f"{binding.project.name} has no service account {account_id[:200]!r}. Make one first: it needs the role "
            "editor to make resources.",
            "REFERENCE_NOT_FOUND",
        )
    if account.disabled:
        raise InvalidArgument.field(
            "service_account", f"{account} is disabled. Enable it, or name another one."
        )
    member = Membership.objects.filter(project=binding.project, service_account=account).first()
    if member is None or not role_has(Role(member.role), _NEEDED):
        raise InvalidArgument.field(
            "service_account",
            f"{account} has {'the role ' + member.role if member else 'no role'} in {binding.project.name}, so all "
            "that is applied would be refused. Give it the role editor.",
        )
    return account


def _move(binding: NamespaceBinding, namespace: str) -> None:
    if namespace == binding.namespace:
        return
    if not _LABEL.fullmatch(namespace):
        raise InvalidArgument.field(
            "namespace",
            f"{namespace[:80]!r} is no name of a namespace: up to 63 lower case letters, digits and hyphens.",
        )
    if namespace in _NOT_FOR_PROJECTS or namespace.startswith("kube-"):
        raise InvalidArgument.field(
            "namespace", f"{namespace} is Kubernetes' own. Give the project one of its own."
        )
    prefix = settings.CYCLOUD_KUBERNETES_NAMESPACE_PREFIX
    is_own = namespace == default_namespace(binding.project.resource_id)
    is_made = bool(prefix) and namespace.startswith(prefix)
    if namespace == system_namespace() or (is_made and not is_own):
        raise InvalidArgument.field(
            "namespace",
            f"{namespace} cannot be given: namespaces that begin with {prefix} are those that Cycloud makes, and "
            f"{system_namespace()} is its own. Choose another name.",
        )
    other = NamespaceBinding.objects.filter(namespace=namespace).select_related("project").first()
    if other is not None:
        raise _in_use(f"{namespace} is the namespace of {other.project.name} already.", namespace)
    declared = next(_declared_in(binding), None)
    if declared is not None:
        raise _in_use(
            f"{declared} is declared in {binding.namespace}, so {binding.project.name} cannot leave that namespace. "
            "Release what is declared there to the API first.",
            binding.namespace,
        )
    binding.namespace = namespace
    binding.is_ours = namespace == default_namespace(binding.project.resource_id)


def _declared_in(binding: NamespaceBinding) -> Iterator[str]:
    """Yield the names of resources that objects in the namespace declare."""
    for kind in all_kinds():
        if not kind.api.namespaced:
            continue
        names = [name for name in kind.names() if _is_of(binding, name)]
        for name, manifest in kind.manifests(names).items():
            if manifest.managed_by:
                yield name


def _is_of(binding: NamespaceBinding, name: str) -> bool:
    return name.startswith(f"{binding.project.name}/")


def _in_use(message: str, namespace: str) -> FailedPrecondition:
    return FailedPrecondition(message, reason="NAMESPACE_IN_USE", metadata={"namespace": namespace})


def _save(binding: NamespaceBinding) -> None:
    try:
        with transaction.atomic():
            binding.save()
    except IntegrityError:
        raise _in_use(
            f"{binding.namespace} was given to another project meanwhile.", binding.namespace
        ) from None


def _wake(binding: NamespaceBinding, *, left: str) -> None:
    """Look again at what was refused there; after a move write everything anew, and remove it from the one ``left``."""
    waiting = Q(project=binding.project.resource_id) | Q(
        key__contains=f":namespaces/{binding.namespace}/"
    )
    refused = Q(last_outcome__in=("Transient", "Terminal"))
    DueRow.objects.filter(waiting, refused, controller=CONTROLLER).update(
        due=now(), lane=Lane.EVENT
    )
    if not left:
        return
    for kind in all_kinds():
        for name in kind.names() if kind.api.namespaced else ():
            if _is_of(binding, name):
                mark(kind.api.kind, name, lane=Lane.RESYNC)
                before = f"namespaces/{left}/{kind.collection}/{name.rpartition('/')[2]}"
                mark(kind.api.kind, before, lane=Lane.RESYNC)
