"""NetworkInterface: one address that outlives the instances that have it; shown, and taken in."""

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from cycloud.core.aip.body import Body
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.access import project_for
from cycloud.kubernetes.fields import METADATA, about_field, object_fields
from cycloud.kubernetes.kinds import Intake, Json, Manifest, TakenIn
from cycloud.kubernetes.metadata import (
    changed_annotations,
    changed_labels,
    declared_annotations,
    declared_labels,
)
from cycloud.kubernetes.row_kinds import split_name
from cycloud.kubernetes.takeover import refuse_unless_managed
from networking.domain.addresses import to_number
from networking.kubernetes.apis import NETWORK_INTERFACE
from networking.kubernetes.project_kind import ProjectKind
from networking.models import NetworkInterface, Subnet
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    create_network_interface,
    delete_network_interface,
    update_network_interface,
)

__all__ = ["NetworkInterfaceKind"]

_FIELDS: Final = {
    **METADATA,
    "network_interface_id": "metadata.name",
    "subnet": "spec.subnet",
    "ip_address": "spec.ipAddress",
}


@dataclass(frozen=True)
class _Declaration:
    """``ip_number`` None: any address."""

    subnet: str
    ip_number: int | None
    display_name: str


class NetworkInterfaceKind(ProjectKind[NetworkInterface], TakenIn):
    api = NETWORK_INTERFACE
    row_kind = NetworkInterface.kind
    collection = NetworkInterface.collection

    def rows(self) -> QuerySet[NetworkInterface]:
        return NetworkInterface.objects.select_related("project", "subnet", "attachment__instance")

    def spec_of(self, row: NetworkInterface) -> Json:
        return {
            "displayName": row.display_name,
            "subnet": row.subnet.resource_id,
            "ipAddress": row.ip_address,
        }

    def status_of(self, row: NetworkInterface) -> Json:
        attachment = getattr(row, "attachment", None)
        return {
            "ipAddress": row.ip_address,
            "macAddress": row.mac_address,
            "attachedInstance": None if attachment is None else attachment.instance.resource_id,
        }

    def agrees(self, manifest: Manifest, spec: Json) -> bool:
        try:
            declared = _read(spec)
        except InvalidArgument:
            return False
        current = _read(manifest.spec)
        return (declared.subnet, declared.display_name) == (
            current.subnet,
            current.display_name,
        ) and declared.ip_number in (None, current.ip_number)

    def take(self, intake: Intake, name: str, manifest: Json) -> None:
        project_id, resource_id = split_name(name)
        project_for(intake.actor, project_id, "networking.networkInterfaces.get")
        with object_fields(_FIELDS):
            wanted = _read(manifest.get("spec") or {})
            row = self._row(name)
            if row is None:
                _create(intake, project_id, resource_id, wanted, manifest)
                return
            refuse_unless_managed(self, row, intake)
            _refuse_fixed(row, wanted)
            changes = _changes(row, wanted, manifest)
            if changes:
                update_network_interface(
                    actor=intake.actor,
                    project_id=project_id,
                    network_interface_id=resource_id,
                    changes=changes,
                    options=WriteOptions(manager=intake.manager),
                )

    def remove(self, intake: Intake, name: str) -> None:
        row = self._row(name)
        # what another object or the API declares is not this object's to delete
        if row is None or row.delete_time is not None or row.managed_by != intake.manager:
            return
        project_id, resource_id = split_name(name)
        delete_network_interface(
            actor=intake.actor,
            project_id=project_id,
            network_interface_id=resource_id,
            options=WriteOptions(manager=intake.manager),
        )

    def _row(self, name: str) -> NetworkInterface | None:
        project_id, resource_id = split_name(name)
        rows = self.rows().filter(project__resource_id=project_id, resource_id=resource_id)
        return rows.first()


def _read(spec: Json) -> _Declaration:
    body = Body(spec, path="spec")
    address = body.text("ipAddress", "")
    return _Declaration(
        subnet=body.text("subnet"),
        ip_number=to_number(address, body.where("ipAddress")) if address else None,
        display_name=body.text("displayName", ""),
    )


def _create(
    intake: Intake, project_id: str, resource_id: str, wanted: _Declaration, manifest: Json
) -> None:
    # a subnet of another project, and one that is not there, are the same to the caller
    if not Subnet.objects.filter(
        project__resource_id=project_id, resource_id=wanted.subnet
    ).exists():
        raise InvalidArgument.field(
            "spec.subnet",
            f"there is no subnet {wanted.subnet[:80]!r} in projects/{project_id}. Use the name of one that is there.",
            "REFERENCE_NOT_FOUND",
        )
    data = NetworkInterfaceInput(
        subnet=wanted.subnet,
        ip_address=(manifest["spec"].get("ipAddress") or None),
        display_name=wanted.display_name,
        labels=declared_labels(manifest),
        annotations=declared_annotations(manifest),
    )
    with (
        about_field("spec.ipAddress", "ADDRESS_IN_USE"),
        about_field("spec.subnet", "SUBNET_FULL", "DELETING"),
    ):
        create_network_interface(
            actor=intake.actor,
            project_id=project_id,
            data=data,
            network_interface_id=resource_id,
            options=WriteOptions(manager=intake.manager),
        )


def _refuse_fixed(row: NetworkInterface, wanted: _Declaration) -> None:
    if row.delete_time is not None:
        raise FailedPrecondition(
            f"{row.name} is being deleted. Wait until it is gone, or use another name.",
            resource=row.name,
            reason="DELETING",
        )
    if wanted.subnet != row.subnet.resource_id:
        raise InvalidArgument.field(
            "spec.subnet",
            f"{row.name} is in {row.subnet.resource_id}, which cannot be changed. Make another network interface.",
            "IMMUTABLE",
        )
    if wanted.ip_number not in (None, row.ip_number):
        raise InvalidArgument.field(
            "spec.ipAddress",
            f"{row.name} has {row.ip_address}, which cannot be changed. Make another network interface.",
            "IMMUTABLE",
        )


def _changes(row: NetworkInterface, wanted: _Declaration, manifest: Json) -> dict[str, Any]:
    changes: dict[str, Any] = {
        "display_name": wanted.display_name if wanted.display_name != row.display_name else None,
        "labels": changed_labels(row.labels, manifest),
        "annotations": changed_annotations(row.annotations, manifest),
    }
    return {field: value for field, value in changes.items() if value is not None}
