"""Objects as people apply them, and short ways to take them in as the sync does."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from compute.kubernetes.instances import Instances
from compute.kubernetes.volumes import Volumes
from compute.models import Instance, NetworkAttachment, Volume, VolumeAttachment
from cycloud.core.aip.errors import CycloudError
from cycloud.core.aip.models import Operation
from cycloud.core.iam.actor import Role
from cycloud.core.iam.models import AuditEntry
from cycloud.core.reconcile.queue import in_order
from cycloud.kubernetes.kinds import Intake, Json, Manifest, TakenIn
from tests.factories.compute import World

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ6mE6mq0tMZ2hN3l0dG1mVtY3JldGtleXNvbWV0aGlu a@b"
INSTANCES = Instances()
VOLUMES = Volumes()


class Applied:
    """The objects of one kind in the namespace of the world's project."""

    def __init__(self, world: World, kind: TakenIn, name: str, role: Role = Role.EDITOR) -> None:
        self.world, self.kind = world, kind
        self.name = f"projects/{world.project.resource_id}/{kind.collection}/{name}"
        self.manager = f"namespaces/team/{kind.api.plural}/{name}"
        self.intake = Intake(world.actor(role), self.manager)

    def take(self, spec: Mapping[str, Any], **metadata: Any) -> None:
        with transaction.atomic(), in_order():
            self.kind.take(self.intake, self.name, {"metadata": metadata, "spec": dict(spec)})

    def refusal(self, spec: Mapping[str, Any], **metadata: Any) -> CycloudError:
        try:
            self.take(spec, **metadata)
        except CycloudError as error:
            return error
        raise AssertionError("was not refused")

    def remove(self) -> None:
        with transaction.atomic(), in_order():
            self.kind.remove(self.intake, self.name)

    @property
    def manifest(self) -> Manifest:
        return self.kind.manifests([self.name])[self.name]

    @property
    def spec(self) -> Json:
        """The declaration as the API server would have it."""
        return as_stored(self.manifest)


def as_stored(manifest: Manifest) -> Json:
    return {key: value for key, value in manifest.spec.items() if value is not None}


def instance_object(world: World, name: str = "web") -> Applied:
    return Applied(world, INSTANCES, name)


def volume_object(world: World, name: str = "data") -> Applied:
    return Applied(world, VOLUMES, name)


def instance_spec(world: World, *volumes: str, **changes: Any) -> Json:
    """A good declaration with these volumes (made if there are none), and one free network interface."""
    names = volumes or (world.volume(image=world.image).resource_id,)
    if "networkInterfaceAttachments" not in changes:
        changes["networkInterfaceAttachments"] = interfaces(world.network_interface().resource_id)
    return {
        "instanceType": world.small.resource_id,
        "availabilityZone": world.zone.resource_id,
        "volumeAttachments": attachments(*names),
        **changes,
    }


def volume_spec(world: World, **changes: Any) -> Json:
    return {
        "volumeType": world.shared.resource_id,
        "availabilityZone": world.zone.resource_id,
        "size": "20Gi",
        **changes,
    }


def attachments(*names: str) -> list[Json]:
    return [{"deviceIndex": i, "volumeName": name} for i, name in enumerate(names)]


def interfaces(*names: str) -> list[Json]:
    return [{"deviceIndex": i, "networkInterfaceID": name} for i, name in enumerate(names)]


def written() -> tuple[int, ...]:
    """How much was ever written: equal before and after means that nothing was."""
    rows = [*Instance.objects.order_by("pk"), *Volume.objects.order_by("pk")]
    return (
        Operation.objects.count(),
        AuditEntry.objects.count(),
        *(row.revision for row in rows),
    )


def managed(world: World, applied: Applied, row: Instance | Volume) -> None:
    """Hand a row of the API over to the object, as the verb does."""
    row.managed_by = applied.manager
    row.save(update_fields=["managed_by"])


def fields(error: CycloudError) -> list[str]:
    return [violation.field for violation in error.violations]


def volumes_of(name: str = "web") -> list[str]:
    rows = VolumeAttachment.objects.filter(instance__resource_id=name).order_by("device_index")
    return list(rows.values_list("volume__resource_id", flat=True))


def interfaces_of(name: str = "web") -> list[str]:
    rows = NetworkAttachment.objects.filter(instance__resource_id=name).order_by("device_index")
    return list(rows.values_list("network_interface__resource_id", flat=True))
