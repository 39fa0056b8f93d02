"""The custom resources of the catalog. They name clusters, so only operators may read them."""

from typing import Final

from catalog.kubernetes.apis import INSTANCE_TYPE, OPENSTACK_CLUSTER, PUBLIC_IMAGE, VOLUME_TYPE
from catalog.kubernetes.references import cluster_of
from cycloud.kubernetes.crds.definition import Category, Column, Definition
from cycloud.kubernetes.crds.fields import (
    CATALOG_ID,
    DISPLAY_NAME,
    LINE,
    PROVIDER_TEXT,
    QUANTITY,
    RESOURCE_ID,
    Rule,
    own,
    proto,
)

__all__ = ["DEFINITIONS"]

_INSTANCE_TYPE: Final = "cycloud.catalog.v1.InstanceType"
_INSTANCE_PLACEMENT: Final = "cycloud.catalog.v1.InstanceTypePlacement"
_VOLUME_TYPE: Final = "cycloud.catalog.v1.VolumeType"
_VOLUME_PLACEMENT: Final = "cycloud.catalog.v1.VolumeTypePlacement"
_IMAGE: Final = "cycloud.catalog.v1.PublicImage"
_PROVIDER_IMAGE: Final = "cycloud.catalog.v1.ProviderImage"
_CLUSTER: Final = "cycloud.catalog.v1.OpenStackCluster"

_MIB: Final = 1024 * 1024
# one for each cluster
_PLACEMENTS: Final = {"x-kubernetes-list-type": "atomic", "maxItems": 256}
_NO_PLACEMENT_ZONES: Final = "availabilityZones has them, with the clusters"
_MICROVERSION: Final = {
    "pattern": r"^([1-9]\.(0|[1-9][0-9]{0,3}))?$",
    "maxLength": 8,
    "default": "",
}

_instance_type = Definition(
    api=INSTANCE_TYPE,
    category=Category.CATALOG,
    message=_INSTANCE_TYPE,
    taken_in=True,
    spec=(
        proto(_INSTANCE_TYPE, "display_name", DISPLAY_NAME),
        proto(
            _INSTANCE_TYPE,
            "family",
            CATALOG_ID,
            name="instanceFamily",
            required=False,
            description="The id of its instance family, which is made if it is missing. Without it: the part of "
            'the name before the first ".".',
        ),
        own(
            "cpuInfo",
            {"type": "object"},
            "Its processors.",
            required=True,
            fields=(proto(_INSTANCE_TYPE, "vcpus", {"minimum": 1, "maximum": 1024}),),
        ),
        own(
            "memoryInfo",
            {"type": "object"},
            "Its memory.",
            required=True,
            fields=(
                proto(
                    _INSTANCE_TYPE,
                    "memory_mib",
                    {
                        "format": "int64",
                        "minimum": _MIB,
                        "maximum": 64 * _MIB * _MIB,
                        "multipleOf": _MIB,
                    },
                    name="sizeBytes",
                    description="How much memory, in bytes: a multiple of 1 MiB (1048576).",
                ),
            ),
        ),
        proto(
            _INSTANCE_TYPE,
            "placements",
            _PLACEMENTS,
            name="availabilityZones",
            required=True,
            description="Where it is to be had: the cluster of each availability zone.",
            fields=(
                proto(
                    _INSTANCE_PLACEMENT,
                    "availability_zone",
                    CATALOG_ID,
                    name="name",
                    required=True,
                    description="The id of the availability zone.",
                ),
                cluster_of(_INSTANCE_PLACEMENT),
                proto(_INSTANCE_PLACEMENT, "provider_id", PROVIDER_TEXT, name="providerID"),
            ),
        ),
    ),
    columns=(
        Column("vCPUs", ".spec.cpuInfo.vcpus", "integer"),
        Column("Memory", ".spec.memoryInfo.sizeBytes", "integer"),
    ),
    left_out={f"{_INSTANCE_TYPE}.availability_zones": _NO_PLACEMENT_ZONES},
)

_SIZES = "quantity(self.spec.minimumSize).compareTo(quantity(self.spec.maximumSize)) <= 0"
_volume_type = Definition(
    api=VOLUME_TYPE,
    category=Category.CATALOG,
    message=_VOLUME_TYPE,
    taken_in=True,
    spec=(
        proto(_VOLUME_TYPE, "display_name", DISPLAY_NAME),
        proto(_VOLUME_TYPE, "minimum_size", {**QUANTITY, "default": "1Gi"}),
        proto(_VOLUME_TYPE, "maximum_size", {**QUANTITY, "default": "16384Gi"}),
        proto(_VOLUME_TYPE, "granularity", {**QUANTITY, "default": "1Gi"}),
        proto(
            _VOLUME_TYPE,
            "retention_seconds",
            {"minimum": 0, "maximum": 10 * 366 * 24 * 3600, "default": 7 * 24 * 3600},
        ),
        proto(
            _VOLUME_TYPE,
            "placements",
            _PLACEMENTS,
            name="availabilityZones",
            required=True,
            description="Where it is to be had: the clusters and their availability zones.",
            fields=(
                own(
                    "name",
                    {"type": "string", **CATALOG_ID},
                    "The id of the cluster's availability zone.",
                    required=True,
                ),
                cluster_of(_VOLUME_PLACEMENT),
                proto(_VOLUME_PLACEMENT, "provider_id", PROVIDER_TEXT, name="providerID"),
                proto(_VOLUME_PLACEMENT, "provider_type", PROVIDER_TEXT),
                proto(
                    _VOLUME_PLACEMENT,
                    "backend_host",
                    {"pattern": r"^[^@#\s]+@[^@#\s]+#[^@#\s]+$", "maxLength": 255},
                ),
            ),
        ),
    ),
    columns=(
        Column("Minimum", ".spec.minimumSize"),
        Column("Maximum", ".spec.maximumSize"),
    ),
    rules=(
        Rule(
            _SIZES,
            "minimumSize must not be larger than maximumSize",
            field=".spec.minimumSize",
        ),
    ),
    left_out={f"{_VOLUME_TYPE}.availability_zones": _NO_PLACEMENT_ZONES},
)

_public_image = Definition(
    api=PUBLIC_IMAGE,
    category=Category.CATALOG,
    message=_IMAGE,
    taken_in=True,
    spec=(
        proto(_IMAGE, "display_name", DISPLAY_NAME),
        proto(_IMAGE, "minimum_size", {**QUANTITY, "default": "1Gi"}),
        proto(
            _IMAGE,
            "provider_images",
            _PLACEMENTS,
            name="images",
            required=True,
            description="Where it lies.",
            fields=(
                cluster_of(_PROVIDER_IMAGE),
                proto(_PROVIDER_IMAGE, "provider_id", PROVIDER_TEXT, name="providerID"),
            ),
        ),
    ),
    columns=(Column("Minimum", ".spec.minimumSize"),),
)

_STORED = "credentials are never in an object: cloudCredentials names them"
_cluster = Definition(
    api=OPENSTACK_CLUSTER,
    category=Category.CATALOG,
    message=_CLUSTER,
    taken_in=True,
    spec=(
        proto(_CLUSTER, "display_name", DISPLAY_NAME),
        proto(_CLUSTER, "availability_zone", CATALOG_ID),
        proto(_CLUSTER, "controller_name", RESOURCE_ID),
        proto(
            _CLUSTER,
            "state",
            {"enum": ["Active", "Cordoned", "Draining", "Retired"], "default": "Active"},
        ),
        proto(
            _CLUSTER,
            "cloud_name",
            {"type": "object"},
            name="cloudCredentials",
            required=True,
            description="Where its credentials are.",
            fields=(
                own(
                    "kind",
                    {
                        "type": "string",
                        "enum": ["CloudsYAML", "Stored"],
                        "default": "CloudsYAML",
                    },
                    "`CloudsYAML`: an entry of the portal's clouds.yaml. `Stored`: credentials that are stored "
                    "in Cycloud, which only its API sets.",
                ),
                own(
                    "name",
                    {"type": "string", "minLength": 1, "maxLength": 255},
                    "The name of the entry of clouds.yaml; the id of the cluster for stored ones.",
                    required=True,
                ),
            ),
        ),
        proto(_CLUSTER, "region_name", LINE),
        proto(_CLUSTER, "compute_microversion", _MICROVERSION),
        proto(_CLUSTER, "block_storage_microversion", _MICROVERSION),
        proto(_CLUSTER, "server_availability_zone", LINE),
        proto(_CLUSTER, "manages_networks", {"default": False}),
        own(
            "rabbitMQConfig",
            {"type": "object"},
            "Where its notifications come from. Accepted, and not used yet.",
            fields=(
                own(
                    "name",
                    {"type": "string", "minLength": 1, "maxLength": 253},
                    "The name of the configuration.",
                    required=True,
                ),
            ),
        ),
    ),
    columns=(
        Column("Zone", ".spec.availabilityZone"),
        Column("State", ".spec.state"),
        Column("Controller", ".spec.controllerName", wide=True),
    ),
    left_out={
        f"{_CLUSTER}.auth_url": _STORED,
        f"{_CLUSTER}.username": _STORED,
        f"{_CLUSTER}.password": _STORED,
        f"{_CLUSTER}.has_password": _STORED,
        f"{_CLUSTER}.project_name": _STORED,
        f"{_CLUSTER}.user_domain_name": _STORED,
        f"{_CLUSTER}.project_domain_name": _STORED,
        f"{_CLUSTER}.ca_certificate": _STORED,
    },
)

DEFINITIONS: Final = (_cluster, _instance_type, _volume_type, _public_image)
