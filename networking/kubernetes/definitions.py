"""The custom resources of networking. VPC and Subnet are read only: the API makes them."""

from typing import Final

from cycloud.kubernetes.crds.definition import Category, Column, Definition
from cycloud.kubernetes.crds.fields import CATALOG_ID, DISPLAY_NAME, RESOURCE_ID, proto
from networking.kubernetes.apis import NETWORK_INTERFACE, SUBNET, VPC

__all__ = ["DEFINITIONS"]

_VPC: Final = "cycloud.networking.v1.VPC"
_SUBNET: Final = "cycloud.networking.v1.Subnet"
_INTERFACE: Final = "cycloud.networking.v1.NetworkInterface"
# the longest IPv4 address, and with a prefix length
_ADDRESS: Final = {"format": "ipv4", "maxLength": 15}
_CIDR: Final = {"format": "cidr", "maxLength": 18}

_vpc = Definition(
    api=VPC,
    category=Category.INTERFACE,
    message=_VPC,
    spec=(proto(_VPC, "display_name", DISPLAY_NAME),),
)

_subnet = Definition(
    api=SUBNET,
    category=Category.INTERFACE,
    message=_SUBNET,
    spec=(
        proto(_SUBNET, "display_name", DISPLAY_NAME),
        proto(_SUBNET, "vpc", RESOURCE_ID),
        proto(_SUBNET, "availability_zone", CATALOG_ID),
        proto(_SUBNET, "cidr", _CIDR),
        proto(
            _SUBNET,
            "gateway_ip",
            _ADDRESS,
            name="gatewayIP",
            description="The gateway's address. Cannot be changed.",
        ),
    ),
    columns=(
        Column("VPC", ".spec.vpc"),
        Column("Zone", ".spec.availabilityZone"),
        Column("CIDR", ".spec.cidr"),
        Column("Gateway", ".spec.gatewayIP", wide=True),
    ),
)

_interface = Definition(
    api=NETWORK_INTERFACE,
    category=Category.INTERFACE,
    message=_INTERFACE,
    taken_in=True,
    spec=(
        proto(_INTERFACE, "display_name", DISPLAY_NAME),
        proto(_INTERFACE, "subnet", RESOURCE_ID),
        proto(
            _INTERFACE,
            "ip_address",
            _ADDRESS,
            description="Its IPv4 address; any free one where it is missing. Cannot be changed.",
        ),
    ),
    status=(
        proto(_INTERFACE, "ip_address", _ADDRESS, description="Its IPv4 address."),
        proto(_INTERFACE, "mac_address", {"maxLength": 17}),
        proto(
            _INTERFACE,
            "attached_instance",
            description="The instance that it is attached to. Missing: it is attached to none.",
        ),
    ),
    columns=(
        Column("Subnet", ".spec.subnet"),
        Column("IP", ".status.ipAddress"),
        Column("Instance", ".status.attachedInstance"),
        Column("MAC", ".status.macAddress", wide=True),
    ),
    left_out={
        f"{_INTERFACE}.availability_zone": "the Subnet has it",
        f"{_INTERFACE}.allocation": "a request to the API only: it is not kept",
    },
)

# those that are named before those that name them
DEFINITIONS: Final = (_vpc, _subnet, _interface)
