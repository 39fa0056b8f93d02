"""The volumes of an instance: attach, detach, and the rows that create makes."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import Max

from compute.models import (
    DesiredState,
    Instance,
    Volume,
    VolumeAttachment,
)
from compute.services.instance_changes import change_instance, refuse_deleting, save_spec
from compute.services.instance_input import InlineVolume, VolumeReference
from compute.services.preflight import check_volume_placement
from compute.services.references import fields_under, project_reference
from compute.services.volumes import VolumeInput, add_volume, refuse_deleted
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from cycloud.core.aip.models import Operation
from cycloud.core.aip.operations import start_operation
from cycloud.core.aip.writes import WriteOptions, Written
from cycloud.core.changes.record import record_changed
from cycloud.core.iam.access import audit
from cycloud.core.iam.actor import Actor

__all__ = [
    "add_volume_attachments",
    "attach_volume",
    "detach_volume",
]

_DEFAULT = WriteOptions()
# virtio disks vda to vdz: a bound that every OpenStack takes
_MAX_VOLUMES = 26

VolumeItem = VolumeReference | InlineVolume


def attach_volume(
    *,
    actor: Actor,
    project_id: str,
    instance_id: str,
    volume_id: str,
    options: WriteOptions = _DEFAULT,
) -> Written[Instance]:
    """Give a stopped instance one more volume, after those that it has.

    Raises FailedPrecondition unless the instance is to be stopped and the volume is free, there, of the same
    zone, and usable where the instance will run. One that the instance has already is left as it is.
    """

    def change(instance: Instance) -> Operation:
        refuse_deleting(instance)
        _refuse_running(instance, "attach a volume to it")
        volume = _existing(instance, {"volume": volume_id})["volume"]
        attachments = VolumeAttachment.objects.filter(instance=instance)
        if attachments.filter(volume=volume).exists():
            return start_operation(instance, "attachVolume", done=not instance.reconciling)
        if attachments.count() >= _MAX_VOLUMES:
            raise FailedPrecondition(
                f"{instance.name} has {_MAX_VOLUMES} volumes, the most that an instance can have. Detach one "
                "first.",
                resource=instance.name,
                reason="TOO_MANY_VOLUMES",
            )
        last = attachments.aggregate(last=Max("device_index"))["last"]
        _attach(instance, volume, 0 if last is None else last + 1)
        check_volume_placement(instance, volume)
        save_spec(instance)
        return start_operation(instance, "attachVolume")

    return change_instance(
        change,
        method="AttachVolume",
        permission="compute.instances.attachVolume",
        actor=actor,
        project_id=project_id,
        instance_id=instance_id,
        body={"volume": volume_id},
        options=options,
    )


def detach_volume(
    *,
    actor: Actor,
    project_id: str,
    instance_id: str,
    volume_id: str,
    options: WriteOptions = _DEFAULT,
) -> Written[Instance]:
    """Take a volume, not the root, from a stopped instance; its data stays."""

    def change(instance: Instance) -> Operation:
        refuse_deleting(instance)
        _refuse_running(instance, "detach a volume from it")
        reference = project_reference(volume_id, project_id, Volume.collection, "volume")
        attachment = (
            VolumeAttachment.objects.select_related("volume__project")
            .filter(instance=instance, volume__resource_id=reference)
            .first()
        )
        if attachment is None:
            raise FailedPrecondition(
                f"projects/{project_id}/volumes/{reference[:80]} is not attached to {instance.name}. Look at "
                "the volumes of the instance.",
                reason="VOLUME_NOT_ATTACHED",
                metadata={"instance": instance.name},
            )
        if attachment.device_index == 0:
            raise FailedPrecondition(
                f"{attachment.volume.name} is the root volume of {instance.name} and cannot be detached. "
                "Delete the instance, which keeps its volumes, and make a new one.",
                reason="ROOT_VOLUME",
                metadata={"instance": instance.name, "volume": attachment.volume.name},
            )
        attachment.delete()
        _touch(attachment.volume)
        save_spec(instance)
        return start_operation(instance, "detachVolume")

    return change_instance(
        change,
        method="DetachVolume",
        permission="compute.instances.detachVolume",
        actor=actor,
        project_id=project_id,
        instance_id=instance_id,
        body={"volume": volume_id},
        options=options,
    )


def add_volume_attachments(actor: Actor, instance: Instance, items: tuple[VolumeItem, ...]) -> None:
    """Attach the volumes of a new instance in order, making the inline ones; the first boots.

    Raises InvalidArgument for a wrong list, FailedPrecondition for a volume that is not free.
    """
    if not items:
        raise InvalidArgument.field("volumes", "give at least one volume; the first one boots.")
    if len(items) > _MAX_VOLUMES:
        raise InvalidArgument.field(
            "volumes", f"at most {_MAX_VOLUMES} volumes; these are {len(items)}."
        )
    first = items[0]
    if isinstance(first, InlineVolume) and first.image is None:
        raise InvalidArgument.field(
            "volumes[0].image",
            "the first volume boots, so it needs an image. Name one of /v1/publicImages, or a volume that "
            "exists.",
            "ROOT_VOLUME_WITHOUT_IMAGE",
        )
    references = {
        f"volumes[{i}].id": item.id
        for i, item in enumerate(items)
        if isinstance(item, VolumeReference)
    }
    existing = _existing(instance, references)
    seen: set[int] = set()
    for index, item in enumerate(items):
        field = f"volumes[{index}]"
        if isinstance(item, InlineVolume):
            volume = _inline(actor, instance, item, field)
        else:
            volume = existing[f"{field}.id"]
        if volume.pk in seen:
            raise InvalidArgument.field(f"{field}.id", f"{volume.name} is named twice.")
        seen.add(volume.pk)
        _attach(instance, volume, index)


def _inline(actor: Actor, instance: Instance, item: InlineVolume, field: str) -> Volume:
    data = VolumeInput(
        volume_type=item.volume_type,
        availability_zone=instance.availability_zone.resource_id,
        size_gib=item.size_gib,
        image=item.image,
    )
    with fields_under(field):
        volume, _ = add_volume(instance.project, item.volume_id or "", data)
    audit(actor, "CreateVolume", volume.name, instance=instance.name)
    return volume


def _existing(instance: Instance, references: Mapping[str, str]) -> dict[str, Volume]:
    """Lock the volumes of the instance's project that the fields refer to; return them by field."""
    if not references:
        return {}
    project_id = instance.project.resource_id
    wanted = {
        field: project_reference(value, project_id, Volume.collection, field)
        for field, value in references.items()
    }
    rows = (
        Volume.objects.select_for_update(of=("self",))
        .select_related("project", "volume_type", "availability_zone")
        .filter(project=instance.project, resource_id__in=wanted.values())
        # one order of locks, whatever the order of the request
        .order_by("pk")
    )
    found = {row.resource_id: row for row in rows}
    for field, reference in wanted.items():
        if reference not in found:
            raise InvalidArgument.field(
                field,
                f"there is no volume {reference[:80]!r} in projects/{project_id}. List "
                f"projects/{project_id}/volumes to see what is there.",
                "REFERENCE_NOT_FOUND",
            )
    return {field: found[reference] for field, reference in wanted.items()}


def _attach(instance: Instance, volume: Volume, index: int) -> None:
    """Insert the row; the unique constraint on the volume decides between instances."""
    refuse_deleted(volume)
    if volume.availability_zone_id != instance.availability_zone_id:
        raise FailedPrecondition(
            f"{volume.name} is in zone {volume.availability_zone.resource_id}, and {instance.name} in "
            f"{instance.availability_zone.resource_id}. Use a volume of the same zone.",
            reason="ZONE_DIFFERS",
            metadata={"volume": volume.name},
        )
    try:
        with transaction.atomic():
            VolumeAttachment.objects.create(instance=instance, volume=volume, device_index=index)
    except IntegrityError:
        holder = VolumeAttachment.objects.select_related("instance__project").get(volume=volume)
        raise FailedPrecondition(
            f"{volume.name} is attached to {holder.instance.name}. Detach it there first.",
            reason="VOLUME_ATTACHED",
            metadata={"volume": volume.name, "instance": holder.instance.name},
        ) from None
    _touch(volume)


def _touch(volume: Volume) -> None:
    """A volume shows its instance, so a change of that is a change of the volume's etag."""
    volume.revision += 1
    volume.save(update_fields=["revision", "update_time"])
    record_changed(kind=Volume.kind, uid=volume.uid, project_id=volume.project_id)


def _refuse_running(instance: Instance, what: str) -> None:
    if instance.desired_state != DesiredState.STOPPED:
        raise FailedPrecondition(
            f"{instance.name} is running: stop it before you {what}.",
            reason="INSTANCE_NOT_STOPPED",
            metadata={"instance": instance.name},
        )
