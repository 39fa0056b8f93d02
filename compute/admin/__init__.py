"""The operators' pages of instances and volumes."""

from compute.admin.instances import InstanceAdmin
from compute.admin.openstack_instances import OpenStackInstanceAdmin
from compute.admin.openstack_network_interfaces import OpenStackNetworkInterfaceAdmin
from compute.admin.openstack_volumes import OpenStackVolumeAdmin
from compute.admin.volume_bindings import VolumeBindingAdmin
from compute.admin.volumes import VolumeAdmin

__all__ = [
    "InstanceAdmin",
    "OpenStackInstanceAdmin",
    "OpenStackNetworkInterfaceAdmin",
    "OpenStackVolumeAdmin",
    "VolumeAdmin",
    "VolumeBindingAdmin",
]
