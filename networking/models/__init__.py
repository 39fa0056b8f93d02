"""Tables of networks and addresses."""

from networking.models.free_range import FreeRange
from networking.models.network_interface import NetworkInterface
from networking.models.openstack_subnet import OpenStackSubnet
from networking.models.subnet import Subnet
from networking.models.vpc import VPC

__all__ = ["VPC", "FreeRange", "NetworkInterface", "OpenStackSubnet", "Subnet"]
