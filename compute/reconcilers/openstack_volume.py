"""Keeps the volumes in the clusters as they are wanted: made, grown, moved with their bytes, purged."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from catalog.reconcilers.provider_pass import (
    client_of,
    condition_of_fault,
    outcome_of_fault,
    provider_pass,
    see,
    timed,
)
from catalog.selectors.clusters import OpenStackCluster, clusters_by_uid, clusters_sharing
from catalog.selectors.placements import VolumePlacement, image_in_cluster, volume_placement
from compute.domain.openstack_volume import blockers_of, decide
from compute.domain.openstack_volume_state import Desired, Observed, Saved
from compute.models import OpenStackVolume, VolumeBinding
from compute.reconcilers.openstack_volume_apply import VolumeActions
from compute.reconcilers.wakeups import wake_instance, wake_openstack_instance, wake_volume
from compute.selectors.provider_rows import instance_of_volume
from cycloud.core.clock import now
from cycloud.core.conditions import Condition
from cycloud.core.iam.alarms import raise_alarm
from cycloud.core.reconcile.leases import Work
from cycloud.core.reconcile.outcomes import Done, Outcome, Wait
from cycloud.openstack.client import ClusterClient
from cycloud.openstack.faults import ProviderFault
from cycloud.openstack.observations import VolumeSeen

__all__ = ["OpenStackVolumeController"]

# conditions that a person must look into at once
ALARMS = frozenset({"DataNotFound", "DataFoundTwice"})


@dataclass
class VolumeState:
    """One pass: the rows, the clusters that could hold the volume, and where it may go."""

    row: OpenStackVolume
    clusters: dict[str, OpenStackCluster]
    shared: frozenset[str]
    placement: VolumePlacement | None
    image_id: str
    time: datetime

    @property
    def binding(self) -> VolumeBinding:
        return self.row.binding

    @property
    def target(self) -> str:
        return str(self.row.cluster.uid)

    @property
    def home(self) -> str:
        home = self.binding.cluster
        return str(home.uid) if home is not None and str(home.uid) in self.clusters else ""

    @property
    def cannot_create(self) -> str:
        """Why a new volume could not be made in the target: a hole in the catalog."""
        if self.placement is None:
            return "The volume type is not offered where the volume is to be made."
        if self.row.image is not None and not self.image_id:
            return f"The image {self.row.image.resource_id} is not offered where the volume is to be made."
        return ""

    def desired(self) -> Desired:
        binding = self.binding
        references = [binding.backend_reference, *binding.saved.get("references", [])]
        return Desired(
            uid=str(binding.volume_uid),
            target=self.target,
            size_gib=self.row.size_gib,
            wanted=self.row.wanted,
            purge_due=binding.purge_time is not None and binding.purge_time <= self.time,
            home=self.home,
            provider_id=binding.provider_id,
            created=binding.created,
            references=tuple(r for r in references if r),
            saved=Saved(
                bootable=binding.saved.get("bootable", False),
                image_metadata=binding.saved.get("image_metadata", {}),
            ),
            footprint=frozenset(binding.footprint) & frozenset(self.clusters),
            shared=self.shared,
            has_image=self.row.image_id is not None,
            cannot_create=self.cannot_create,
            movable=self.placement is not None
            and (
                not binding.provider_type or self.placement.provider_type == binding.provider_type
            ),
        )


class OpenStackVolumeController:
    """Key: uid of the OpenStackVolume."""

    name = "openstack_volume"

    def reconcile(self, work: Work) -> Outcome:
        with provider_pass(work):
            state = _load(work.key)
            if state is None:
                return Done()
            observed = _observe(state, everywhere=False)
            plan = decide(state.desired(), observed)
            if plan.look_everywhere:
                observed = _observe(state, everywhere=True)
                plan = decide(state.desired(), observed)
            condition, outcome = plan.conditions[0], timed(plan.outcome)
            if plan.look_everywhere and not plan.actions:
                outcome = Wait(1.0, "not all could be seen")
            actions = VolumeActions(work, state)
            try:
                for action in plan.actions:
                    actions.apply(action)
            except ProviderFault as fault:
                outcome = outcome_of_fault(fault)
                condition = condition_of_fault(fault, "The volume", condition)
            if not actions.purged:
                _publish(work, state, observed, condition)
            return outcome


def _load(key: str) -> VolumeState | None:
    row = (
        OpenStackVolume.objects.select_related(
            "cluster", "volume_type", "image", "binding__project", "binding__cluster"
        )
        .filter(uid=key)
        .first()
    )
    if row is None:
        return None
    placement = volume_placement(row.volume_type, row.cluster)
    provider_type = row.binding.provider_type or (placement.provider_type if placement else "")
    sharing = clusters_sharing(provider_type) if provider_type else []
    clusters = {str(c.uid): c for c in sharing}
    named = {*row.binding.footprint, str(row.cluster.uid)}
    if row.binding.cluster is not None:
        named.add(str(row.binding.cluster.uid))
    clusters.update(clusters_by_uid(named - clusters.keys()))
    image_id = image_in_cluster(row.image, row.cluster) if row.image is not None else None
    shared = frozenset(str(c.uid) for c in sharing)
    return VolumeState(row, clusters, shared, placement, image_id or "", now())


def _observe(state: VolumeState, *, everywhere: bool) -> Observed:
    near = {state.target, state.home} - {""}
    asked = (
        state.clusters
        if everywhere
        else {k: state.clusters[k] for k in near if k in state.clusters}
    )
    volumes: dict[str, tuple[VolumeSeen, ...] | None] = {
        key: see(partial(_records, state, key)) for key in asked
    }
    records = [(k, v) for k, found in volumes.items() for v in found or ()]
    observed = Observed(volumes)
    if len(records) == 1:
        key, volume = records[0]
        return _look_closer(state, observed, key, volume, everywhere=everywhere)
    if not records and everywhere and state.binding.created and state.placement is not None:
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


def _look_closer(
    state: VolumeState, observed: Observed, key: str, volume: VolumeSeen, *, everywhere: bool
) -> Observed:
    """Snapshots before a move or a purge; attachments whose server is gone where they are in the way."""
    client = client_of(state.clusters[key])
    leaving = key != state.target or not state.row.wanted
    snapshots = see(lambda: client.count_snapshots(volume.id)) if leaving else None
    orphans: tuple[str, ...] = ()
    instance = instance_of_volume(state.binding.volume_uid)
    expected = instance.server_id if instance is not None else ""
    if volume.status == "in-use":
        strange = [a for a in volume.attachments if leaving or a.server_id != expected]
        orphans = tuple(a.id for a in strange if see(partial(_server_is_gone, client, a.server_id)))
    return replace(observed, snapshots=snapshots, orphans=orphans)


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
        before = row.ready
        changed = row.publish([condition], now(), **status)
        if condition.reason in ALARMS and (before is None or before.reason != condition.reason):
            raise_alarm(
                OpenStackVolumeController.name,
                binding.volume_name,
                condition.reason,
                condition.message,
            )
        binding.publish([replace(condition, observed_generation=binding.generation)], now())
        if not changed:
            return
        wake_volume(binding)
        provider = instance_of_volume(binding.volume_uid)
        if provider is not None:
            wake_openstack_instance(provider)
            wake_instance(provider.instance)
