"""REST: clusters. Operators only; who is none gets the same refusal for any id."""

from typing import Any

from django.db.models import QuerySet

from catalog.api.common import CatalogCollection, common_fields, identity
from catalog.selectors.clusters import OpenStackCluster, get_cluster, list_clusters
from catalog.services.openstack_clusters import (
    OpenStackClusterInput,
    create_openstack_cluster,
    delete_openstack_cluster,
    set_openstack_cluster_state,
    update_openstack_cluster,
)
from cycloud.catalog.v1 import openstack_cluster_pb2
from cycloud.core.aip.body import Body
from cycloud.core.aip.collection import Call, Json, Result
from cycloud.core.aip.filters import Field, Kind
from cycloud.core.iam.access import require_permission
from cycloud.core.iam.actor import Actor

_TEXTS = (
    "display_name",
    "controller_name",
    "cloud_name",
    "auth_url",
    "username",
    "project_name",
    "region_name",
    "ca_certificate",
    "compute_microversion",
    "block_storage_microversion",
    "server_availability_zone",
)
_DOMAINS = ("user_domain_name", "project_domain_name")
_STATES = {
    "activate": "Active",
    "cordon": "Cordoned",
    "drain": "Draining",
    "retire": "Retired",
}


class OpenStackClusters(CatalogCollection[OpenStackCluster]):
    name = "openStackClusters"
    kind = OpenStackCluster.kind
    message = openstack_cluster_pb2.OpenStackCluster.DESCRIPTOR.full_name
    id_parameter = "openstack_cluster_id"
    list_key = "openstack_clusters"
    updatable = frozenset({*_TEXTS, *_DOMAINS, "manages_networks", "password"})
    immutable = frozenset({"availability_zone"})
    output_only = frozenset({"state", "has_password", "managed_by"})
    verbs = frozenset(_STATES)
    filters = {
        **CatalogCollection.filters,
        "state": Field("state", Kind.ENUM),
        "availability_zone": Field("availability_zone__resource_id", Kind.ENUM),
        "controller_name": Field("controller_name", Kind.ENUM),
    }

    def rows(self, call: Call, show_deleted: bool) -> QuerySet[OpenStackCluster]:
        require_permission(call.actor, "catalog.openStackClusters.list")
        return list_clusters()

    def find(self, call: Call, resource_id: str) -> OpenStackCluster:
        require_permission(call.actor, "catalog.openStackClusters.get")
        return get_cluster(resource_id)

    def to_json(self, resource: OpenStackCluster, actor: Actor) -> Json:
        return {
            **common_fields(resource),
            "managed_by": resource.managed_by,
            "availability_zone": resource.availability_zone.resource_id,
            "state": resource.state,
            **{
                field: getattr(resource, field)
                for field in (*_TEXTS, *_DOMAINS, "manages_networks")
            },
            "has_password": bool(resource.encrypted_password),
        }

    def create(self, call: Call, resource_id: str | None, body: Body) -> Result[OpenStackCluster]:
        require_permission(call.actor, "catalog.openStackClusters.create")
        values = _values(body)
        data = OpenStackClusterInput(
            availability_zone=body.text("availability_zone"),
            controller_name=body.text("controller_name"),
            **{field: value for field, value in values.items() if field != "controller_name"},
        )
        body.finish()
        return create_openstack_cluster(
            actor=call.actor,
            resource_id=identity(self, resource_id),
            data=data,
            options=call.options,
        )

    def update(self, call: Call, resource_id: str, body: Body) -> Result[OpenStackCluster]:
        require_permission(call.actor, "catalog.openStackClusters.update")
        changes = _values(body)
        body.finish()
        return update_openstack_cluster(
            actor=call.actor, resource_id=resource_id, changes=changes, options=call.options
        )

    def delete(self, call: Call, resource_id: str) -> Result[OpenStackCluster]:
        delete_openstack_cluster(actor=call.actor, resource_id=resource_id, options=call.options)
        return None

    def run_verb(
        self, verb: str, call: Call, resource_id: str, body: Body
    ) -> Result[OpenStackCluster]:
        body.finish()
        return set_openstack_cluster_state(
            actor=call.actor,
            resource_id=resource_id,
            state=_STATES[verb],
            options=call.options,
        )


def _values(body: Body) -> dict[str, Any]:
    """Read the fields that are there; the input has defaults for the others."""
    values: dict[str, Any] = {field: body.text(field, "") for field in _TEXTS if body.has(field)}
    for field in _DOMAINS:
        if body.has(field):
            values[field] = body.text(field, "Default")
    if body.has("manages_networks"):
        values["manages_networks"] = body.boolean("manages_networks", False)
    if body.has("password"):
        values["password"] = body.text("password", None)
    return values
