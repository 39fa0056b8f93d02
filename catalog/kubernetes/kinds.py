"""The kinds of the catalog (CYCLOUD_KUBERNETES_KINDS): what is referred to comes first."""

from catalog.kubernetes.instance_types import InstanceTypeKind
from catalog.kubernetes.openstack_clusters import OpenStackClusterKind
from catalog.kubernetes.public_images import PublicImageKind
from catalog.kubernetes.volume_types import VolumeTypeKind
from cycloud.kubernetes.kinds import Kind

__all__ = ["KINDS"]

KINDS: tuple[Kind, ...] = (
    OpenStackClusterKind(),
    InstanceTypeKind(),
    VolumeTypeKind(),
    PublicImageKind(),
)
