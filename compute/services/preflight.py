"""What could keep an instance from running where its declared type is offered, told before anything stops.

From the database only: no request waits for OpenStack. What OpenStack itself would refuse since it was seen last
(a snapshot made a second ago, a quota) shows as the condition ``MoveBlocked`` while the machine runs on.

| the target cluster of the declared type       | where the volume's data is        | refused as                |
|-----------------------------------------------|-----------------------------------|---------------------------|
| none, Retired, or not Active and not its own  | any                               | INSTANCE_TYPE_UNAVAILABLE |
| does not offer the volume's type              | any                               | VOLUME_TYPE_UNAVAILABLE   |
| offers it on another storage                  | in another cluster                | STORAGE_DIFFERS           |
| offers it on the same storage                 | in another cluster, with blockers | VOLUME_BLOCKED            |
| offers it                                     | there, or no data yet             | not refused               |
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from catalog.selectors.placements import instance_placement, volume_placement
from compute.models import Instance, OpenStackInstance, Volume, VolumeAttachment, VolumeBinding
from cycloud.core.aip.errors import FailedPrecondition, FieldViolation, PreconditionViolation

__all__ = ["check_placement", "check_volume_placement"]

_BLOCKERS = {
    "snapshots": "has snapshots in the storage system",
    "encrypted": "is encrypted",
    "group": "is in a volume group",
    "migrating": "is being migrated inside its storage system",
}


@dataclass(frozen=True)
class _Problem:
    """Why one volume cannot be where the instance is to run."""

    volume: str
    cause: str
    text: str


def check_placement(instance: Instance) -> None:
    """Raise FailedPrecondition unless the instance can run as its declared ``instance_type``.

    The message names the volume in the way; ``metadata`` and violations name all of them.
    """
    attachments = VolumeAttachment.objects.filter(instance=instance)
    rows = attachments.select_related("volume__volume_type", "volume__project")
    _check(instance, [row.volume for row in rows], whole=True)


def check_volume_placement(instance: Instance, volume: Volume) -> None:
    """Raise FailedPrecondition unless ``volume`` can be used where the instance will run next."""
    _check(instance, [volume], whole=False)


def _check(instance: Instance, volumes: list[Volume], *, whole: bool) -> None:
    placement = instance_placement(instance.instance_type, instance.availability_zone)
    offered = placement is not None and _open_to(
        instance, placement.cluster_id, placement.cluster.state
    )
    if placement is None or not offered:
        if whole:
            raise _unavailable(instance)
        return
    types = {volume.volume_type_id: volume.volume_type for volume in volumes}
    found = {key: volume_placement(value, placement.cluster) for key, value in types.items()}
    storages = {key: value.provider_type for key, value in found.items() if value is not None}
    problems = list(_problems(instance, volumes, placement.cluster_id, storages))
    if problems:
        raise _blocked(instance, problems)


def _open_to(instance: Instance, cluster_id: int, state: str) -> bool:
    """Whether the instance may be in the cluster: nothing new where it is not Active, but what is there stays."""
    if state in ("Active", "Retired"):
        return state == "Active"
    server = OpenStackInstance.objects.filter(instance=instance).first()
    return server is not None and cluster_id in (server.cluster_id, server.server_cluster_id)


def _problems(
    instance: Instance, volumes: list[Volume], cluster_id: int, storages: Mapping[int, str]
) -> Iterable[_Problem]:
    kind = instance.instance_type.resource_id
    zone = instance.availability_zone.resource_id
    uids = [volume.uid for volume in volumes]
    bindings = VolumeBinding.objects.filter(volume_uid__in=uids).select_related("provider_volume")
    by_uid = {binding.volume_uid: binding for binding in bindings}
    for volume in volumes:
        storage = storages.get(volume.volume_type_id)
        if storage is None:
            yield _Problem(
                volume.name,
                "VOLUME_TYPE_UNAVAILABLE",
                f"{volume.name} has the volume type {volume.volume_type.resource_id}, which is not offered "
                f"for {kind} in {zone}.",
            )
            continue
        binding = by_uid.get(volume.uid)
        if binding is None or binding.cluster_id in (None, cluster_id):
            continue
        if binding.provider_type and binding.provider_type != storage:
            yield _Problem(
                volume.name,
                "STORAGE_DIFFERS",
                f"the data of {volume.name} is on storage that {kind} in {zone} cannot reach, and it is "
                "never copied.",
            )
            continue
        blockers = binding.provider_volume.blockers if hasattr(binding, "provider_volume") else []
        if blockers:
            causes = " and ".join(
                _BLOCKERS.get(b, "is held by its storage system") for b in blockers
            )
            yield _Problem(volume.name, "VOLUME_BLOCKED", f"{volume.name} {causes}.")


def _blocked(instance: Instance, problems: list[_Problem]) -> FailedPrecondition:
    kind = instance.instance_type.resource_id
    texts = " ".join(problem.text for problem in problems)
    return FailedPrecondition(
        f"{instance.name} cannot run as {kind} at the moment: {texts} Nothing was changed. Keep the present "
        "instance type, detach the volume, or ask your platform team to remove the obstacle.",
        reason="MOVE_BLOCKED",
        metadata={
            "instance": instance.name,
            "instance_type": kind,
            "cause": problems[0].cause,
            "volumes": ",".join(problem.volume for problem in problems),
        },
        violations=[
            FieldViolation("instance_type", problem.text, problem.cause) for problem in problems
        ],
        precondition_violations=[
            PreconditionViolation(problem.cause, problem.volume, problem.text)
            for problem in problems
        ],
    )


def _unavailable(instance: Instance) -> FailedPrecondition:
    kind = instance.instance_type.resource_id
    zone = instance.availability_zone.resource_id
    text = f"the instance type {kind} is not available in zone {zone} at the moment."
    return FailedPrecondition(
        f"{instance.name}: {text} Choose another type or zone, or ask your platform team when it will be.",
        reason="INSTANCE_TYPE_UNAVAILABLE",
        metadata={"instance": instance.name, "instance_type": kind, "availability_zone": zone},
        violations=[FieldViolation("instance_type", text, "INSTANCE_TYPE_UNAVAILABLE")],
    )
