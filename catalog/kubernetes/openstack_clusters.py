"""OpenStackCluster: one cloud. Its credentials are only referred to: nothing of them is ever in an object."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.db.models import QuerySet

from catalog.kubernetes.apis import OPENSTACK_CLUSTER
from catalog.kubernetes.catalog_kind import CatalogKind
from catalog.models import AvailabilityZone, ClusterState, OpenStackCluster
from catalog.selectors.clusters import list_clusters
from catalog.services.openstack_clusters import (
    OpenStackClusterInput,
    create_openstack_cluster,
    delete_openstack_cluster,
    set_openstack_cluster_state,
    update_openstack_cluster,
)
from cycloud.core.aip.body import Body
from cycloud.core.aip.errors import InvalidArgument
from cycloud.core.aip.writes import WriteOptions
from cycloud.core.iam.actor import Actor
from cycloud.kubernetes.fields import about_field
from cycloud.kubernetes.kinds import Json

__all__ = ["OpenStackClusterKind"]

# an entry of the portal's clouds.yaml, by its name; or what the portal keeps, encrypted, by the cluster's own name
_CLOUDS_YAML: Final = "CloudsYAML"
_STORED: Final = "Stored"
_MESSAGES: Final[Mapping[str, str]] = {
    ClusterState.ACTIVE: "",
    ClusterState.CORDONED: "Cordoned: nothing new is placed there, and what is there stays.",
    ClusterState.DRAINING: "Draining: nothing new is placed there, and it is to become empty.",
    ClusterState.RETIRED: "Retired: it is never called again.",
}


@dataclass(frozen=True)
class _ClusterDeclaration:
    availability_zone: str
    controller_name: str
    state: str
    credentials_kind: str
    credentials_name: str
    display_name: str
    region_name: str
    compute_microversion: str
    block_storage_microversion: str
    server_availability_zone: str
    manages_networks: bool


# fields that no service has under this name
_OWN: Final = {"state", "credentials_kind", "credentials_name"}


class OpenStackClusterKind(CatalogKind[OpenStackCluster, _ClusterDeclaration]):
    """``rabbitMQConfig`` is accepted and not used yet."""

    api = OPENSTACK_CLUSTER
    row_kind = OpenStackCluster.kind
    collection = OpenStackCluster.collection
    fields = {
        "openstack_cluster_id": "metadata.name",
        "availability_zone": "spec.availabilityZone",
        "controller_name": "spec.controllerName",
        "cloud_name": "spec.cloudCredentials.name",
        "region_name": "spec.regionName",
        "compute_microversion": "spec.computeMicroversion",
        "block_storage_microversion": "spec.blockStorageMicroversion",
        "server_availability_zone": "spec.serverAvailabilityZone",
        "state": "spec.state",
    }

    def rows(self) -> QuerySet[OpenStackCluster]:
        return list_clusters()

    def spec_of(self, row: OpenStackCluster) -> Json:
        credentials = (
            {"kind": _CLOUDS_YAML, "name": row.cloud_name}
            if row.cloud_name
            else {"kind": _STORED, "name": row.resource_id}
        )
        return {
            "displayName": row.display_name,
            "availabilityZone": row.availability_zone.resource_id,
            "controllerName": row.controller_name,
            "state": row.state,
            "cloudCredentials": credentials,
            "regionName": row.region_name,
            "computeMicroversion": row.compute_microversion,
            "blockStorageMicroversion": row.block_storage_microversion,
            "serverAvailabilityZone": row.server_availability_zone,
            "managesNetworks": row.manages_networks,
        }

    def message_of(self, row: OpenStackCluster) -> str:
        return _MESSAGES[row.state]

    def read(self, spec: Body, resource_id: str) -> _ClusterDeclaration:
        credentials = spec.inner("cloudCredentials") or Body({}, path="spec.cloudCredentials")
        return _ClusterDeclaration(
            availability_zone=spec.text("availabilityZone"),
            controller_name=spec.text("controllerName"),
            state=spec.text("state", str(ClusterState.ACTIVE)),
            credentials_kind=credentials.text("kind", _CLOUDS_YAML),
            credentials_name=credentials.text("name"),
            display_name=spec.text("displayName", ""),
            region_name=spec.text("regionName", ""),
            compute_microversion=spec.text("computeMicroversion", ""),
            block_storage_microversion=spec.text("blockStorageMicroversion", ""),
            server_availability_zone=spec.text("serverAvailabilityZone", ""),
            manages_networks=spec.boolean("managesNetworks", False),
        )

    def check(self, wanted: _ClusterDeclaration) -> None:
        if wanted.credentials_kind not in (_CLOUDS_YAML, _STORED):
            raise InvalidArgument.field(
                "spec.cloudCredentials.kind",
                f"{wanted.credentials_kind[:40]!r} is not a kind of credentials. Use {_CLOUDS_YAML}.",
            )
        if not wanted.credentials_name:
            raise InvalidArgument.field(
                "spec.cloudCredentials.name",
                "is needed: the name of an entry of the portal's clouds.yaml.",
                "REQUIRED",
            )
        if not AvailabilityZone.objects.filter(resource_id=wanted.availability_zone).exists():
            raise InvalidArgument.field(
                "spec.availabilityZone",
                f"there is no availability zone {wanted.availability_zone[:80]!r}. Create it over the API first.",
                "REFERENCE_NOT_FOUND",
            )

    def create(
        self, actor: Actor, resource_id: str, wanted: _ClusterDeclaration, options: WriteOptions
    ) -> None:
        if wanted.credentials_kind == _STORED:
            raise _nothing_stored(f"nothing is stored for {resource_id}, which is new.")
        data = OpenStackClusterInput(cloud_name=wanted.credentials_name, **_plain(asdict(wanted)))
        create_openstack_cluster(actor=actor, resource_id=resource_id, data=data, options=options)
        if wanted.state != ClusterState.ACTIVE:
            self._set_state(actor, resource_id, wanted.state, options)

    def update(
        self,
        actor: Actor,
        row: OpenStackCluster,
        wanted: _ClusterDeclaration,
        changes: Mapping[str, Any],
        options: WriteOptions,
    ) -> None:
        plain = _plain(changes)
        if changes.keys() & {"credentials_kind", "credentials_name"}:
            plain |= _credentials(row, wanted)
        if plain:
            update_openstack_cluster(
                actor=actor, resource_id=row.resource_id, changes=plain, options=options
            )
        if "state" in changes:
            self._set_state(actor, row.resource_id, wanted.state, options)

    def delete(self, actor: Actor, resource_id: str, options: WriteOptions) -> None:
        delete_openstack_cluster(actor=actor, resource_id=resource_id, options=options)

    def _set_state(self, actor: Actor, resource_id: str, state: str, options: WriteOptions) -> None:
        with about_field("spec.state"):
            set_openstack_cluster_state(
                actor=actor, resource_id=resource_id, state=state, options=options
            )


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in _OWN}


def _credentials(row: OpenStackCluster, wanted: _ClusterDeclaration) -> dict[str, Any]:
    """Return what other credentials change in the row."""
    if wanted.credentials_kind == _CLOUDS_YAML:
        # what was stored is of no use then, and the service drops the password
        unused = {"auth_url": "", "username": "", "project_name": ""}
        return {"cloud_name": wanted.credentials_name, **(unused if not row.cloud_name else {})}
    if row.cloud_name:
        raise _nothing_stored(f"nothing is stored for {row.resource_id}.")
    raise InvalidArgument.field(
        "spec.cloudCredentials.name",
        f"stored credentials have the name of their cluster, {row.resource_id}.",
    )


def _nothing_stored(cause: str) -> InvalidArgument:
    return InvalidArgument.field(
        "spec.cloudCredentials.kind",
        f"{cause} Use {_CLOUDS_YAML} with an entry of the portal's clouds.yaml; or enter the credentials over the API, "
        "and have the cluster adopted.",
    )
