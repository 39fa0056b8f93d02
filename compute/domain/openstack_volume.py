"""What to do about one volume, given what every cluster shows of it.

The rules (design section 3, and what the real clouds taught):

1. Bytes that exist are never replaced by an empty volume: create happens only while ``created`` is false.
2. Manage in the target only after every cluster that shares the storage answered, and none shows the volume.
   Cinder itself does not prevent that one cluster takes what another has in use.
3. An object that our own unmanage let go is managed by its name at once. Any other one, also after a manage that
   failed, must be listed by the storage: only then is it known to be lost or to have another name.
4. Manage renames the object and gives a new id: look for our uid in the target first. A manage that failed
   leaves a record in ``error`` with size 0, which is removed by unmanage, never by DELETE.
5. What unmanage forgets is saved before it.
6. A purge counts as done only when no cluster shows the volume and the storage no longer lists its object.
"""

from compute.domain.openstack_volume_state import (
    Action,
    AdoptVolume,
    CreateVolume,
    DeleteVolume,
    Desired,
    ExtendVolume,
    ForgetClusters,
    FreeAttachment,
    ManageVolume,
    MarkVolume,
    Observed,
    Purged,
    RemoveFailedManage,
    SaveForMove,
    SetBootable,
    SetImageMetadata,
    UnmanageVolume,
)
from cycloud.core.conditions import Condition
from cycloud.core.reconcile.plans import (
    AGAIN,
    BLOCKED_RECHECK_SECONDS,
    HELD,
    POLL,
    Done,
    Plan,
    Transient,
    Wait,
    not_ready,
    ready,
    unreachable,
)
from cycloud.openstack.observations import VolumeSeen

_AT_WORK = frozenset(
    {
        "creating",
        "downloading",
        "managing",
        "unmanaging",
        "deleting",
        "attaching",
        "detaching",
        "extending",
        "retyping",
        "uploading",
        "backing-up",
        "restoring-backup",
        "maintenance",
    }
)
# of a volume with bytes; "creating" is what a manage shows
_CHANGES_HANDS = frozenset({"unmanaging", "managing", "creating"})
_HEALTHY = frozenset({"available", "in-use", "reserved"})
# unmanage and manage touch no data: they take some tenths of a second
SOON = Wait(0.2, "the storage changes hands")


Record = tuple[str, VolumeSeen]


def blockers_of(volume: VolumeSeen, snapshots: int | None) -> tuple[str, ...]:
    """Return the words for what Cinder would refuse to unmanage this volume for."""
    found = []
    if snapshots:
        found.append("snapshots")
    if volume.encrypted:
        found.append("encrypted")
    if volume.group_id:
        found.append("group")
    if volume.migration_status not in (None, "", "success", "error"):
        found.append("migrating")
    return tuple(found)


def is_at_work(volume: VolumeSeen) -> bool:
    """Whether Cinder is changing the volume, so that there is nothing to do but to wait."""
    return volume.status in _AT_WORK


def decide(desired: Desired, observed: Observed) -> Plan[Action]:
    """Return the next step for the volume; a second call after it was taken returns the one after it."""
    needed = {desired.target} | ({desired.home} if desired.home else set())
    unseen = [c for c in sorted(needed) if observed.volumes.get(c) is None]
    if unseen:
        condition, outcome = unreachable("The storage service that holds the volume")
        return Plan((condition,), outcome)
    records = [(c, v) for c in sorted(observed.volumes) for v in observed.volumes[c] or ()]
    failed = [(c, v) for c, v in records if _failed_manage(desired, v)]
    if failed:
        return _remove_failed_manage(failed)
    at_work = [v for _, v in records if is_at_work(v)]
    if at_work:
        changes_hands = desired.created and at_work[0].status in _CHANGES_HANDS
        return Plan((_waiting(desired, at_work[0].status),), SOON if changes_hands else POLL)
    if not desired.wanted and not desired.purge_due:
        return Plan((not_ready("Deleting", "The data is kept until the purge time."),), Done())
    if not records:
        return _nowhere(desired, observed)
    if len(records) > 1:
        return _several(desired, records)
    cluster, volume = records[0]
    if not desired.wanted:
        return _purge(desired, observed, cluster, volume)
    return _one(desired, observed, cluster, volume)


def _failed_manage(desired: Desired, volume: VolumeSeen) -> bool:
    return desired.created and volume.status.startswith("error") and volume.size_gib == 0


def _remove_failed_manage(failed: list[Record]) -> Plan[Action]:
    actions = tuple(RemoveFailedManage(c, v.id, v.backend_reference) for c, v in failed)
    condition = not_ready(
        "VolumeBindingNotReady", "The storage refused to take the volume in; it is tried again."
    )
    return Plan((condition,), Transient("a manage failed"), actions)


def _waiting(desired: Desired, status: str) -> Condition:
    reason = "VolumeBindingNotReady" if desired.wanted else "Deleting"
    return not_ready(reason, f"The volume is {status}.")


def _everywhere_seen(desired: Desired, observed: Observed) -> bool | None:
    """True: all clusters that could hold it answered; False: some were not asked; None: some did not answer."""
    candidates = desired.footprint | {desired.target}
    if desired.created:
        # an operator may have managed it by hand into any cluster over the storage
        candidates |= desired.shared
    if any(c not in observed.volumes for c in candidates):
        return False
    return None if any(observed.volumes[c] is None for c in candidates) else True


def _nowhere(desired: Desired, observed: Observed) -> Plan[Action]:
    """No cluster that was looked at shows the volume."""
    looking = not_ready("VolumeBindingNotReady", "The volume is looked for.")
    seen = _everywhere_seen(desired, observed)
    if seen is False:
        return Plan((looking,), AGAIN, look_everywhere=True)
    if seen is None:
        condition, outcome = unreachable("One of the storage services that could hold the volume")
        return Plan((condition,), outcome)
    if not desired.created:
        if not desired.wanted:
            return Plan((not_ready("Deleting", "There is no data."),), Done(), (Purged(),))
        if desired.cannot_create:
            condition = not_ready("InvalidConfiguration", desired.cannot_create, terminal=True)
            return Plan((condition,), Wait(BLOCKED_RECHECK_SECONDS, desired.cannot_create))
        creating = not_ready("VolumeBindingNotReady", "The volume is being made.")
        return Plan((creating,), POLL, (CreateVolume(desired.target),))
    # an object that we let go ourselves need not be looked for: the storage lists all that it holds for that
    reference = desired.references[0] if desired.released and desired.wanted else observed.listed
    if reference is None:
        return Plan((looking,), AGAIN, look_everywhere=True)
    if reference:
        # for a purge too: only a managed volume can be deleted through Cinder
        reason = "VolumeBindingNotReady" if desired.wanted else "Deleting"
        moving = not_ready(reason, "The volume is being taken over with its data.")
        return Plan((moving,), SOON, (ManageVolume(desired.target, reference),))
    if not desired.wanted:
        return Plan((not_ready("Deleting", "The data is deleted."),), Done(), (Purged(),))
    lost = not_ready(
        "DataNotFound",
        "The data of this volume cannot be found in the storage. Nothing was put in its place. Your platform "
        "team has been alarmed; do not delete the volume.",
        terminal=True,
    )
    return Plan((lost,), Wait(BLOCKED_RECHECK_SECONDS, "the data was not found"))


def _several(desired: Desired, records: list[Record]) -> Plan[Action]:
    """Two records of one uid: a create was answered twice. Only records that never held data may go."""
    if not desired.created:
        keep = min(
            records, key=lambda r: (r[0] != desired.target, r[1].status != "available", r[1].id)
        )
        extra = tuple(DeleteVolume(c, v.id) for c, v in records if (c, v) != keep)
        condition = not_ready("VolumeBindingNotReady", "The volume is being made.")
        return Plan((condition,), POLL, extra)
    condition = not_ready(
        "DataFoundTwice",
        "The storage shows this volume twice. Nothing is changed; your platform team has been alarmed.",
        terminal=True,
    )
    return Plan((condition,), Wait(BLOCKED_RECHECK_SECONDS, "two records of one volume"))


def _purge(desired: Desired, observed: Observed, cluster: str, volume: VolumeSeen) -> Plan[Action]:
    deleting = not_ready("Deleting", "The data is being deleted.")
    seen = _everywhere_seen(desired, observed)
    if seen is False:
        return Plan((deleting,), AGAIN, look_everywhere=True)
    if seen is None:
        condition, outcome = unreachable("One of the storage services that could hold the volume")
        return Plan((condition,), outcome)
    if volume.attachments:
        if observed.orphans:
            return Plan((deleting,), POLL, _free(cluster, observed.orphans))
        return Plan((deleting,), Transient("the volume to be purged is attached to a server"))
    if observed.snapshots is None:
        return Plan((deleting,), AGAIN, look_everywhere=True)
    if observed.snapshots:
        return Plan((deleting,), Transient("the volume to be purged has snapshots"))
    return Plan((deleting,), POLL, (DeleteVolume(cluster, volume.id),))


def _free(cluster: str, orphans: tuple[str, ...]) -> tuple[Action, ...]:
    return tuple(FreeAttachment(cluster, attachment) for attachment in orphans)


def _one(desired: Desired, observed: Observed, cluster: str, volume: VolumeSeen) -> Plan[Action]:
    """Exactly one record, and the volume is wanted."""
    healthy = volume.status in _HEALTHY
    if not healthy and not desired.created:
        return _failed_create(cluster, volume)
    actions: tuple[Action, ...] = ()
    unknown_place = (desired.home, desired.provider_id) != (cluster, volume.id)
    if unknown_place or (healthy and not desired.created):
        actions = (AdoptVolume(cluster, volume, has_bytes=desired.created or healthy),)
    if volume.uid != desired.uid:
        actions += (MarkVolume(cluster, volume.id),)
    if cluster != desired.target:
        return _release(desired, observed, cluster, volume, actions)
    if not healthy and volume.status != "error_extending":
        condition = not_ready(
            "ProviderError", f"The storage reports the volume as {volume.status}."
        )
        return Plan((condition,), Transient(f"status {volume.status}"), actions)
    return _tend(desired, observed, volume, actions)


def _failed_create(cluster: str, volume: VolumeSeen) -> Plan[Action]:
    condition = not_ready(
        "ProviderError", "The storage could not make the volume; it is tried again.", terminal=True
    )
    return Plan((condition,), Transient("create failed"), (DeleteVolume(cluster, volume.id),))


def _release(
    desired: Desired,
    observed: Observed,
    cluster: str,
    volume: VolumeSeen,
    actions: tuple[Action, ...],
) -> Plan[Action]:
    """The volume is to leave this cluster."""
    if volume.attachments or volume.status != "available":
        condition = not_ready("VolumeBindingNotReady", "The volume is still attached.")
        outcome = POLL if observed.orphans or not volume.attachments else HELD
        return Plan((condition,), outcome, actions + _free(cluster, observed.orphans))
    if not desired.movable:
        condition = not_ready(
            "MoveBlocked",
            "The volume's storage is not reachable from the new place.",
            terminal=True,
        )
        return Plan((condition,), Wait(BLOCKED_RECHECK_SECONDS, "another storage"), actions)
    if observed.snapshots is None:
        condition = not_ready("VolumeBindingNotReady", "The volume is about to move.")
        return Plan((condition,), AGAIN, actions, look_everywhere=True)
    blockers = blockers_of(volume, observed.snapshots)
    if blockers:
        condition = not_ready("MoveBlocked", blocked_message(blockers), terminal=True)
        return Plan((condition,), Wait(BLOCKED_RECHECK_SECONDS, "move blocked"), actions)
    condition = not_ready("VolumeBindingNotReady", "The volume is moving with its data in place.")
    steps: tuple[Action, ...] = (SaveForMove(volume), UnmanageVolume(cluster, volume.id))
    return Plan((condition,), SOON, actions + steps)


def blocked_message(blockers: tuple[str, ...]) -> str:
    """Return the sentence for a volume that cannot move."""
    words = {
        "snapshots": "it has snapshots",
        "encrypted": "it is encrypted",
        "group": "it is in a volume group",
        "migrating": "it is being migrated",
    }
    return "The volume cannot move: " + ", ".join(words[b] for b in blockers) + "."


def _tend(
    desired: Desired, observed: Observed, volume: VolumeSeen, actions: tuple[Action, ...]
) -> Plan[Action]:
    """The volume is in its place: size, bootable, what unmanage forgot, what is left elsewhere."""
    target = desired.target
    growing = not_ready("VolumeBindingNotReady", "The volume is being grown.")
    if observed.orphans:
        condition = not_ready("VolumeBindingNotReady", "The volume is being freed.")
        return Plan((condition,), POLL, actions + _free(target, observed.orphans))
    if volume.size_gib < desired.size_gib:
        extend = ExtendVolume(target, volume.id, desired.size_gib)
        if volume.status == "error_extending":
            condition = not_ready("ProviderError", "The storage could not grow the volume.")
            return Plan((condition,), Transient("extend failed"), actions)
        return Plan((growing,), POLL, (*actions, extend))
    settle: list[Action] = []
    if (desired.has_image or desired.saved.bootable) and not volume.bootable:
        settle.append(SetBootable(target, volume.id))
    if desired.saved.image_metadata and not volume.image_metadata:
        settle.append(SetImageMetadata(target, volume.id, desired.saved.image_metadata))
    if settle:
        # done when they are answered; another look follows all the same
        return Plan((ready("VolumeBindingReady"),), POLL, (*actions, *settle))
    stale = desired.footprint - {target}
    if any(c not in observed.volumes for c in stale):
        return Plan((ready("VolumeBindingReady"),), AGAIN, actions, look_everywhere=True)
    clean = frozenset(c for c in stale if observed.volumes[c] == ())
    if clean:
        actions += (ForgetClusters(clean),)
    unseen = any(observed.volumes[c] is None for c in stale)
    # the volume is ready all the same, but what may be left elsewhere is not forgotten
    outcome = Transient("a cluster that had the volume cannot be looked at") if unseen else Done()
    return Plan((ready("VolumeBindingReady"),), outcome, actions)
