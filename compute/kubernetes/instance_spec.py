"""The declaration of an instance as an object has it: read, and written. Pure.

``deviceIndex`` gives an order and nothing else, in both lists: the volume with index 0 boots, and gaps mean nothing.
The row has indexes of its own, given as volumes are attached; they only ever grow, so objects get places instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from compute.models import Instance
from cycloud.core.aip.body import Body
from cycloud.core.aip.errors import InvalidArgument
from cycloud.kubernetes.kinds import Json

__all__ = ["Attached", "InstanceSpec", "read_instance_spec", "write_instance_spec"]

_STATES: Final[Mapping[str, str]] = {"Running": "RUNNING", "Stopped": "STOPPED"}
_SPOKEN: Final = {value: key for key, value in _STATES.items()}


@dataclass(frozen=True)
class Attached:
    """One item of a list of attachments. ``path``: where the object names it."""

    name: str
    path: str


@dataclass(frozen=True)
class InstanceSpec:
    """What an object declares. Attachments are in the order of their indexes; ``user_data`` None where it has none."""

    instance_type: str
    availability_zone: str
    volumes: tuple[Attached, ...]
    network_interfaces: tuple[Attached, ...]
    ssh_public_keys: tuple[str, ...] = ()
    user_data: str | None = None
    desired_state: str = "RUNNING"
    deletion_protection: bool = False
    display_name: str = ""

    @property
    def volume_names(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.volumes)

    @property
    def network_interface_names(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.network_interfaces)

    @property
    def comparable(self) -> tuple[object, ...]:
        """What two declarations must have in common to say the same; user data is compared apart, where it is kept."""
        return (
            self.instance_type,
            self.availability_zone,
            self.volume_names,
            self.network_interface_names,
            # as the row keeps them
            tuple(key.strip() for key in self.ssh_public_keys),
            self.desired_state,
            self.deletion_protection,
            self.display_name,
        )


def read_instance_spec(spec: Json) -> InstanceSpec:
    """Return what a ``spec`` declares, with defaults for what it leaves out.

    Raises InvalidArgument naming the field (``spec.volumeAttachments[1].volumeName``) for what no schema lets in, too:
    objects can be older than their schema.
    """
    body = Body(spec, path="spec")
    state = body.text("desiredState", "Running")
    if state not in _STATES:
        raise InvalidArgument.field(body.where("desiredState"), "use Running or Stopped.")
    volumes = _attached(body, "volumeAttachments", "volumeName", "volumes")
    if not volumes or volumes[0][0] != 0:
        raise InvalidArgument.field(
            body.where("volumeAttachments"),
            "no volume has the deviceIndex 0, and that one boots. Give one of them the index 0.",
            "REQUIRED",
        )
    interfaces = _attached(
        body, "networkInterfaceAttachments", "networkInterfaceID", "network interfaces"
    )
    return InstanceSpec(
        instance_type=body.text("instanceType"),
        availability_zone=body.text("availabilityZone"),
        volumes=tuple(item for _, item in volumes),
        network_interfaces=tuple(item for _, item in interfaces),
        ssh_public_keys=body.texts("sshPublicKeys"),
        user_data=body.text("userData", None),
        desired_state=_STATES[state],
        deletion_protection=body.boolean("deletionProtection", False),
        display_name=body.text("displayName", ""),
    )


def write_instance_spec(instance: Instance) -> Json:
    """Return the ``spec`` of a row; all that it reads must be loaded. User data may hold secrets: it is left out."""
    return {
        "displayName": instance.display_name,
        "instanceType": instance.instance_type.resource_id,
        "availabilityZone": instance.availability_zone.resource_id,
        "desiredState": _SPOKEN[instance.desired_state],
        "volumeAttachments": [
            {"deviceIndex": place, "volumeName": item.volume.resource_id}
            for place, item in enumerate(instance.volume_attachments.all())
        ],
        "networkInterfaceAttachments": [
            {"deviceIndex": place, "networkInterfaceID": item.network_interface.resource_id}
            for place, item in enumerate(instance.network_attachments.all())
        ],
        "sshPublicKeys": list(instance.ssh_public_keys),
        "deletionProtection": instance.deletion_protection,
    }


def _attached(body: Body, field: str, key: str, what: str) -> Sequence[tuple[int, Attached]]:
    """Return a list of attachments in the order of their indexes."""
    found: dict[int, Attached] = {}
    names: set[str] = set()
    for item in body.objects(field):
        index, name = item.integer("deviceIndex"), item.text(key)
        if index in found or index < 0:
            raise InvalidArgument.field(
                item.where("deviceIndex"), f"{index} is negative, or there twice."
            )
        if name in names:
            raise InvalidArgument.field(item.where(key), f"{name[:80]!r} is named twice.")
        if "/" in name:
            raise InvalidArgument.field(
                item.where(key),
                f"{name[:160]!r} is no name of one of the {what} of this project. Use the name alone, as in "
                "metadata.name.",
                "INVALID_REFERENCE",
            )
        names.add(name)
        found[index] = Attached(name, item.where(key))
    return sorted(found.items(), key=lambda pair: pair[0])
