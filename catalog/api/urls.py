"""The collections that the catalog serves over REST."""

from typing import Any

from catalog.api.availability_zones import AvailabilityZones
from catalog.api.instance_families import InstanceFamilies
from catalog.api.instance_types import InstanceTypes
from catalog.api.openstack_clusters import OpenStackClusters
from catalog.api.public_images import PublicImages
from catalog.api.volume_types import VolumeTypes
from cycloud.core.aip.collection import Collection

COLLECTIONS: list[Collection[Any]] = [
    AvailabilityZones(),
    InstanceFamilies(),
    InstanceTypes(),
    VolumeTypes(),
    PublicImages(),
    OpenStackClusters(),
]
