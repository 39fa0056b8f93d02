"""The operators' pages of networks."""

from networking.admin.network_interfaces import NetworkInterfaceAdmin
from networking.admin.subnets import SubnetAdmin
from networking.admin.vpcs import VpcAdmin

__all__ = ["NetworkInterfaceAdmin", "SubnetAdmin", "VpcAdmin"]
