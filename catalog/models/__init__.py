"""Tables of the catalog: what operators offer."""

from catalog.models.availability_zone import AvailabilityZone
from catalog.models.instance_type import InstanceFamily, InstancePlacement, InstanceType
from catalog.models.openstack_cluster import ClusterState, OpenStackCluster
from catalog.models.public_image import PublicImage, PublicOpenStackImage
from catalog.models.volume_type import VolumePlacement, VolumeType

__all__ = [
    "AvailabilityZone",
    "ClusterState",
    "InstanceFamily",
    "InstancePlacement",
    "InstanceType",
    "OpenStackCluster",
    "PublicImage",
    "PublicOpenStackImage",
    "VolumePlacement",
    "VolumeType",
]
