"""Volumes over REST: JSON to the services' values and back. No rule is here."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from compute.models import Volume
from compute.selectors.volumes import (
    attached_instance,
    get_volume,
    list_volumes,
    state_of_volume,
    volume_rows,
)
from compute.services.volumes import (
    VolumeInput,
    VolumeUpdate,
    create_volume,
    delete_volume,
    grow_volume,
    undelete_volume,
    update_volume,
)
from cycloud.compute.v1 import volume_pb2
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Collection, Json
from cycloud.core.aip.filters import Field, Kind, resource_filters
from cycloud.core.aip.quantities import format_gib
from cycloud.core.aip.representation import resource_fields
from cycloud.core.aip.writes import Written
from cycloud.core.iam.actor import Actor

__all__ = ["Volumes"]


class Volumes(Collection[Volume]):
    """``/v1/projects/{project}/volumes``."""

    name = Volume.collection
    kind = Volume.kind
    message = volume_pb2.Volume.DESCRIPTOR.full_name
    id_parameter = "volume_id"
    list_key = "volumes"
    updatable = Collection.updatable | {"size"}
    immutable = frozenset({"volume_type", "availability_zone", "image"})
    output_only = frozenset({"attached_instance", "state", "managed_by"})
    hides_deleted = True
    orders = {
        **Collection.orders,
        "display_name": "display_name",
        "size": "size_gib",
        "delete_time": "delete_time",
        "purge_time": "purge_time",
    }
    filters = {
        **resource_filters(name),
        "state": Field("state", Kind.ENUM),
        "volume_type": Field("volume_type__resource_id"),
        "availability_zone": Field("availability_zone__resource_id"),
        "image": Field("image__resource_id"),
        "attached_instance": Field(
            "attachment__instance__resource_id",
            Kind.NAME,
            collection="instances",
            project="attachment__instance__project__resource_id",
        ),
    }
    verbs = frozenset({"grow", "undelete"})

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[Volume]:
        return list_volumes(actor=call.actor, project_id=call.project_id, show_deleted=show_deleted)

    def find(self, call: Call, resource_id: str) -> Volume:
        return get_volume(actor=call.actor, project_id=call.project_id, volume_id=resource_id)

    def by_uid(self, uids: set[UUID]) -> Mapping[UUID, Volume]:
        return {volume.uid: volume for volume in volume_rows().filter(uid__in=uids)}

    def to_json(self, resource: Volume, actor: Actor) -> Json:
        instance = attached_instance(resource)
        return {
            **resource_fields(resource),
            "managed_by": resource.managed_by,
            "volume_type": resource.volume_type.resource_id,
            "availability_zone": resource.availability_zone.resource_id,
            "size": format_gib(resource.size_gib),
            "image": resource.image.resource_id if resource.image is not None else None,
            "attached_instance": instance.name if instance is not None else None,
            "state": state_of_volume(resource),
        }

    def create(self, call: Call, resource_id: str | None, body: Body) -> Written[Volume]:
        data = VolumeInput(
            volume_type=body.text("volume_type"),
            availability_zone=body.text("availability_zone"),
            size_gib=body.gib("size"),
            image=body.text("image", None),
            display_name=body.text("display_name", ""),
            labels=body.text_map("labels"),
            annotations=body.text_map("annotations"),
        )
        body.finish()
        return create_volume(
            actor=call.actor,
            project_id=call.project_id,
            volume_id=resource_id or "",
            data=data,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Written[Volume]:
        readers: dict[str, tuple[str, Callable[[], Any]]] = {
            "size": ("size_gib", lambda: body.gib("size")),
            "display_name": ("display_name", lambda: body.text("display_name", "")),
            "labels": ("labels", lambda: body.map_change("labels")),
            "annotations": ("annotations", lambda: body.map_change("annotations")),
        }
        changes = VolumeUpdate(
            **{name: read() for field, (name, read) in readers.items() if body.has(field)}
        )
        body.finish()
        return update_volume(
            actor=call.actor,
            project_id=call.project_id,
            volume_id=resource_id,
            changes=changes,
            options=call.options,
        )

    def delete(self, call: Call, resource_id: str) -> Written[Volume]:
        return delete_volume(
            actor=call.actor,
            project_id=call.project_id,
            volume_id=resource_id,
            options=call.options,
        )

    def run_verb(self, verb: str, call: Call, resource_id: str, body: Body) -> Written[Volume]:
        target: dict[str, Any] = {
            "actor": call.actor,
            "project_id": call.project_id,
            "volume_id": resource_id,
            "options": call.options,
        }
        if verb == "grow":
            size_gib = body.gib("size")
            body.finish()
            return grow_volume(size_gib=size_gib, **target)
        body.finish()
        return undelete_volume(**target)
