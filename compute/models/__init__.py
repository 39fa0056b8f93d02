"""Tables of instances and volumes, as users declare them and as they are to exist in clusters."""

from compute.models.instance import DesiredState, Instance, NetworkAttachment, VolumeAttachment
from compute.models.openstack_instance import OpenStackInstance
from compute.models.openstack_network_interface import OpenStackNetworkInterface
from compute.models.openstack_volume import OpenStackVolume
from compute.models.volume import Volume
from compute.models.volume_binding import VolumeBinding

__all__ = [
    "DesiredState",
    "Instance",
    "NetworkAttachment",
    "OpenStackInstance",
    "OpenStackNetworkInterface",
    "OpenStackVolume",
    "Volume",
    "VolumeAttachment",
    "VolumeBinding",
]
