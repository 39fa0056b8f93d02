"""The kinds of compute that are in Kubernetes, owners before what they own."""

from collections.abc import Sequence
from typing import Final

from compute.kubernetes.instances import Instances
from compute.kubernetes.openstack_instances import OpenStackInstances
from compute.kubernetes.openstack_network_interfaces import OpenStackNetworkInterfaces
from compute.kubernetes.openstack_volumes import OpenStackVolumes
from compute.kubernetes.volume_bindings import VolumeBindings
from compute.kubernetes.volumes import Volumes
from cycloud.kubernetes.kinds import Kind

__all__ = ["KINDS"]

KINDS: Final[Sequence[Kind]] = (
    Volumes(),
    VolumeBindings(),
    Instances(),
    OpenStackVolumes(),
    OpenStackInstances(),
    OpenStackNetworkInterfaces(),
)
