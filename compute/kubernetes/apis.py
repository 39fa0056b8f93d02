"""Where the Kubernetes API has the kinds of compute."""

from typing import Final

from cycloud.kubernetes.kinds import ApiKind

__all__ = [
    "INSTANCE",
    "OPENSTACK_INSTANCE",
    "OPENSTACK_NETWORK_INTERFACE",
    "OPENSTACK_VOLUME",
    "PLACEMENT_GROUP",
    "VOLUME",
    "VOLUME_BINDING",
]

_COMPUTE: Final = "compute.interface.compute.cycloud.jp"
_STORAGE: Final = "storage.interface.compute.cycloud.jp"
_OPENSTACK: Final = "openstack.provider.compute.cycloud.jp"

INSTANCE: Final = ApiKind(_COMPUTE, "Instance", "instances", ("inst",))
# declared only: nothing writes or reads such objects yet
PLACEMENT_GROUP: Final = ApiKind(_COMPUTE, "PlacementGroup", "placementgroups", ("pg",))
VOLUME: Final = ApiKind(_STORAGE, "Volume", "volumes", ("vol",))
VOLUME_BINDING: Final = ApiKind(_STORAGE, "VolumeBinding", "volumebindings", ("vbind",))
OPENSTACK_INSTANCE: Final = ApiKind(
    _OPENSTACK, "OpenStackInstance", "openstackinstances", ("osinst",)
)
OPENSTACK_VOLUME: Final = ApiKind(_OPENSTACK, "OpenStackVolume", "openstackvolumes", ("osvol",))
OPENSTACK_NETWORK_INTERFACE: Final = ApiKind(
    _OPENSTACK, "OpenStackNetworkInterface", "openstacknetworkinterfaces", ("osni",)
)
