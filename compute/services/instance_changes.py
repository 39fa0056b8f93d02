"""The frame that every change of one instance runs in: find and lock, check the etag, change, save, wake."""

from collections.abc import Callable, Mapping
from typing import Any

from compute.models import Instance
from compute.selectors.instances import instance_by_uid
from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.aip.models import Operation
from cycloud.core.aip.writes import WriteOptions, Written, check_etag, run_write
from cycloud.core.changes.record import record_changed
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.quotas.services import lock_quotas
from cycloud.core.reconcile.queue import enqueue
from cycloud.core.resources.lookup import find_resource
from cycloud.core.resources.managers import check_manager

__all__ = ["change_instance", "refuse_deleting", "save_metadata", "save_spec", "wake_instance"]


def change_instance(
    change: Callable[[Instance], Operation],
    *,
    method: str,
    permission: str,
    actor: Actor,
    project_id: str,
    instance_id: str,
    body: Mapping[str, Any],
    options: WriteOptions,
    may_grow: bool = False,
    declares: bool = True,
) -> Written[Instance]:
    """Run ``change`` on the locked instance, in one transaction with its operation.

    ``may_grow``: it may need more of the project's quotas, which are locked before the instance then.
    ``declares``: it changes what is declared, so only who the declaration belongs to may do it.
    Raises NotFound, PermissionDenied, Aborted for an old etag, FailedPrecondition for what is managed elsewhere, and
    what ``change`` raises.
    """
    project = project_for(actor, project_id, permission)

    def write() -> Written[Instance]:
        if may_grow:
            lock_quotas(project)
        instance = find_resource(
            Instance,
            actor=actor,
            project_id=project_id,
            resource_id=instance_id,
            permission=permission,
            for_update=True,
        )
        check_etag(instance.etag, options.etag, instance.name)
        if declares:
            check_manager(instance, options)
        operation = change(instance)
        return Written(instance_by_uid(instance.uid), operation)

    return run_write(
        write,
        actor=actor,
        project=project,
        method=method,
        body={"instance": instance_id, **body},
        find=instance_by_uid,
        options=options,
    )


def refuse_deleting(instance: Instance) -> None:
    """Raise FailedPrecondition if the instance is being deleted."""
    if instance.delete_time is not None:
        raise FailedPrecondition(
            f"{instance.name} is being deleted and can no longer be changed. Wait until it is gone, then "
            "make a new one; its volumes and network interfaces stay.",
            reason="INSTANCE_DELETING",
            metadata={"instance": instance.name},
        )


def save_spec(instance: Instance, *fields: str) -> None:
    """Save what controllers act on: a new generation, and a reconcile asked for."""
    instance.generation += 1
    instance.revision += 1
    instance.save(update_fields=[*fields, "generation", "revision", "update_time"])
    wake_instance(instance)


def save_metadata(instance: Instance, *fields: str) -> None:
    """Save what no controller acts on."""
    instance.revision += 1
    instance.save(update_fields=[*fields, "revision", "update_time"])
    record_changed(kind=Instance.kind, uid=instance.uid, project_id=instance.project_id)


def wake_instance(instance: Instance) -> None:
    """Ask for a reconcile, and record the change."""
    enqueue("instance", instance.uid, project=instance.project.resource_id)
    record_changed(kind=Instance.kind, uid=instance.uid, project_id=instance.project_id)
