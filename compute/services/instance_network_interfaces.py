"""The network interfaces of an instance: those that exist, and those made with it."""

from django.db import IntegrityError, transaction

from compute.models import Instance, NetworkAttachment
from compute.services.instance_input import InlineNetworkInterface, NetworkInterfaceReference
from compute.services.references import fields_under, project_reference
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument, NotFound
from cycloud.core.changes.record import record_changed
from cycloud.core.iam.actor import Actor
from networking.selectors.networks import NetworkInterface, list_network_interfaces
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    create_network_interface,
)

__all__ = ["add_network_attachments"]

# network cards on the virtual PCI bus: a bound that every OpenStack takes
_MAX_INTERFACES = 8

InterfaceItem = NetworkInterfaceReference | InlineNetworkInterface


def add_network_attachments(
    actor: Actor, instance: Instance, items: tuple[InterfaceItem, ...]
) -> None:
    """Give the instance these network interfaces in order, making the inline ones.

    Raises InvalidArgument for a wrong list, FailedPrecondition for an interface that is not free, and
    what networking raises for an address.
    """
    if not items:
        raise InvalidArgument.field("network_interfaces", "give at least one network interface.")
    if len(items) > _MAX_INTERFACES:
        raise InvalidArgument.field(
            "network_interfaces",
            f"at most {_MAX_INTERFACES} network interfaces; these are {len(items)}.",
        )
    # locks in one order, as in networking: subnets by name, then interfaces by id
    interfaces = _inline(actor, instance, items)
    interfaces.update(_existing(actor, instance, items))
    seen: set[int] = set()
    for index in range(len(items)):
        interface = interfaces[index]
        if interface.pk in seen:
            raise InvalidArgument.field(
                f"network_interfaces[{index}].id", f"{interface.name} is named twice."
            )
        seen.add(interface.pk)
        _attach(instance, interface, index)


def _inline(
    actor: Actor, instance: Instance, items: tuple[InterfaceItem, ...]
) -> dict[int, NetworkInterface]:
    """Make the inline interfaces; return them by their place in the list."""
    wanted = [(i, item) for i, item in enumerate(items) if isinstance(item, InlineNetworkInterface)]
    made = {}
    for index, item in sorted(wanted, key=lambda pair: pair[1].subnet.rpartition("/")[2]):
        field = f"network_interfaces[{index}]"
        try:
            with fields_under(field):
                written = create_network_interface(
                    actor=actor,
                    project_id=instance.project.resource_id,
                    data=NetworkInterfaceInput(subnet=item.subnet, ip_address=item.ip_address),
                )
        except NotFound as error:
            raise InvalidArgument.field(
                f"{field}.subnet", error.message, "REFERENCE_NOT_FOUND"
            ) from None
        assert written.resource is not None  # without a request id it is never an earlier answer
        made[index] = written.resource
    return made


def _existing(
    actor: Actor, instance: Instance, items: tuple[InterfaceItem, ...]
) -> dict[int, NetworkInterface]:
    """Lock the interfaces that are referred to; return them by their place in the list."""
    project_id = instance.project.resource_id
    wanted = {
        i: project_reference(
            item.id, project_id, NetworkInterface.collection, f"network_interfaces[{i}].id"
        )
        for i, item in enumerate(items)
        if isinstance(item, NetworkInterfaceReference)
    }
    if not wanted:
        return {}
    rows = list_network_interfaces(actor=actor, project_id=project_id)
    rows = rows.filter(resource_id__in=wanted.values()).select_for_update(of=("self",))
    found = {row.resource_id: row for row in rows}
    for index, reference in wanted.items():
        if reference not in found:
            raise InvalidArgument.field(
                f"network_interfaces[{index}].id",
                f"there is no network interface {reference[:80]!r} in projects/{project_id}. List "
                f"projects/{project_id}/networkInterfaces to see what is there.",
                "REFERENCE_NOT_FOUND",
            )
    return {index: found[reference] for index, reference in wanted.items()}


def _attach(instance: Instance, interface: NetworkInterface, index: int) -> None:
    """Insert the row; the unique constraint on the interface decides between instances."""
    if interface.delete_time is not None:
        raise FailedPrecondition(
            f"{interface.name} is being deleted. Use another network interface.",
            reason="NETWORK_INTERFACE_DELETING",
            metadata={"network_interface": interface.name},
        )
    if interface.subnet.availability_zone_id != instance.availability_zone_id:
        raise FailedPrecondition(
            f"{interface.name} is in another zone than {instance.availability_zone.resource_id}. Use one of "
            "a subnet of that zone.",
            reason="ZONE_DIFFERS",
            metadata={"network_interface": interface.name},
        )
    try:
        with transaction.atomic():
            NetworkAttachment.objects.create(
                instance=instance, network_interface=interface, device_index=index
            )
            record_changed(kind=interface.kind, uid=interface.uid, project_id=interface.project_id)
    except IntegrityError:
        holder = NetworkAttachment.objects.select_related("instance__project").get(
            network_interface=interface
        )
        raise FailedPrecondition(
            f"{interface.name} is attached to {holder.instance.name}. Use another network interface, or name "
            "a subnet to get a new one.",
            reason="NETWORK_INTERFACE_ATTACHED",
            metadata={"network_interface": interface.name, "instance": holder.instance.name},
        ) from None
