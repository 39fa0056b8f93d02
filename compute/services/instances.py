"""Verbs on instances: create, update, delete. Power is in ``instance_power``, volumes in ``instance_attachments``."""

from dataclasses import asdict

from django.db import IntegrityError, transaction

from catalog.selectors.catalog import get_availability_zone, get_instance_type
from compute.models import DesiredState, Instance, NetworkAttachment
from compute.selectors.instances import instance_by_uid
from compute.selectors.quota_usage import size_of
from compute.services.instance_attachments import add_volume_attachments
from compute.services.instance_changes import (
    change_instance,
    refuse_deleting,
    save_metadata,
    save_spec,
    wake_instance,
)
from compute.services.instance_input import (
    InlineNetworkInterface,
    InlineVolume,
    InstanceInput,
    InstanceUpdate,
    NetworkInterfaceReference,
    VolumeReference,
    check_desired_state,
    check_ssh_public_keys,
    check_user_data,
)
from compute.services.instance_network_interfaces import add_network_attachments
from compute.services.instance_power import begin_run
from compute.services.metadata_changes import apply_metadata
from compute.services.preflight import check_placement
from compute.services.references import catalog_reference
from cycloud.core.aip.errors import AlreadyExists, FailedPrecondition
from cycloud.core.aip.models import Operation
from cycloud.core.aip.names import check_resource_id, generated_id
from cycloud.core.aip.operations import cancel_earlier, start_operation
from cycloud.core.aip.writes import WriteOptions, Written, run_write
from cycloud.core.changes.record import record_added, record_changed
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status, to_json
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.iam.models import Project
from cycloud.core.quotas.services import lock_quotas, require_quota
from cycloud.core.resources.metadata import check_annotations, check_display_name, check_labels

__all__ = [
    "InlineNetworkInterface",
    "InlineVolume",
    "InstanceInput",
    "InstanceUpdate",
    "NetworkInterfaceReference",
    "VolumeReference",
    "create_instance",
    "delete_instance",
    "update_instance",
]

_DEFAULT = WriteOptions()


def create_instance(
    *,
    actor: Actor,
    project_id: str,
    data: InstanceInput,
    instance_id: str = "",
    options: WriteOptions = _DEFAULT,
) -> Written[Instance]:
    """Declare an instance with its volumes and network interfaces, all in one transaction.

    Its id is made up if ``instance_id`` is empty. Raises InvalidArgument for what is malformed or not in
    the catalog, AlreadyExists, FailedPrecondition for volumes or interfaces that are not free or a type that is
    not available in the zone, and what networking raises for addresses.
    """
    project = project_for(actor, project_id, "compute.instances.create")

    def write() -> Written[Instance]:
        row = _new_instance(project, instance_id, data)
        row.managed_by = options.manager
        lock_quotas(project)
        _insert(row)
        add_volume_attachments(actor, row, data.volumes)
        require_quota(project, _requested(row, data), written=True)
        add_network_attachments(actor, row, data.network_interfaces)
        check_placement(row)
        wake_instance(row)
        record_added(kind=Instance.kind, uid=row.uid, project_id=row.project_id)
        return Written(instance_by_uid(row.uid), start_operation(row, "create"))

    return run_write(
        write,
        actor=actor,
        project=project,
        method="CreateInstance",
        body={"instance_id": instance_id, **asdict(data)},
        find=instance_by_uid,
        options=options,
    )


def update_instance(
    *,
    actor: Actor,
    project_id: str,
    instance_id: str,
    changes: InstanceUpdate,
    options: WriteOptions = _DEFAULT,
) -> Written[Instance]:
    """Change what is declared. Nothing that runs is touched before the next start.

    Metadata and deletion protection are changed at once. A new type is refused at once
    (FailedPrecondition naming the volume) if what is known by now blocks the move to it.
    """

    def change(instance: Instance) -> Operation:
        refuse_deleting(instance)
        plain = apply_metadata(instance, changes)
        protection = changes.deletion_protection
        if protection is not None and protection != instance.deletion_protection:
            instance.deletion_protection = protection
            plain.append("deletion_protection")
        spec = _apply_spec(instance, changes)
        interfaces = _replace_interfaces(actor, instance, changes)
        spec += _apply_power(instance, changes)
        if spec or interfaces:
            save_spec(instance, *plain, *spec)
            return start_operation(instance, "update")
        if plain:
            save_metadata(instance, *plain)
        return start_operation(instance, "update", done=True)

    return change_instance(
        change,
        method="UpdateInstance",
        permission="compute.instances.update",
        actor=actor,
        project_id=project_id,
        instance_id=instance_id,
        body=asdict(changes),
        options=options,
        may_grow=changes.instance_type is not None or changes.network_interfaces is not None,
    )


def delete_instance(
    *, actor: Actor, project_id: str, instance_id: str, options: WriteOptions = _DEFAULT
) -> Written[Instance]:
    """Delete an instance; its volumes and network interfaces stay. Again: one more operation, nothing else.

    Raises FailedPrecondition while deletion protection is on.
    """

    def change(instance: Instance) -> Operation:
        if instance.delete_time is not None:
            return start_operation(instance, "delete")
        if instance.deletion_protection:
            raise FailedPrecondition(
                f"{instance.name} is protected from deletion. Set deletion_protection to false first.",
                reason="DELETION_PROTECTED",
                metadata={"instance": instance.name},
            )
        instance.delete_time = now()
        cancel_earlier(instance.uid, f"{instance.name} was deleted before this was done.")
        save_spec(instance, "delete_time")
        return start_operation(instance, "delete")

    return change_instance(
        change,
        method="DeleteInstance",
        permission="compute.instances.delete",
        actor=actor,
        project_id=project_id,
        instance_id=instance_id,
        body={},
        options=options,
    )


def _new_instance(project: Project, instance_id: str, data: InstanceInput) -> Instance:
    """Return the unsaved row, with what needs no other row checked."""
    resource_id = (
        check_resource_id(instance_id, "instance_id") if instance_id else generated_id("i")
    )
    kind = catalog_reference(
        get_instance_type, data.instance_type, "instanceTypes", "instance_type"
    )
    zone = catalog_reference(
        get_availability_zone, data.availability_zone, "availabilityZones", "availability_zone"
    )
    creating = Condition(
        READY, Status.FALSE, "Creating", "The instance is being made.", last_transition_time=now()
    )
    return Instance(
        project=project,
        resource_id=resource_id,
        display_name=check_display_name(data.display_name),
        labels=check_labels(data.labels),
        annotations=check_annotations(data.annotations),
        instance_type=kind,
        run_instance_type=kind,
        run=1,
        availability_zone=zone,
        desired_state=check_desired_state(data.desired_state),
        ssh_public_keys=check_ssh_public_keys(data.ssh_public_keys),
        user_data=check_user_data(data.user_data),
        deletion_protection=data.deletion_protection,
        state="PENDING",
        conditions=to_json([creating]),
    )


def _requested(instance: Instance, data: InstanceInput) -> dict[str, int]:
    """Return what a new instance and its inline volumes need of the project's quotas."""
    sizes = [item.size_gib for item in data.volumes if isinstance(item, InlineVolume)]
    return {
        "instances": 1,
        **size_of(instance),
        "volumes": len(sizes),
        "storage": sum(sizes),
    }


def _insert(instance: Instance) -> None:
    """Insert the row; a unique constraint decides who has the name."""
    try:
        with transaction.atomic():
            instance.save(force_insert=True)
    except IntegrityError:
        before = Instance.objects.filter(
            project=instance.project, resource_id=instance.resource_id
        ).first()
        if before is None:
            raise
        going = (
            " It is being deleted: wait until it is gone."
            if before.delete_time is not None
            else " Choose another instance_id, or leave it out."
        )
        raise AlreadyExists(
            f"{instance.name} exists already.{going}", metadata={"instance": instance.name}
        ) from None


def _apply_spec(instance: Instance, changes: InstanceUpdate) -> list[str]:
    """Set type, keys and user data, unsaved; return the fields that differ now."""
    changed = []
    if changes.instance_type is not None:
        kind = catalog_reference(
            get_instance_type, changes.instance_type, "instanceTypes", "instance_type"
        )
        if kind.pk != instance.instance_type_id:
            before = size_of(instance)
            instance.instance_type = kind
            check_placement(instance)
            growth = {name: amount - before[name] for name, amount in size_of(instance).items()}
            require_quota(instance.project, growth)
            changed.append("instance_type")
    if changes.ssh_public_keys is not None:
        keys = check_ssh_public_keys(changes.ssh_public_keys)
        if keys != instance.ssh_public_keys:
            instance.ssh_public_keys = keys
            changed.append("ssh_public_keys")
    if changes.user_data is not None and changes.user_data != instance.user_data:
        instance.user_data = check_user_data(changes.user_data)
        changed.append("user_data")
    return changed


def _apply_power(instance: Instance, changes: InstanceUpdate) -> list[str]:
    """Set the desired state as start and stop do, unsaved; return the fields that differ now."""
    wanted = changes.desired_state
    if wanted is None or check_desired_state(wanted) == instance.desired_state:
        return []
    cancel_earlier(instance.uid, f"A later update of {instance.name} replaced this.")
    if wanted == DesiredState.RUNNING:
        return begin_run(instance)
    instance.desired_state = wanted
    return ["desired_state"]


def _replace_interfaces(actor: Actor, instance: Instance, changes: InstanceUpdate) -> bool:
    """Replace the list of network interfaces of a stopped instance; return whether it differs now."""
    if changes.network_interfaces is None:
        return False
    rows = (
        NetworkAttachment.objects.filter(instance=instance)
        .select_related("network_interface")
        .order_by("device_index")
    )
    before = list(rows.values_list("network_interface__resource_id", flat=True))
    # the list sent back as it was read is no change
    if before == [_referred_id(item) for item in changes.network_interfaces]:
        return False
    if instance.desired_state != DesiredState.STOPPED:
        raise FailedPrecondition(
            f"{instance.name} is running: stop it before you change its network interfaces.",
            reason="INSTANCE_NOT_STOPPED",
            metadata={"instance": instance.name},
        )
    released = [(row.network_interface.kind, row.network_interface.uid) for row in rows]
    rows.delete()
    for kind, uid in released:
        record_changed(kind=kind, uid=uid, project_id=instance.project_id)
    add_network_attachments(actor, instance, changes.network_interfaces)
    return True


def _referred_id(item: NetworkInterfaceReference | InlineNetworkInterface) -> str | None:
    if isinstance(item, NetworkInterfaceReference):
        return item.id.rpartition("/")[2]
    return None
