"""Where the Kubernetes API has the kinds of the catalog: cluster-scoped, as no project owns them."""

from typing import Final

from cycloud.kubernetes.kinds import ApiKind

__all__ = ["INSTANCE_TYPE", "OPENSTACK_CLUSTER", "PUBLIC_IMAGE", "VOLUME_TYPE"]

INSTANCE_TYPE: Final = ApiKind(
    "compute.interface.compute.cycloud.jp",
    "InstanceType",
    "instancetypes",
    ("itype",),
    namespaced=False,
)
VOLUME_TYPE: Final = ApiKind(
    "storage.interface.compute.cycloud.jp",
    "VolumeType",
    "volumetypes",
    ("vtype",),
    namespaced=False,
)
OPENSTACK_CLUSTER: Final = ApiKind(
    "cluster.interface.compute.cycloud.jp",
    "OpenStackCluster",
    "openstackclusters",
    ("oscluster",),
    namespaced=False,
)
PUBLIC_IMAGE: Final = ApiKind(
    "image.interface.compute.cycloud.jp",
    "PublicImage",
    "publicimages",
    ("pimage",),
    namespaced=False,
)
