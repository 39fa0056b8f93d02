"""The kinds of networking (CYCLOUD_KUBERNETES_KINDS): what is referred to comes first."""

from cycloud.kubernetes.kinds import Kind
from networking.kubernetes.network_interfaces import NetworkInterfaceKind
from networking.kubernetes.subnets import SubnetKind
from networking.kubernetes.vpcs import VpcKind

__all__ = ["KINDS"]

KINDS: tuple[Kind, ...] = (VpcKind(), SubnetKind(), NetworkInterfaceKind())
