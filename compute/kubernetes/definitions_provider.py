"""The custom resources of what controllers make in clusters. They mirror no message: the API never shows them."""

from typing import Final

from catalog.kubernetes.references import cluster_field
from compute.kubernetes.apis import (
    OPENSTACK_INSTANCE,
    OPENSTACK_NETWORK_INTERFACE,
    OPENSTACK_VOLUME,
    VOLUME_BINDING,
)
from cycloud.kubernetes.crds.definition import Category, Column, Definition
from cycloud.kubernetes.crds.fields import Field, own

__all__ = ["PROVIDER_DEFINITIONS"]

_TEXT: Final = {"type": "string"}
_TIME: Final = {"type": "string", "format": "date-time"}
_FLAG: Final = {"type": "boolean"}
_CLUSTER: Final = Column("Cluster", ".spec.computeCluster.name")


def _wanted(noun: str) -> Field:
    return own("wanted", _FLAG, f"Whether the {noun} is to exist.")


_binding = Definition(
    api=VOLUME_BINDING,
    category=Category.PROVIDER,
    description="Where the bytes of a volume are, and when they may really be deleted. It outlives the Volume.",
    spec=(
        own("volumeName", _TEXT, "The name of the Volume.", required=True),
        own("volumeUID", {**_TEXT, "format": "uuid"}, "The uid of the volume.", required=True),
        own(
            "providerType",
            _TEXT,
            "The storage that the bytes are in. Volumes move only between clusters that share it.",
        ),
        cluster_field("computeCluster", "The cluster that has it, or had it last."),
        own("providerID", _TEXT, "The id of the volume in that cluster's Cinder."),
        own("backendReference", _TEXT, "The name of the object in the storage."),
    ),
    status=(
        own("created", _FLAG, "Whether there are bytes: none are ever made in their place."),
        own("purgeTime", _TIME, "When the bytes will be deleted for good. Missing: never."),
        own("purgeBegun", _TIME, "When their deletion began. From then on there is no way back."),
    ),
    columns=(
        Column("Type", ".spec.providerType"),
        _CLUSTER,
        Column("Purge", ".status.purgeTime"),
        Column("Backend", ".spec.backendReference", wide=True),
    ),
)

_instance = Definition(
    api=OPENSTACK_INSTANCE,
    category=Category.PROVIDER,
    description="The server of an instance as it is to exist in one cluster. Written by controllers only.",
    spec=(
        own("instanceName", _TEXT, "The name of the Instance.", required=True),
        cluster_field("computeCluster", "The cluster that it is to run in.", required=True),
        own("flavorID", _TEXT, "The id of the flavor in that cluster."),
        own("run", {"type": "integer", "format": "int64"}, "Counts the starts of the instance."),
        own("running", _FLAG, "Whether the server is to run."),
        _wanted("server"),
        cluster_field(
            "nextComputeCluster", "The cluster of the next start, where that is another."
        ),
        own("nextFlavorID", _TEXT, "The flavor of the next start, where that is another."),
    ),
    status=(
        own("serverID", _TEXT, "The id of the server in Nova."),
        own("serverCluster", _TEXT, "The name of the cluster that the server was seen in."),
        own("serverStatus", _TEXT, "The status that Nova gave last."),
        own("faultText", _TEXT, "What the cluster said about the last fault, as it said it."),
    ),
    columns=(
        Column("Type", ".spec.flavorID"),
        _CLUSTER,
        Column("State", ".status.serverStatus"),
        Column("Next", ".spec.nextComputeCluster.name", wide=True),
        Column("Server", ".status.serverID", wide=True),
    ),
)

_volume = Definition(
    api=OPENSTACK_VOLUME,
    category=Category.PROVIDER,
    description="A volume as it is to exist in one cluster. Written by controllers only.",
    spec=(
        own("volumeName", _TEXT, "The name of the Volume.", required=True),
        cluster_field("computeCluster", "The cluster that it is to be in.", required=True),
        own("volumeType", _TEXT, "The name of the VolumeType."),
        own("image", _TEXT, "The name of the PublicImage that its bytes began with."),
        own("size", _TEXT, "Its size, for example `100Gi`."),
        _wanted("volume"),
    ),
    status=(
        own("providerID", _TEXT, "The id of the volume in Cinder."),
        own("providerState", _TEXT, "The status that Cinder gave last."),
        own(
            "blockers",
            {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "atomic"},
            "Why it could not be moved now, as seen last.",
        ),
    ),
    columns=(
        Column("Type", ".spec.volumeType"),
        _CLUSTER,
        Column("State", ".status.providerState"),
        Column("Size", ".spec.size", wide=True),
        Column("Volume", ".status.providerID", wide=True),
    ),
)

_interface = Definition(
    api=OPENSTACK_NETWORK_INTERFACE,
    category=Category.PROVIDER,
    description="The port of a network interface as it is to exist in one cluster. Written by controllers only.",
    spec=(
        own("networkInterfaceID", _TEXT, "The name of the NetworkInterface.", required=True),
        cluster_field("computeCluster", "The cluster that it is to be in.", required=True),
        _wanted("port"),
    ),
    status=(
        own("portID", _TEXT, "The id of the port in Neutron."),
        own("portStatus", _TEXT, "The status that Neutron gave last."),
    ),
    columns=(
        _CLUSTER,
        Column("State", ".status.portStatus"),
        Column("Port", ".status.portID", wide=True),
    ),
)

PROVIDER_DEFINITIONS: Final = (_binding, _instance, _volume, _interface)
