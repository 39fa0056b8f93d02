"""Everything that could refuse a move or a change of the type, looked at before anything is touched."""

from collections.abc import Callable, Iterator
from functools import partial

from catalog.reconcilers.provider_pass import client_of, look_at_all
from catalog.selectors.clusters import OpenStackCluster
from catalog.selectors.placements import volume_placement
from compute.domain.openstack_instance_state import Blocker, Observed
from compute.domain.openstack_volume import blocked_message, blockers_of
from compute.models import OpenStackVolume
from compute.reconcilers.openstack_instance_load import ServerPass
from cycloud.openstack.client import ClusterClient
from cycloud.openstack.faults import ProviderFault
from cycloud.openstack.observations import ComputeQuotaSeen, FlavorSeen, StorageQuotaSeen

__all__ = ["find_blockers"]

Look = Callable[[], tuple[Blocker, ...]]

_UNAVAILABLE = Blocker(
    "The new instance type cannot be used here at the moment. Choose another one, or ask your platform team."
)
_NO_COMPUTE_QUOTA = Blocker(
    "The platform's quota for the new instance type is used up. Your platform team can raise it."
)
_NO_STORAGE_QUOTA = Blocker(
    "The platform's quota for volumes is used up there. Your platform team can raise it."
)


def find_blockers(state: ServerPass, observed: Observed) -> tuple[Blocker, ...] | None:
    """Return what stands in the way of the change that is wanted next; None where it cannot be seen now.

    The change is the pending one (``next_cluster``) for a server that stays, else the one under way.
    """
    row = state.row
    staying = observed.servers.get(state.desired.target)
    pending = bool(row.next_flavor_id) and bool(staying)
    target = row.next_cluster if pending and row.next_cluster is not None else row.cluster
    flavor_id = row.next_flavor_id if pending else row.flavor_id
    moves = not observed.servers.get(str(target.uid))
    # rows are read here: the looks are made at once, in threads that have no business with the database
    try:
        found = look_at_all(
            [
                *_looks_at_target(state, target, flavor_id, moves=moves),
                *(_look_at_volume(v, target) for v in state.provider_volumes),
            ]
        )
    except ProviderFault:
        return None
    return tuple(blocker for blockers in found for blocker in blockers)


def _looks_at_target(
    state: ServerPass, target: OpenStackCluster, flavor_id: str, *, moves: bool
) -> Iterator[Look]:
    """The instance type itself: is it there, open for new instances, and is there room in the quota."""
    if moves and target.state != "Active":
        yield _found(_UNAVAILABLE)
        return
    client = client_of(target)
    yield partial(_flavor_blockers, client, flavor_id, moves=moves)
    if moves:
        leaving = [v for v in state.provider_volumes if _is_elsewhere(v, target)]
        yield partial(_storage_blockers, client, leaving)


def _found(*blockers: Blocker) -> Look:
    """What is known without a look."""
    return lambda: blockers


def _flavor_blockers(client: ClusterClient, flavor_id: str, *, moves: bool) -> tuple[Blocker, ...]:
    flavor = client.get_flavor(flavor_id)
    if flavor is None:
        return (_UNAVAILABLE,)
    if not moves or _fits(client.compute_quota(), flavor):
        return ()
    return (_NO_COMPUTE_QUOTA,)


def _storage_blockers(client: ClusterClient, leaving: list[OpenStackVolume]) -> tuple[Blocker, ...]:
    return () if _holds(client.storage_quota(), leaving) else (_NO_STORAGE_QUOTA,)


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


def _look_at_volume(volume: OpenStackVolume, target: OpenStackCluster) -> Look:
    """One volume: its storage must be reachable from the target, and Cinder must let it go."""
    binding = volume.binding
    home = binding.cluster
    if home is None or not _is_elsewhere(volume, target):
        return _found()
    name = binding.volume_name.rsplit("/", 1)[-1]
    placement = volume_placement(volume.volume_type, target)
    if placement is None or placement.provider_type != binding.provider_type:
        message = f"{name}: its storage cannot be reached from the new instance type's place."
        return _found(Blocker(message, name))
    return partial(_volume_blockers, client_of(home), binding.provider_id, name)


def _volume_blockers(client: ClusterClient, provider_id: str, name: str) -> tuple[Blocker, ...]:
    seen = client.get_volume(provider_id)
    if seen is None:
        return ()
    found = blockers_of(seen, client.count_snapshots(seen.id))
    return (Blocker(f"{name}: {blocked_message(found)}", name),) if found else ()
