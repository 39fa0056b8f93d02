"""Instances as custom resources, and taken in from them."""

import hashlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from compute.kubernetes.apis import INSTANCE
from compute.kubernetes.instance_changes import Attach, Detach, Step, Update, plan_steps
from compute.kubernetes.instance_spec import InstanceSpec, read_instance_spec, write_instance_spec
from compute.kubernetes.refusals import ObjectFields
from compute.models import Instance
from compute.selectors.instances import instance_rows
from compute.services.instance_attachments import attach_volume, detach_volume
from compute.services.instance_changes import refuse_deleting
from compute.services.instances import (
    InstanceInput,
    InstanceUpdate,
    NetworkInterfaceReference,
    VolumeReference,
    create_instance,
    delete_instance,
    update_instance,
)
from cycloud.core.aip.errors import FailedPrecondition, FieldViolation, InvalidArgument
from cycloud.core.aip.quantities import format_gib
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.access import project_for
from cycloud.core.quotas.services import lock_quotas
from cycloud.core.reconcile.queue import in_order
from cycloud.kubernetes.fields import METADATA
from cycloud.kubernetes.kinds import Intake, Json, Manifest, TakenIn
from cycloud.kubernetes.metadata import (
    changed_annotations,
    changed_labels,
    declared_annotations,
    declared_labels,
    shown_annotations,
    shown_labels,
)
from cycloud.kubernetes.row_kinds import RowKind, is_settled, split_name, spoken
from cycloud.kubernetes.takeover import refuse_unless_managed

__all__ = ["InstanceManifest", "Instances"]

_VOLUMES: Final = "spec.volumeAttachments"
_INTERFACES: Final = "spec.networkInterfaceAttachments"
_FIELDS: Final[Mapping[str, str]] = {
    **METADATA,
    "instance_id": "metadata.name",
    "instance_type": "spec.instanceType",
    "availability_zone": "spec.availabilityZone",
    "desired_state": "spec.desiredState",
    "volumes": _VOLUMES,
    "network_interfaces": _INTERFACES,
    "ssh_public_keys": "spec.sshPublicKeys",
    "user_data": "spec.userData",
    "deletion_protection": "spec.deletionProtection",
}
_REASONS: Final[Mapping[str, str]] = {
    "DELETION_PROTECTED": "spec.deletionProtection",
    "QUOTA_EXCEEDED": "spec.instanceType",
}


@dataclass(frozen=True)
class InstanceManifest(Manifest):
    """``user_data_digest`` stands for the user data, which is never written out and still must be compared."""

    user_data_digest: str = ""


class Instances(RowKind[Instance], TakenIn):
    api = INSTANCE
    row_kind = Instance.kind
    collection = Instance.collection

    def every(self) -> QuerySet[Instance]:
        return Instance.objects.all()

    def loaded(self) -> QuerySet[Instance]:
        return instance_rows()

    def name(self, row: Instance) -> str:
        return row.name

    def manifest(self, row: Instance) -> InstanceManifest:
        return InstanceManifest(
            uid=row.uid,
            spec=write_instance_spec(row),
            status=_status(row),
            conditions=row.condition_list(),
            labels=shown_labels(row.labels),
            annotations=shown_annotations(row.annotations),
            settled=is_settled(row),
            managed_by=row.managed_by,
            deleting=row.delete_time is not None,
            user_data_digest=_digest(row.user_data),
        )

    def agrees(self, manifest: Manifest, spec: Json) -> bool:
        try:
            declared, ours = read_instance_spec(spec), read_instance_spec(manifest.spec)
        except InvalidArgument:
            return False
        if declared.user_data is not None and isinstance(manifest, InstanceManifest):
            same_user_data = _digest(declared.user_data) == manifest.user_data_digest
        else:
            same_user_data = True
        return same_user_data and declared.comparable == ours.comparable

    def take(self, intake: Intake, name: str, manifest: Json) -> None:
        spec = read_instance_spec(manifest.get("spec") or {})
        target = _Target(intake, name, spec)
        project_for(intake.actor, target.project_id, "compute.instances.get")
        row = self._row(name)
        with in_order():
            if row is None:
                target.create(manifest)
                return
            refuse_deleting(row)
            refuse_unless_managed(self, row, intake)
            target.change(row, manifest)

    def remove(self, intake: Intake, name: str) -> None:
        row = self._row(name)
        if row is None or row.delete_time is not None or row.managed_by != intake.manager:
            return
        with ObjectFields(_FIELDS, reasons=_REASONS).named():
            delete_instance(
                actor=intake.actor,
                project_id=split_name(name)[0],
                instance_id=row.resource_id,
                options=WriteOptions(manager=intake.manager),
            )

    def _row(self, name: str) -> Instance | None:
        project_id, instance_id = split_name(name)
        rows = instance_rows().filter(project__resource_id=project_id, resource_id=instance_id)
        return rows.first()


class _Target:
    """One object, on its way into its row."""

    def __init__(self, intake: Intake, name: str, spec: InstanceSpec) -> None:
        self.project_id, self._instance_id = split_name(name)
        self._spec = spec
        self._arguments: dict[str, Any] = {
            "actor": intake.actor,
            "project_id": self.project_id,
            "instance_id": self._instance_id,
            "options": WriteOptions(manager=intake.manager),
        }

    def create(self, manifest: Json) -> None:
        spec = self._spec
        data = InstanceInput(
            instance_type=spec.instance_type,
            availability_zone=spec.availability_zone,
            volumes=tuple(VolumeReference(name) for name in spec.volume_names),
            network_interfaces=tuple(
                NetworkInterfaceReference(name) for name in spec.network_interface_names
            ),
            ssh_public_keys=spec.ssh_public_keys,
            user_data=spec.user_data or "",
            desired_state=spec.desired_state,
            deletion_protection=spec.deletion_protection,
            display_name=spec.display_name,
            labels=declared_labels(manifest),
            annotations=declared_annotations(manifest),
        )
        with self._named():
            create_instance(data=data, **self._arguments)

    def change(self, row: Instance, manifest: Json) -> None:
        volumes = [item.volume.resource_id for item in row.volume_attachments.all()]
        self._refuse_fixed(row, volumes)
        steps = plan_steps(volumes, self._spec.volume_names, self._changes(row, manifest))
        if not steps:
            return
        # each of the calls below locks the row, and some need quotas, which are locked before it
        lock_quotas(row.project)
        for step in steps:
            self._run(step)

    def _run(self, step: Step) -> None:
        match step:
            case Update(changes):
                replaced = changes.network_interfaces is not None
                with self._named(_INTERFACES if replaced else ""):
                    update_instance(changes=changes, **self._arguments)
            case Detach(volume):
                with self._named(self._path(volume)):
                    detach_volume(volume_id=volume, **self._arguments)
            case Attach(volume):
                with self._named(self._path(volume), volume=self._path(volume)):
                    attach_volume(volume_id=volume, **self._arguments)

    def _changes(self, row: Instance, manifest: Json) -> InstanceUpdate:
        """Return what differs, without the volumes."""
        spec = self._spec
        keys = [key.strip() for key in spec.ssh_public_keys]
        interfaces = [item.network_interface.resource_id for item in row.network_attachments.all()]
        wanted: dict[str, tuple[Any, Any]] = {
            "instance_type": (row.instance_type.resource_id, spec.instance_type),
            "desired_state": (row.desired_state, spec.desired_state),
            "deletion_protection": (row.deletion_protection, spec.deletion_protection),
            "display_name": (row.display_name, spec.display_name),
        }
        changes = {field: new for field, (old, new) in wanted.items() if old != new}
        if keys != row.ssh_public_keys:
            changes["ssh_public_keys"] = spec.ssh_public_keys
        if spec.user_data is not None and spec.user_data != row.user_data:
            changes["user_data"] = spec.user_data
        if interfaces != list(spec.network_interface_names):
            changes["network_interfaces"] = tuple(
                NetworkInterfaceReference(name) for name in spec.network_interface_names
            )
        return InstanceUpdate(
            **changes,
            labels=changed_labels(row.labels, manifest),
            annotations=changed_annotations(row.annotations, manifest),
        )

    def _refuse_fixed(self, row: Instance, volumes: list[str]) -> None:
        zone = row.availability_zone.resource_id
        if zone != self._spec.availability_zone:
            raise InvalidArgument.field(
                "spec.availabilityZone",
                f"{row.name} is in {zone} and stays there. Make a new instance in the other zone.",
                "IMMUTABLE",
            )
        root = self._spec.volumes[0]
        if volumes and volumes[0] != root.name:
            message = (
                f"{row.name} boots from {volumes[0]}, and its root volume cannot be exchanged. Delete the instance, "
                "which keeps its volumes, and make a new one."
            )
            raise FailedPrecondition(
                message,
                reason="ROOT_VOLUME",
                resource=row.name,
                metadata={"instance": row.name, "volume": volumes[0]},
                violations=[FieldViolation(root.path, message, "IMMUTABLE")],
            )

    def _path(self, volume: str) -> str:
        return next((item.path for item in self._spec.volumes if item.name == volume), _VOLUMES)

    def _named(self, default: str = "", **fields: str) -> AbstractContextManager[None]:
        """Let refusals name the object's fields; what names another resource is found by that one's place."""
        spec = self._spec
        project = f"projects/{self.project_id}"
        places = {f"volumes[{i}].id": item.path for i, item in enumerate(spec.volumes)}
        subjects = {f"{project}/volumes/{item.name}": item.path for item in spec.volumes}
        for i in range(len(spec.ssh_public_keys)):
            places[f"ssh_public_keys[{i}]"] = f"spec.sshPublicKeys[{i}]"
        for i, item in enumerate(spec.network_interfaces):
            places[f"network_interfaces[{i}].id"] = item.path
            subjects[f"{project}/networkInterfaces/{item.name}"] = item.path
        table = ObjectFields({**_FIELDS, **places, **fields}, subjects, _REASONS)
        return table.named(default)


def _status(row: Instance) -> Json:
    interfaces = [item.network_interface for item in row.network_attachments.all()]
    return {
        "state": spoken(row.state),
        "ipAddress": interfaces[0].ip_address if interfaces else None,
        "networkInterfaces": [
            {
                "networkInterfaceID": interface.resource_id,
                "ipAddress": interface.ip_address,
                "macAddress": interface.mac_address,
            }
            for interface in interfaces
        ],
        "volumes": [
            {
                "volumeName": item.volume.resource_id,
                "size": format_gib(item.volume.size_gib),
                "boot": place == 0,
            }
            for place, item in enumerate(row.volume_attachments.all())
        ],
    }


def _digest(user_data: str) -> str:
    # invalid Unicode must be comparable too; the service refuses it
    return hashlib.sha256(user_data.encode(errors="surrogatepass")).hexdigest()
