"""Everything that could refuse a move or a change of the type, looked at before anything is touched."""

from catalog.reconcilers.provider_pass import client_of
from catalog.selectors.clusters import OpenStackCluster
from catalog.selectors.placements import volume_placement
from compute.domain.openstack_instance_state import Blocker, Observed
from compute.domain.openstack_volume import blocked_message, blockers_of
from compute.models import OpenStackVolume
from compute.reconcilers.openstack_instance_load import ServerPass
from cycloud.openstack.faults import ProviderFault
from cycloud.openstack.observations import ComputeQuotaSeen, FlavorSeen, StorageQuotaSeen

__all__ = ["find_blockers"]


def find_blockers(state: ServerPass, observed: Observed) -> tuple[Blocker, ...] | None:
    """Return what stands in the way of the change that is wanted next; None where it cannot be seen now.

    The change is the pending one (``next_cluster``) for a server that stays, else the one under way.
    """
    row = state.row
    staying = observed.servers.get(state.desired.target)
    pending = bool(row.next_flavor_id) and bool(staying)
    target = row.next_cluster if pending and row.next_cluster is not None else row.cluster
    flavor_id = row.next_flavor_id if pending else row.flavor_id
    try:
        blockers = _target_blockers(state, target, flavor_id, moves=_moves(state, observed, target))
        for volume in state.provider_volumes:
            blockers += _volume_blockers(volume, target)
    except ProviderFault:
        return None
    return tuple(blockers)


def _moves(state: ServerPass, observed: Observed, target: OpenStackCluster) -> bool:
    return not observed.servers.get(str(target.uid))


def _target_blockers(
    state: ServerPass, target: OpenStackCluster, flavor_id: str, *, moves: bool
) -> list[Blocker]:
    """The instance type itself: is it there, open for new instances, and is there room in the quota."""
    unavailable = Blocker(
        "The new instance type cannot be used here at the moment. Choose another one, or ask your platform team."
    )
    if moves and target.state != "Active":
        return [unavailable]
    client = client_of(target)
    flavor = client.get_flavor(flavor_id)
    if flavor is None:
        return [unavailable]
    if not moves:
        return []
    blockers = []
    if not _fits(client.compute_quota(), flavor):
        blockers.append(
            Blocker(
                "The platform's quota for the new instance type is used up. Your platform team can raise it."
            )
        )
    leaving = [v for v in state.provider_volumes if _is_elsewhere(v, target)]
    if not _holds(client.storage_quota(), leaving):
        blockers.append(
            Blocker(
                "The platform's quota for volumes is used up there. Your platform team can raise it."
            )
        )
    return blockers


def _fits(quota: ComputeQuotaSeen, flavor: FlavorSeen) -> bool:
    needs = (
        (quota.instances, 1),
        (quota.vcpus, flavor.vcpus),
        (quota.memory_mib, flavor.memory_mib),
    )
    return all(free is None or free >= need for free, need in needs)


def _holds(quota: StorageQuotaSeen, volumes: list[OpenStackVolume]) -> bool:
    needs = ((quota.volumes, len(volumes)), (quota.gib, sum(v.size_gib for v in volumes)))
    return all(free is None or free >= need for free, need in needs)


def _is_elsewhere(volume: OpenStackVolume, target: OpenStackCluster) -> bool:
    return volume.binding.cluster_id is not None and volume.binding.cluster_id != target.pk


def _volume_blockers(volume: OpenStackVolume, target: OpenStackCluster) -> list[Blocker]:
    """One volume: its storage must be reachable from the target, and Cinder must let it go."""
    if not _is_elsewhere(volume, target):
        return []
    binding = volume.binding
    name = binding.volume_name.rsplit("/", 1)[-1]
    placement = volume_placement(volume.volume_type, target)
    if placement is None or placement.provider_type != binding.provider_type:
        return [
            Blocker(
                f"{name}: its storage cannot be reached from the new instance type's place.", name
            )
        ]
    home = binding.cluster
    if home is None:
        return []
    client = client_of(home)
    seen = client.get_volume(binding.provider_id)
    if seen is None:
        return []
    found = blockers_of(seen, client.count_snapshots(seen.id))
    return [Blocker(f"{name}: {blocked_message(found)}", name)] if found else []
