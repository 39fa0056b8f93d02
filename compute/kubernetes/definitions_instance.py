"""The custom resources of instances, and the schema of placement groups, which nothing makes yet."""

from typing import Final

from compute.kubernetes.apis import INSTANCE, PLACEMENT_GROUP
from cycloud.kubernetes.crds.definition import Category, Column, Definition
from cycloud.kubernetes.crds.fields import (
    CATALOG_ID,
    DISPLAY_NAME,
    RESOURCE_ID,
    Rule,
    own,
    proto,
)

__all__ = ["INSTANCE_DEFINITION", "PLACEMENT_GROUP_DEFINITION"]

_INSTANCE: Final = "cycloud.compute.v1.Instance"
_VOLUME: Final = "cycloud.compute.v1.InstanceVolume"
_INTERFACE: Final = "cycloud.compute.v1.InstanceNetworkInterface"
_ADDRESS: Final = {"format": "ipv4", "maxLength": 15}
# whoever applies one entry must not lose another's
_BY_INDEX: Final = {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["deviceIndex"],
}
_INDEX: Final = {"type": "integer", "format": "int32", "minimum": 0}
_INLINE: Final = "apply an object for it, and name that here"

_volume_attachments = proto(
    _INSTANCE,
    "volumes",
    {**_BY_INDEX, "minItems": 1, "maxItems": 26},
    name="volumeAttachments",
    # the API has verbs for it, which an edit of the list stands for
    immutable=False,
    description="Its volumes. An entry that is added is attached, one that is taken out is detached.",
    fields=(
        own(
            "deviceIndex",
            _INDEX,
            "The place of the volume. The instance boots from 0.",
            required=True,
        ),
        proto(
            _VOLUME,
            "id",
            RESOURCE_ID,
            name="volumeName",
            required=True,
            description="The name of a Volume in the same namespace.",
        ),
    ),
    rules=(
        Rule(
            "self.exists(a, a.deviceIndex == 0)",
            "one of volumeAttachments must have deviceIndex 0: the volume that the instance boots from",
        ),
        Rule(
            "self.all(a, self.exists_one(b, b.volumeName == a.volumeName))",
            "a volumeName may be in volumeAttachments only once",
        ),
    ),
)

_interface_attachments = proto(
    _INSTANCE,
    "network_interfaces",
    {**_BY_INDEX, "minItems": 1, "maxItems": 8},
    name="networkInterfaceAttachments",
    description="Its network interfaces. They can be changed while the instance is stopped.",
    fields=(
        own(
            "deviceIndex",
            _INDEX,
            "The place of the network interface, in the order in which the guest sees them.",
            required=True,
        ),
        proto(
            _INTERFACE,
            "id",
            RESOURCE_ID,
            name="networkInterfaceID",
            required=True,
            description="The name of a NetworkInterface in the same namespace.",
        ),
    ),
    rules=(
        Rule(
            "self.all(a, self.exists_one(b, b.networkInterfaceID == a.networkInterfaceID))",
            "a networkInterfaceID may be in networkInterfaceAttachments only once",
        ),
    ),
)

INSTANCE_DEFINITION: Final = Definition(
    api=INSTANCE,
    category=Category.INTERFACE,
    message=_INSTANCE,
    taken_in=True,
    spec=(
        proto(_INSTANCE, "display_name", DISPLAY_NAME),
        proto(_INSTANCE, "instance_type", CATALOG_ID),
        proto(_INSTANCE, "availability_zone", CATALOG_ID),
        proto(_INSTANCE, "desired_state", {"default": "Running"}),
        _volume_attachments,
        _interface_attachments,
        proto(
            _INSTANCE,
            "ssh_public_keys",
            {
                "x-kubernetes-list-type": "atomic",
                "maxItems": 32,
                "items": {"maxLength": 8192},
                "default": [],
            },
            name="sshPublicKeys",
        ),
        proto(
            _INSTANCE,
            "deletion_protection",
            {"default": False},
            description="Whether its deletion is refused, also that of this object.",
        ),
        proto(
            _INSTANCE,
            "user_data",
            {"maxLength": 65536},
            description="What cloud-init reads at the first boot. Missing: it stays as it is. Cycloud never writes it "
            "here, since it may hold secrets; everybody who may read this object reads what you write.",
        ),
    ),
    status=(
        proto(_INSTANCE, "state"),
        proto(
            _INTERFACE,
            "ip_address",
            _ADDRESS,
            description="The IPv4 address of its first network interface.",
        ),
        proto(
            _INSTANCE,
            "network_interfaces",
            {"x-kubernetes-list-type": "atomic"},
            fields=(
                proto(
                    _INTERFACE,
                    "id",
                    name="networkInterfaceID",
                    description="The name of the NetworkInterface.",
                ),
                proto(_INTERFACE, "ip_address", _ADDRESS, description="Its IPv4 address."),
                proto(_INTERFACE, "mac_address"),
            ),
        ),
        proto(
            _INSTANCE,
            "volumes",
            {"x-kubernetes-list-type": "atomic"},
            description="Its volumes, in the order of their places.",
            fields=(
                proto(_VOLUME, "id", name="volumeName", description="The name of the Volume."),
                proto(_VOLUME, "size", description="Its size, for example `100Gi`."),
                proto(_VOLUME, "boot"),
            ),
        ),
    ),
    columns=(
        Column("Type", ".spec.instanceType"),
        Column("Zone", ".spec.availabilityZone"),
        Column("State", ".status.state"),
        Column("IP", ".status.ipAddress", wide=True),
    ),
    left_out={
        f"{_VOLUME}.volume_type": _INLINE,
        f"{_VOLUME}.image": _INLINE,
        f"{_VOLUME}.volume_id": _INLINE,
        f"{_INTERFACE}.subnet": _INLINE,
    },
)

PLACEMENT_GROUP_DEFINITION: Final = Definition(
    api=PLACEMENT_GROUP,
    category=Category.INTERFACE,
    description="Instances that are to be near each other or apart. Reserved: nothing acts on it yet.",
    spec=(
        own(
            "displayName",
            {"type": "string", **DISPLAY_NAME},
            "A name for people, up to 255 characters.",
        ),
        own(
            "strategy",
            {"type": "string", "enum": ["Spread", "Cluster"]},
            "`Spread`: on different machines. `Cluster`: near each other.",
            required=True,
        ),
    ),
    columns=(Column("Strategy", ".spec.strategy"),),
)
