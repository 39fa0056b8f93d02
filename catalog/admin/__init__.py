"""The operators' pages of the catalog."""

from catalog.admin.availability_zones import AvailabilityZoneAdmin
from catalog.admin.instance_types import InstanceFamilyAdmin, InstanceTypeAdmin
from catalog.admin.openstack_clusters import OpenStackClusterAdmin
from catalog.admin.public_images import PublicImageAdmin
from catalog.admin.volume_types import VolumeTypeAdmin

__all__ = [
    "AvailabilityZoneAdmin",
    "InstanceFamilyAdmin",
    "InstanceTypeAdmin",
    "OpenStackClusterAdmin",
    "PublicImageAdmin",
    "VolumeTypeAdmin",
]
