"""The frame of every write to the catalog: operators only, one transaction, audit row, wake-up."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.db import IntegrityError, models, transaction

from catalog.domain.fields import check_catalog_id
from catalog.models.resource import CatalogResource
from cycloud.core.aip.errors import Aborted, AlreadyExists, FailedPrecondition, NotFound
from cycloud.core.aip.writes import WriteOptions, check_etag
from cycloud.core.iam.access import audit, require_permission
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.refusals import refusals_audited
from cycloud.core.mirrors import Changed, mirror
from cycloud.core.reconcile.queue import enqueue, in_order
from cycloud.core.resources.managers import check_manager

__all__ = [
    "affected_hint",
    "check_new_id",
    "delete_resource",
    "lock_resource",
    "run_change",
    "save_changed",
]

R = TypeVar("R", bound=CatalogResource)


class _DryRun(Exception):
    """Carries the result of a validate_only call out of the transaction that is rolled back."""

    def __init__(self, resource: CatalogResource) -> None:
        super().__init__()
        self.resource = resource


def run_change(
    write: Callable[[], R],
    *,
    actor: Actor,
    permission: str,
    method: str,
    options: WriteOptions,
    detail: Mapping[str, Any] | None = None,
) -> R:
    """Run ``write`` in one transaction and return what it made. ``detail`` must hold no secret.

    Raises PermissionDenied for who lacks ``permission``. With ``validate_only`` nothing is kept.
    """
    with refusals_audited(actor, method, "catalog", dry_run=options.validate_only):
        require_permission(actor, permission)
        return _run_change(write, actor, method, options, detail or {})


def _run_change(
    write: Callable[[], R],
    actor: Actor,
    method: str,
    options: WriteOptions,
    detail: Mapping[str, Any],
) -> R:
    try:
        # two rows of the queue: locked in one order, as everywhere
        with transaction.atomic(), in_order():
            resource = write()
            if options.validate_only:
                raise _DryRun(resource)
            audit(actor, method, resource.name, **detail)
            affected_hint(resource)
            mirror([Changed(resource.kind, resource.uid, resource.name)])
    except _DryRun as dry:
        return dry.resource  # type: ignore[return-value]
    except IntegrityError:
        raise Aborted(
            "The catalog was changed by somebody else at the same time. Read it again and repeat the change."
        ) from None
    return resource


def affected_hint(resource: CatalogResource) -> None:
    """Have the controller "catalog" wake what waits for this resource (terminal outcomes, moves)."""
    enqueue("catalog", f"{resource.kind}:{resource.uid}")


def check_new_id(model: type[R], resource_id: str, field: str) -> str:
    """Return the id if it is well-formed and free; raise InvalidArgument or AlreadyExists else."""
    check_catalog_id(resource_id, field)
    if model._default_manager.filter(resource_id=resource_id).exists():
        raise AlreadyExists(
            f"{model.collection}/{resource_id} exists already. Choose another id, or change that one.",
            resource=f"{model.collection}/{resource_id}",
        )
    return resource_id


def lock_resource(model: type[R], resource_id: str, options: WriteOptions) -> R:
    """Return the row, locked, for a change of what it declares.

    Raises NotFound, Aborted for an old etag, FailedPrecondition for what is managed elsewhere.
    """
    resource = model._default_manager.select_for_update().filter(resource_id=resource_id).first()
    if resource is None:
        raise NotFound(
            f"There is no {model.collection}/{resource_id[:80]}. List {model.collection} to see what "
            "there is.",
            resource=f"{model.collection}/{resource_id[:80]}",
        )
    check_etag(resource.etag, options.etag, resource.name)
    check_manager(resource, options)
    return resource


def save_changed(resource: CatalogResource) -> None:
    """Store a changed resource as a new revision."""
    resource.revision += 1
    resource.save()


def delete_resource(model: type[R], *, actor: Actor, resource_id: str, options: WriteOptions) -> R:
    """Remove a resource that nothing uses, and return what it was.

    Raises FailedPrecondition naming what still uses it.
    """

    def write() -> R:
        resource = lock_resource(model, resource_id, options)
        key = resource.pk
        try:
            resource.delete()
        except models.ProtectedError as error:
            raise FailedPrecondition(
                f"{resource.name} cannot be deleted: it is used by {_users(error)}. Remove that first.",
                resource=resource.name,
                reason="IN_USE",
            ) from None
        # the caller may still want to show what was removed
        resource.pk = key
        return resource

    return run_change(
        write,
        actor=actor,
        permission=f"catalog.{model.collection}.delete",
        method=f"Delete{model.kind}",
        options=options,
    )


def _users(error: models.ProtectedError) -> str:
    counts: dict[str, int] = {}
    for user in error.protected_objects:
        label = str(user._meta.verbose_name_plural)
        counts[label] = counts.get(label, 0) + 1
    return ", ".join(f"{count} {label}" for label, count in sorted(counts.items()))
