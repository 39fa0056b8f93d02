"""Where the Kubernetes API has the kinds of networking."""

from typing import Final

from cycloud.kubernetes.kinds import ApiKind

__all__ = ["NETWORK_INTERFACE", "SUBNET", "VPC"]

_NETWORKING: Final = "networking.interface.compute.cycloud.jp"

VPC: Final = ApiKind(_NETWORKING, "VPC", "vpcs")
SUBNET: Final = ApiKind(_NETWORKING, "Subnet", "subnets")
NETWORK_INTERFACE: Final = ApiKind(_NETWORKING, "NetworkInterface", "networkinterfaces", ("ni",))
