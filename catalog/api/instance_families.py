"""REST: instance families. Everybody reads, operators write."""

from typing import Any

from django.db.models import QuerySet

from catalog.api.common import CatalogCollection, common_fields, identity
from catalog.selectors.catalog import (
    InstanceFamily,
    get_instance_family,
    list_instance_families,
)
from catalog.services.instance_families import (
    InstanceFamilyInput,
    create_instance_family,
    delete_instance_family,
    update_instance_family,
)
from cycloud.catalog.v1 import instance_family_pb2
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Json, Result
from cycloud.core.iam.actor import Actor


class InstanceFamilies(CatalogCollection[InstanceFamily]):
    name = "instanceFamilies"
    kind = InstanceFamily.kind
    message = instance_family_pb2.InstanceFamily.DESCRIPTOR.full_name
    id_parameter = "instance_family_id"
    list_key = "instance_families"
    updatable = frozenset({"display_name"})

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[InstanceFamily]:
        return list_instance_families()

    def find(self, call: Call, resource_id: str) -> InstanceFamily:
        return get_instance_family(resource_id)

    def to_json(self, resource: InstanceFamily, actor: Actor) -> Json:
        return common_fields(resource)

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[InstanceFamily]:
        data = InstanceFamilyInput(display_name=body.text("display_name", ""))
        body.finish()
        return create_instance_family(
            actor=call.actor,
            resource_id=identity(self, resource_id),
            data=data,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[InstanceFamily]:
        changes: dict[str, Any] = {}
        if body.has("display_name"):
            changes["display_name"] = body.text("display_name", "")
        body.finish()
        return update_instance_family(
            actor=call.actor, resource_id=resource_id, changes=changes, options=call.options
        )

    def delete(self, call: Call, resource_id: str) -> Result[InstanceFamily]:
        delete_instance_family(actor=call.actor, resource_id=resource_id, options=call.options)
        return None
