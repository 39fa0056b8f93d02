"""What is known of an instance and its parts, for telling how far an operation on it is. Calls no cluster."""

from compute.domain.openstack_instance import MADE_ANEW
from compute.domain.progress import InstanceSeen, PartSeen
from compute.models import (
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
)
from cycloud.core.reconcile.plans import not_ready

__all__ = ["seen_of"]

# of a volume in a cluster: a server has it, or does not let go of it yet
_HELD = frozenset({"in-use", "detaching", "attaching", "reserved"})


def seen_of(instance: Instance, row: OpenStackInstance | None) -> InstanceSeen:
    """Return what was seen last of an instance whose server is, or is to be, ``row``'s. Three queries."""
    ready = instance.ready or not_ready("Creating", "")
    if row is None:
        return InstanceSeen(ready, volumes=(PartSeen(ready=False),))
    wanted = instance.volume_attachments.values_list("volume__uid", flat=True)
    volumes = OpenStackVolume.objects.select_related("binding").filter(
        binding__volume_uid__in=wanted
    )
    ports = OpenStackNetworkInterface.objects.filter(
        network_interface__attachment__instance=instance
    )
    place, server = row.cluster_id, row.server_status
    # their controllers have not written their rows yet
    unknown = (PartSeen(ready=False),) * (len(wanted) - len(volumes))
    return InstanceSeen(
        ready=ready,
        server=server,
        elsewhere=bool(server) and row.server_cluster_id not in (None, place),
        remade=ready.message == MADE_ANEW,
        volumes=tuple(
            PartSeen(
                ready=volume.is_ready and volume.binding.cluster_id == place,
                attached=volume.provider_state in _HELD,
                elsewhere=volume.binding.created and volume.binding.cluster_id != place,
            )
            for volume in volumes
        )
        + unknown,
        interfaces=tuple(PartSeen(ready=port.is_ready) for port in ports),
    )
