"""Keeps the volumes in the clusters as they are wanted: made, grown, moved with their bytes, purged."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial

from catalog.reconcilers.provider_pass import (
    client_of,
    condition_of_fault,
    outcome_of_fault,
    provider_pass,
    see,
    see_all,
    timed,
)
from compute.domain.openstack_volume import blockers_of, decide, is_at_work
from compute.domain.openstack_volume_state import Observed
from compute.reconcilers.openstack_volume_apply import VolumeActions
from compute.reconcilers.openstack_volume_load import VolumeState, load
from compute.reconcilers.wakeups import concerns_server, wake_openstack_instance, wake_volume
from compute.selectors.provider_rows import is_leaving, is_moving
from cycloud.core.clock import now
from cycloud.core.conditions import Condition, Status
from cycloud.core.iam.alarms import raise_alarm
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome, Wait
from cycloud.core.reconcile.plans import HELD, POLL, not_ready
from cycloud.openstack.client import ClusterClient
from cycloud.openstack.faults import ProviderFault
from cycloud.openstack.observations import VolumeSeen

__all__ = ["OpenStackVolumeController"]

_SNAPSHOTS = "snapshots"
# conditions that a person must look into at once
ALARMS = frozenset({"DataNotFound", "DataFoundTwice"})


class OpenStackVolumeController:
    """Key: uid of the OpenStackVolume."""

    name = "openstack_volume"

    def reconcile(self, work: Work) -> Outcome:
        with provider_pass(work):
            state = load(work.key)
            if state is None:
                return Done()
            observed = _look_near(state)
            plan = decide(state.desired(), observed)
            if plan.look_everywhere:
                observed = _look_everywhere(state, observed)
                plan = decide(state.desired(), observed)
            condition, outcome = plan.conditions[0], timed(plan.outcome)
            if plan.outcome == HELD and is_leaving(state.instance):
                # only how soon it is looked at again
                outcome = timed(POLL)
            if plan.look_everywhere and not plan.actions:
                outcome = Wait(1.0, "not all could be seen")
            actions = VolumeActions(work, state)
            try:
                for action in plan.actions:
                    actions.apply(action)
            except ProviderFault as fault:
                outcome = outcome_of_fault(fault)
                if condition.status is Status.TRUE and not state.row.is_ready:
                    # it would have been, had the actions gone well
                    condition = not_ready(
                        "VolumeBindingNotReady", "The volume is being made ready."
                    )
                condition = condition_of_fault(fault, "The volume", condition)
            if not actions.purged:
                _publish(work, state, observed, condition)
            return outcome


def _look_near(state: VolumeState) -> Observed:
    """Look at where the volume is to be and where it was last."""
    near = {state.target, state.home} & state.clusters.keys()
    return _look(state, near, {}, listing=False)


def _look_everywhere(state: VolumeState, seen: Observed) -> Observed:
    """Look at all clusters that could hold it; what this pass has seen already is not asked for again."""
    known = {key: found for key, found in seen.volumes.items() if found is not None}
    return _look(state, state.clusters.keys(), known, listing=True)


def _look(
    state: VolumeState,
    asked: Collection[str],
    known: Mapping[str, tuple[VolumeSeen, ...]],
    *,
    listing: bool,
) -> Observed:
    looks = {key: partial(_records, state, key) for key in sorted(asked) if key not in known}
    volumes: dict[str, tuple[VolumeSeen, ...] | None] = {**known, **see_all(looks)}
    records = [(k, v) for k, found in sorted(volumes.items()) for v in found or ()]
    observed = Observed(volumes)
    if len(records) == 1:
        key, volume = records[0]
        return _look_closer(state, observed, key, volume)
    desired = state.desired()
    needs_listing = listing and not records and desired.created and state.placement is not None
    if needs_listing and not (desired.released and desired.wanted):
        return replace(observed, listed=_listed(state))
    return observed


def _records(state: VolumeState, key: str) -> tuple[VolumeSeen, ...]:
    """Our records in one cluster: by our uid, and by the id that the binding knows."""
    client = client_of(state.clusters[key])
    found = client.find_volumes(str(state.binding.volume_uid))
    if not found and key == state.home and state.binding.provider_id:
        known = client.get_volume(state.binding.provider_id)
        if known is not None:
            return (known,)
    return found


def _look_closer(state: VolumeState, observed: Observed, key: str, volume: VolumeSeen) -> Observed:
    """Snapshots before a move or a purge; attachments whose server is gone where they are in the way."""
    attached = volume.status == "in-use"
    leaving = key != state.target or not state.row.wanted
    if attached and leaving and is_moving(state.instance):
        # its server is still there: what else may be in the way is looked at when it is gone
        return observed
    client = client_of(state.clusters[key])
    expected = state.instance.server_id if state.instance is not None else ""
    strange = [a for a in volume.attachments if leaving or a.server_id != expected]
    looks: dict[str, Callable[[], int]] = {}
    if leaving and not is_at_work(volume):
        looks[_SNAPSHOTS] = partial(client.count_snapshots, volume.id)
    if attached:
        looks |= {a.id: partial(_server_is_gone, client, a.server_id) for a in strange}
    seen = see_all(looks)
    return replace(
        observed,
        snapshots=seen.get(_SNAPSHOTS),
        orphans=tuple(a.id for a in strange if seen.get(a.id)),
    )


def _server_is_gone(client: ClusterClient, server_id: str) -> bool:
    return bool(server_id) and client.get_server(server_id) is None


def _listed(state: VolumeState) -> str | None:
    """The first of the object's possible names that the target's storage lists; "" for none."""
    if state.placement is None:
        return None
    client, host = client_of(state.row.cluster), state.placement.backend_host
    for reference in state.desired().references:
        found = see(partial(_is_listed, client, host, reference))
        if found is None:
            return None
        if found:
            return reference
    return ""


def _is_listed(client: ClusterClient, host: str, reference: str) -> bool:
    return client.find_manageable(host, reference) is not None


def _publish(work: Work, state: VolumeState, observed: Observed, condition: Condition) -> None:
    row, binding = state.row, state.binding
    condition = replace(condition, observed_generation=row.generation)
    records = [v for found in observed.volumes.values() for v in found or ()]
    status: Mapping[str, object] = {}
    if len(records) == 1:
        seen = records[0]
        status = {
            "provider_id": seen.id,
            "provider_state": seen.status,
            "blockers": list(blockers_of(seen, observed.snapshots)),
        }
    with work.publishing():
        # the binding before its row, as everywhere: two orders would be a deadlock
        binding.publish([replace(condition, observed_generation=binding.generation)], now())
        before, before_id = row.ready, row.provider_id
        changed = row.publish([condition], now(), **status)
        if condition.reason in ALARMS and (before is None or before.reason != condition.reason):
            raise_alarm(
                OpenStackVolumeController.name,
                binding.volume_name,
                condition.reason,
                condition.message,
            )
        if not changed:
            return
        wake_volume(binding)
        other_id = condition.status is Status.TRUE and before_id != row.provider_id
        if state.instance is not None and (other_id or concerns_server(before, condition)):
            wake_openstack_instance(state.instance)
