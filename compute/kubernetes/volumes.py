"""Volumes as custom resources, and taken in from them. A deleted volume has no object: its binding is still there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from compute.kubernetes.apis import VOLUME
from compute.kubernetes.refusals import ObjectFields
from compute.models import Volume
from compute.selectors.volumes import attached_instance, state_of_volume, volume_rows
from compute.services.volumes import (
    VolumeInput,
    VolumeUpdate,
    create_volume,
    delete_volume,
    refuse_deleted,
    update_volume,
)
from cycloud.core.aip.body import Body
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.quantities import format_gib
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.access import project_for
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

__all__ = ["VolumeSpec", "Volumes", "read_volume_spec"]

_FIELDS: Final = ObjectFields(
    {
        **METADATA,
        "volume_id": "metadata.name",
        "volume_type": "spec.volumeType",
        "availability_zone": "spec.availabilityZone",
        "size": "spec.size",
        "image": "spec.image",
    },
    reasons={"QUOTA_EXCEEDED": "spec.size", "VOLUME_TYPE_UNAVAILABLE": "spec.volumeType"},
)


@dataclass(frozen=True)
class VolumeSpec:
    """What an object declares. Size in GiB; ``image`` None for an empty volume."""

    volume_type: str
    availability_zone: str
    size_gib: int
    image: str | None = None
    display_name: str = ""


def read_volume_spec(spec: Json) -> VolumeSpec:
    """Return what a ``spec`` declares. Raises InvalidArgument naming the field (``spec.size``)."""
    body = Body(spec, path="spec")
    return VolumeSpec(
        volume_type=body.text("volumeType"),
        availability_zone=body.text("availabilityZone"),
        size_gib=body.gib("size"),
        image=body.text("image", None),
        display_name=body.text("displayName", ""),
    )


class Volumes(RowKind[Volume], TakenIn):
    api = VOLUME
    row_kind = Volume.kind
    collection = Volume.collection

    def every(self) -> QuerySet[Volume]:
        return Volume.objects.all()

    def shown(self) -> QuerySet[Volume]:
        return self.every().filter(delete_time__isnull=True)

    def loaded(self) -> QuerySet[Volume]:
        return volume_rows().filter(delete_time__isnull=True)

    def name(self, row: Volume) -> str:
        return row.name

    def manifest(self, row: Volume) -> Manifest:
        instance = attached_instance(row)
        return Manifest(
            uid=row.uid,
            spec={
                "displayName": row.display_name,
                "volumeType": row.volume_type.resource_id,
                "availabilityZone": row.availability_zone.resource_id,
                "size": format_gib(row.size_gib),
                "image": row.image.resource_id if row.image is not None else None,
            },
            status={
                "attachedInstance": instance.resource_id if instance is not None else None,
                "state": spoken(state_of_volume(row)),
                # what it has or is growing to, whatever the object declares: it can only grow from here
                "size": format_gib(row.size_gib),
            },
            conditions=row.condition_list(),
            labels=shown_labels(row.labels),
            annotations=shown_annotations(row.annotations),
            settled=is_settled(row),
            managed_by=row.managed_by,
        )

    def agrees(self, manifest: Manifest, spec: Json) -> bool:
        try:
            return read_volume_spec(spec) == read_volume_spec(manifest.spec)
        except InvalidArgument:
            return False

    def take(self, intake: Intake, name: str, manifest: Json) -> None:
        spec = read_volume_spec(manifest.get("spec") or {})
        project_id, volume_id = split_name(name)
        project_for(intake.actor, project_id, "compute.volumes.get")
        row = self._row(name)
        if row is None:
            _create(intake, project_id, volume_id, spec, manifest)
            return
        # never an empty volume in the place of one whose bytes are kept: it is undeleted, or waited for
        refuse_deleted(row)
        refuse_unless_managed(self, row, intake)
        _refuse_fixed(row, spec)
        changes = _changes(row, spec, manifest)
        if changes == VolumeUpdate():
            return
        with _FIELDS.named():
            update_volume(
                actor=intake.actor,
                project_id=project_id,
                volume_id=volume_id,
                changes=changes,
                options=WriteOptions(manager=intake.manager),
            )

    def remove(self, intake: Intake, name: str) -> None:
        row = self._row(name)
        if row is None or row.delete_time is not None or row.managed_by != intake.manager:
            return
        with _FIELDS.named():
            delete_volume(
                actor=intake.actor,
                project_id=split_name(name)[0],
                volume_id=row.resource_id,
                options=WriteOptions(manager=intake.manager),
            )

    def _row(self, name: str) -> Volume | None:
        project_id, volume_id = split_name(name)
        rows = volume_rows().filter(project__resource_id=project_id, resource_id=volume_id)
        return rows.first()


def _create(
    intake: Intake, project_id: str, volume_id: str, spec: VolumeSpec, manifest: Json
) -> None:
    data = VolumeInput(
        volume_type=spec.volume_type,
        availability_zone=spec.availability_zone,
        size_gib=spec.size_gib,
        image=spec.image,
        display_name=spec.display_name,
        labels=declared_labels(manifest),
        annotations=declared_annotations(manifest),
    )
    with _FIELDS.named():
        create_volume(
            actor=intake.actor,
            project_id=project_id,
            volume_id=volume_id,
            data=data,
            options=WriteOptions(manager=intake.manager),
        )


def _changes(row: Volume, spec: VolumeSpec, manifest: Json) -> VolumeUpdate:
    return VolumeUpdate(
        size_gib=spec.size_gib if spec.size_gib != row.size_gib else None,
        display_name=spec.display_name if spec.display_name != row.display_name else None,
        labels=changed_labels(row.labels, manifest),
        annotations=changed_annotations(row.annotations, manifest),
    )


def _refuse_fixed(row: Volume, spec: VolumeSpec) -> None:
    image = row.image.resource_id if row.image is not None else None
    fixed: Mapping[str, tuple[str | None, str | None]] = {
        "spec.volumeType": (row.volume_type.resource_id, spec.volume_type),
        "spec.availabilityZone": (row.availability_zone.resource_id, spec.availability_zone),
        "spec.image": (image, spec.image),
    }
    for field, (present, declared) in fixed.items():
        if present != declared:
            raise InvalidArgument.field(
                field,
                f"{row.name} has {present or 'none'}, which cannot be changed. Make a new volume.",
                "IMMUTABLE",
            )
