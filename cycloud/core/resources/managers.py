"""Who may change what a resource declares: the API, or one object elsewhere that it was taken from.

A resource that was taken from a Kubernetes object is changed there, and nowhere else: two writers of one declaration
would undo each other's changes for ever. Handing it over is a verb of its own.
"""

from typing import Any, Protocol

from django.apps import apps
from django.db import models, transaction

from cycloud.core.aip.errors import FailedPrecondition, NotFound
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.changes.record import record_changed
from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import Actor
from cycloud.core.mirrors import Changed, mirror
from cycloud.core.reconcile.queue import in_order

__all__ = ["check_manager", "set_manager"]


class Managed(Protocol):
    """A row with a manager; ``managed_by`` is empty where that is the API."""

    managed_by: str

    @property
    def name(self) -> str: ...


def check_manager(resource: Managed, options: WriteOptions) -> None:
    """Raise FailedPrecondition unless the write comes from where the resource is declared."""
    if not resource.managed_by or resource.managed_by == options.manager:
        return
    raise FailedPrecondition(
        f"{resource.name} is managed by Kubernetes: change its object there, {resource.managed_by}, or have a "
        "platform operator release it to the API.",
        reason="MANAGED_BY_KUBERNETES",
        resource=resource.name,
        metadata={"manager": resource.managed_by},
    )


def set_manager(*, actor: Actor, method: str, kind: str, name: str, manager: str) -> bool:
    """Hand the declaration of a resource over: to the object ``manager``, or to the API where that is empty.

    ``kind`` and ``name`` are the row's own: "InstanceType", ``instanceTypes/m8a.medium``. The caller has checked the
    rights, and that somebody will take changes of that object in. Returns whether anything was changed: nothing is
    where the declaration is there already. Raises NotFound, and FailedPrecondition where what is being deleted is to
    be handed to an object.
    """
    with transaction.atomic(), in_order():
        row = _locked(kind, name)
        if row.managed_by == manager:
            return False
        if manager and getattr(row, "delete_time", None) is not None:
            raise FailedPrecondition(
                f"{name} is being deleted, so there is nothing to declare any more. Hand over another one.",
                resource=name,
                reason="DELETING",
            )
        earlier, row.managed_by = row.managed_by, manager
        row.revision += 1
        row.save(update_fields=["managed_by", "revision", "update_time"])
        audit(actor, method, name, manager=manager, earlier=earlier)
        _tell(row)
    return True


def _locked(kind: str, name: str) -> Any:
    """Return the row of a full name, locked."""
    parts = name.split("/")
    for model in apps.get_models():
        if getattr(model, "kind", "") != kind or not hasattr(model, "managed_by"):
            continue
        rows = model._default_manager.select_for_update(of=("self",))
        row: Any = None
        if _in_projects(model) and len(parts) == 4:
            rows = rows.select_related("project")
            row = rows.filter(project__resource_id=parts[1], resource_id=parts[3]).first()
        elif not _in_projects(model) and len(parts) == 2:
            row = rows.filter(resource_id=parts[1]).first()
        if row is not None and row.name == name:
            return row
    raise NotFound(
        f"There is no {kind} {name[:200]}. List its collection to see what is there; the name is the full one, such "
        "as projects/demo/instances/web-1 or instanceTypes/m8a.medium.",
        resource=name[:200],
    )


def _in_projects(model: type[models.Model]) -> bool:
    return any(field.name == "project" for field in model._meta.get_fields())


def _tell(row: Any) -> None:
    """Tell of the change those who watch, or keep copies."""
    if _in_projects(type(row)):
        record_changed(kind=row.kind, uid=row.uid, project_id=row.project_id)
    else:
        # the catalog has no feed
        mirror([Changed(row.kind, row.uid, row.name)])
