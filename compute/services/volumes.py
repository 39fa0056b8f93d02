"""Verbs on volumes: create, update, grow, delete, undelete. Deleted data stays until the purge time."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import timedelta

from django.db import IntegrityError, transaction

from catalog.selectors.catalog import get_availability_zone, get_public_image, get_volume_type
from compute.models import Instance, Volume, VolumeBinding
from compute.selectors.volumes import attached_instance, volume_by_uid
from compute.services.metadata_changes import apply_metadata
from compute.services.references import catalog_reference
from compute.services.volume_checks import check_growth, check_offered, check_size
from compute.services.volume_input import VolumeInput, VolumeUpdate
from cycloud.core.aip.errors import AlreadyExists, FailedPrecondition
from cycloud.core.aip.models import Operation
from cycloud.core.aip.names import check_resource_id, generated_id
from cycloud.core.aip.operations import cancel_earlier, start_operation
from cycloud.core.aip.writes import WriteOptions, Written, check_etag, run_write
from cycloud.core.changes.record import record_added, record_changed
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status, to_json
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.quotas.services import lock_quotas, require_quota
from cycloud.core.reconcile.queue import enqueue
from cycloud.core.resources.lookup import find_resource
from cycloud.core.resources.managers import check_manager
from cycloud.core.resources.metadata import check_annotations, check_display_name, check_labels

__all__ = [
    "VolumeInput",
    "VolumeUpdate",
    "add_volume",
    "create_volume",
    "delete_volume",
    "grow_volume",
    "refuse_deleted",
    "undelete_volume",
    "update_volume",
]

_DEFAULT = WriteOptions()


def create_volume(
    *,
    actor: Actor,
    project_id: str,
    data: VolumeInput,
    volume_id: str = "",
    options: WriteOptions = _DEFAULT,
) -> Written[Volume]:
    """Declare a volume; its id is made up if ``volume_id`` is empty.

    Raises InvalidArgument for what the catalog does not offer or a size outside the type's limits,
    AlreadyExists if the id is in use, also by a deleted volume that is not purged yet.
    """
    project = project_for(actor, project_id, "compute.volumes.create")

    def write() -> Written[Volume]:
        lock_quotas(project)
        row, operation = add_volume(project, volume_id, data, manager=options.manager)
        require_quota(project, {"volumes": 1, "storage": data.size_gib}, written=True)
        return Written(volume_by_uid(row.uid), operation)

    return run_write(
        write,
        actor=actor,
        project=project,
        method="CreateVolume",
        body={"volume_id": volume_id, **asdict(data)},
        find=volume_by_uid,
        options=options,
    )


def add_volume(
    project: Project, volume_id: str, data: VolumeInput, *, manager: str = ""
) -> tuple[Volume, Operation]:
    """Insert a volume and ask for its reconcile, in the caller's transaction and with its rights checked.

    The caller holds the project to its quotas. ``manager``: see WriteOptions.
    """
    resource_id = check_resource_id(volume_id, "volume_id") if volume_id else generated_id("vol")
    volume_type = catalog_reference(get_volume_type, data.volume_type, "volumeTypes", "volume_type")
    zone = catalog_reference(
        get_availability_zone,
        data.availability_zone,
        "availabilityZones",
        "availability_zone",
    )
    row = Volume(
        project=project,
        resource_id=resource_id,
        display_name=check_display_name(data.display_name),
        labels=check_labels(data.labels),
        annotations=check_annotations(data.annotations),
        volume_type=volume_type,
        availability_zone=zone,
        size_gib=data.size_gib,
        managed_by=manager,
    )
    if data.image is not None:
        row.image = catalog_reference(get_public_image, data.image, "publicImages", "image")
    check_size(row, data.size_gib, "size")
    check_offered(row)
    row.conditions = to_json(
        [
            Condition(
                READY,
                Status.FALSE,
                "VolumeBindingNotReady",
                "The volume is being made.",
                last_transition_time=now(),
            )
        ]
    )
    _insert(row)
    _wake(row)
    record_added(kind=Volume.kind, uid=row.uid, project_id=row.project_id)
    return row, start_operation(row, "create")


def update_volume(
    *,
    actor: Actor,
    project_id: str,
    volume_id: str,
    changes: VolumeUpdate,
    options: WriteOptions = _DEFAULT,
) -> Written[Volume]:
    """Change a volume's metadata, or grow it. Growing waits for the controllers, metadata does not.

    Raises FailedPrecondition for a deleted volume, InvalidArgument for a smaller or unfit size, Aborted
    for an old etag.
    """

    def change(volume: Volume) -> Operation:
        refuse_deleted(volume)
        changed = apply_metadata(volume, changes)
        grown = [] if changes.size_gib is None else _grow(volume, changes.size_gib)
        if changed or grown:
            _save(volume, *changed, *grown)
        return start_operation(volume, "update", done=not grown)

    body = {"volume": volume_id, **asdict(changes)}
    return _change_volume(
        "UpdateVolume",
        "compute.volumes.update",
        change,
        actor,
        project_id,
        volume_id,
        body,
        options,
    )


def grow_volume(
    *,
    actor: Actor,
    project_id: str,
    volume_id: str,
    size_gib: int,
    options: WriteOptions = _DEFAULT,
) -> Written[Volume]:
    """Give a volume a larger size, as an update of its size does. Its own size again changes nothing.

    Raises FailedPrecondition for a deleted volume, InvalidArgument for a smaller or unfit size, ResourceExhausted
    where the project has no room for the difference, Aborted for an old etag.
    """

    def change(volume: Volume) -> Operation:
        refuse_deleted(volume)
        grown = _grow(volume, size_gib)
        if grown:
            _save(volume, *grown)
        return start_operation(volume, "grow", done=not grown)

    body = {"volume": volume_id, "size_gib": size_gib}
    return _change_volume(
        "GrowVolume",
        "compute.volumes.grow",
        change,
        actor,
        project_id,
        volume_id,
        body,
        options,
    )


def delete_volume(
    *, actor: Actor, project_id: str, volume_id: str, options: WriteOptions = _DEFAULT
) -> Written[Volume]:
    """Mark a volume deleted; its data is purged once the retention of its type is over, not before.

    Deleting it again changes nothing, the purge time least of all. Raises FailedPrecondition
    while it is attached.
    """

    def change(volume: Volume) -> Operation:
        if volume.delete_time is not None:
            return start_operation(volume, "delete", done=True)
        _refuse_attached(volume)
        time = now()
        volume.delete_time = time
        volume.purge_time = time + timedelta(seconds=volume.volume_type.retention_seconds)
        volume.generation += 1
        binding = VolumeBinding.objects.filter(volume_uid=volume.uid).first()
        if binding is not None:
            binding.purge_time = volume.purge_time
            binding.save(update_fields=["purge_time"])
        cancel_earlier(volume.uid, f"{volume.name} was deleted before this was done.")
        _wake(volume)
        # its object goes now; whoever brings the data back does so over the API
        volume.managed_by = ""
        _save(volume, "delete_time", "purge_time", "generation", "managed_by")
        return start_operation(volume, "delete")

    body = {"volume": volume_id}
    return _change_volume(
        "DeleteVolume",
        "compute.volumes.delete",
        change,
        actor,
        project_id,
        volume_id,
        body,
        options,
    )


def undelete_volume(
    *, actor: Actor, project_id: str, volume_id: str, options: WriteOptions = _DEFAULT
) -> Written[Volume]:
    """Bring a deleted volume back: same name, uid and bytes.

    Raises FailedPrecondition if it is not deleted, or if its purge time is over or its purge has begun.
    """

    def change(volume: Volume) -> Operation:
        if volume.delete_time is None or volume.purge_time is None:
            raise FailedPrecondition(
                f"{volume.name} is not deleted, so there is nothing to bring back.",
                reason="VOLUME_NOT_DELETED",
                metadata={"volume": volume.name},
            )
        # the purge takes the same row lock before its point of no return
        binding = VolumeBinding.objects.select_for_update().filter(volume_uid=volume.uid).first()
        begun = binding is not None and binding.purge_begun is not None
        if begun or now() >= volume.purge_time:
            raise FailedPrecondition(
                f"The purge time of {volume.name}, {volume.purge_time:%Y-%m-%d %H:%M:%S} UTC, is over: "
                "its data is being removed and cannot be brought back.",
                reason="PURGE_BEGUN",
                metadata={"volume": volume.name, "purge_time": volume.purge_time.isoformat()},
            )
        require_quota(volume.project, {"volumes": 1})
        if binding is not None:
            binding.purge_time = None
            binding.save(update_fields=["purge_time", "update_time"])
        volume.delete_time = None
        volume.purge_time = None
        volume.generation += 1
        cancel_earlier(volume.uid, f"{volume.name} was undeleted.")
        _wake(volume)
        _save(volume, "delete_time", "purge_time", "generation")
        return start_operation(volume, "undelete")

    body = {"volume": volume_id}
    return _change_volume(
        "UndeleteVolume",
        "compute.volumes.undelete",
        change,
        actor,
        project_id,
        volume_id,
        body,
        options,
    )


def refuse_deleted(volume: Volume) -> None:
    """Raise FailedPrecondition if the volume is deleted."""
    if volume.delete_time is not None:
        raise FailedPrecondition(
            f"{volume.name} is deleted, and its data is kept until {volume.purge_time:%Y-%m-%d %H:%M:%S} "
            "UTC. Undelete it first.",
            reason="VOLUME_DELETED",
            metadata={"volume": volume.name},
        )


def _change_volume(
    method: str,
    permission: str,
    change: Callable[[Volume], Operation],
    actor: Actor,
    project_id: str,
    volume_id: str,
    body: Mapping[str, object],
    options: WriteOptions,
) -> Written[Volume]:
    """Run ``change`` on the locked volume in the frame of a write, with the quotas locked before it."""
    project = project_for(actor, project_id, permission)

    def write() -> Written[Volume]:
        lock_quotas(project)
        volume = find_resource(
            Volume,
            actor=actor,
            project_id=project_id,
            resource_id=volume_id,
            permission=permission,
            for_update=True,
        )
        check_etag(volume.etag, options.etag, volume.name)
        check_manager(volume, options)
        operation = change(volume)
        return Written(volume_by_uid(volume.uid), operation)

    return run_write(
        write,
        actor=actor,
        project=project,
        method=method,
        body=body,
        find=volume_by_uid,
        options=options,
    )


def _refuse_attached(volume: Volume) -> None:
    attached = Volume.objects.select_related("attachment__instance__project").get(pk=volume.pk)
    if not hasattr(attached, "attachment"):
        return
    instance = attached.attachment.instance
    raise FailedPrecondition(
        f"{volume.name} is attached to {instance.name}. Stop that instance and detach the volume, or "
        "delete the instance, then delete the volume.",
        reason="VOLUME_ATTACHED",
        metadata={"volume": volume.name, "instance": instance.name},
    )


def _grow(volume: Volume, size_gib: int) -> list[str]:
    """Set a larger size and wake the controllers, unsaved; return the fields that changed."""
    if size_gib == volume.size_gib:
        return []
    check_growth(volume, size_gib)
    require_quota(volume.project, {"storage": size_gib - volume.size_gib})
    volume.size_gib = size_gib
    volume.generation += 1
    _wake(volume)
    _record_holder(volume)
    return ["size_gib", "generation"]


def _insert(volume: Volume) -> None:
    """Insert the row; a unique constraint decides who has the name."""
    try:
        with transaction.atomic():
            volume.save(force_insert=True)
    except IntegrityError:
        before = Volume.objects.filter(
            project=volume.project, resource_id=volume.resource_id
        ).first()
        if before is None:
            raise
        deleted = (
            f" It is deleted: undelete it, or wait until its data is purged after "
            f"{before.purge_time:%Y-%m-%d %H:%M:%S} UTC."
            if before.delete_time is not None
            else " Choose another volume_id, or leave it out."
        )
        raise AlreadyExists(
            f"{volume.name} exists already.{deleted}", metadata={"volume": volume.name}
        ) from None


def _save(volume: Volume, *fields: str) -> None:
    volume.revision += 1
    volume.save(update_fields=[*fields, "revision", "update_time"])
    record_changed(kind=Volume.kind, uid=volume.uid, project_id=volume.project_id)


def _record_holder(volume: Volume) -> None:
    """The instance that has the volume shows its size."""
    holder = attached_instance(volume)
    if holder is not None:
        record_changed(kind=Instance.kind, uid=holder.uid, project_id=holder.project_id)


def _wake(volume: Volume) -> None:
    enqueue("volume", volume.uid, project=volume.project.resource_id)
