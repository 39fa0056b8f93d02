"""Verbs on network interfaces: one IP and one MAC address that outlive the instances."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction

from cycloud.core.aip.errors import FailedPrecondition, ResourceExhausted
from cycloud.core.aip.operations import end_operations, start_operation
from cycloud.core.aip.writes import WriteOptions, Written, check_etag, run_write
from cycloud.core.changes.record import record_gone
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.quotas.services import lock_quotas, require_quota
from cycloud.core.reconcile.queue import enqueue, queue_for
from cycloud.core.resources.lookup import find_resource
from cycloud.core.resources.managers import check_manager
from networking.domain.addresses import to_number, to_text
from networking.domain.references import local_id
from networking.models import NetworkInterface, Subnet
from networking.services.addresses import (
    Strategy,
    allocate,
    draw_mac_address,
    lock_subnet,
    release,
)
from networking.services.resource_state import (
    apply_metadata,
    find_by_uid,
    mark_deleting,
    new_resource_id,
    refuse_if_deleting,
    save_as_available,
)

__all__ = [
    "NetworkInterfaceInput",
    "Strategy",
    "create_network_interface",
    "delete_network_interface",
    "finish_network_interface_delete",
    "update_network_interface",
]

_DEFAULT = WriteOptions()
# with 2^40 addresses a second draw is needed about once in a million times 2^20 interfaces
_MAC_DRAWS = 5


@dataclass(frozen=True)
class NetworkInterfaceInput:
    """``subnet``: an id or a full name; ``ip_address`` None: one by ``strategy``."""

    subnet: str
    ip_address: str | None = None
    strategy: Strategy = Strategy.LOWEST
    display_name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


def create_network_interface(
    *,
    actor: Actor,
    project_id: str,
    data: NetworkInterfaceInput,
    network_interface_id: str | None = None,
    options: WriteOptions = _DEFAULT,
) -> Written[NetworkInterface]:
    """Make an interface with an address of the subnet; it is ready at once.

    May be called within another write's transaction. Raises AlreadyExists (id, or ADDRESS_IN_USE),
    ResourceExhausted (SUBNET_FULL), InvalidArgument, NotFound and the errors of access.
    """
    project = project_for(actor, project_id, "networking.networkInterfaces.create")

    def write() -> Written[NetworkInterface]:
        subnet_id = local_id(
            data.subnet, project_id=project_id, collection=Subnet.collection, field="subnet"
        )
        found = find_resource(
            Subnet,
            actor=actor,
            project_id=project_id,
            resource_id=subnet_id,
            permission="networking.networkInterfaces.create",
        )
        wanted = to_number(data.ip_address, "ip_address") if data.ip_address else None
        lock_quotas(project)
        subnet = lock_subnet(found.pk)
        refuse_if_deleting(subnet)
        nic = NetworkInterface(project=project, subnet=subnet, managed_by=options.manager)
        nic.resource_id = new_resource_id(
            NetworkInterface,
            project,
            network_interface_id,
            prefix="ni",
            field="network_interface_id",
        )
        apply_metadata(nic, _metadata(data))
        require_quota(project, {"addresses": 1})
        nic.ip_number = allocate(subnet, wanted=wanted, strategy=data.strategy)
        nic.ip_address = to_text(nic.ip_number)
        _save_with_mac(nic)
        return Written(nic, start_operation(nic, "create", done=True))

    return run_write(
        write,
        actor=actor,
        project=project,
        method="CreateNetworkInterface",
        body={"network_interface_id": network_interface_id, **asdict(data)},
        find=partial(find_by_uid, NetworkInterface),
        options=options,
    )


def _metadata(data: NetworkInterfaceInput) -> dict[str, Any]:
    return {name: getattr(data, name) for name in ("display_name", "labels", "annotations")}


def _save_with_mac(nic: NetworkInterface) -> None:
    """Store the new interface with a MAC address that nobody has.

    Drawn at random and left to the unique constraint: looking first would still need the constraint, as two
    transactions do not see each other's rows. A savepoint keeps a collision from spoiling the transaction.
    """
    for _ in range(_MAC_DRAWS):
        nic.mac_address = draw_mac_address()
        try:
            with transaction.atomic():
                save_as_available(nic)
        except IntegrityError:
            if not NetworkInterface.objects.filter(mac_address=nic.mac_address).exists():
                raise
            nic.pk = None
        else:
            return
    raise ResourceExhausted(
        "No free MAC address was found. Try again; if it stays so, tell your platform team.",
        reason="MAC_ADDRESSES_EXHAUSTED",
    )


def update_network_interface(
    *,
    actor: Actor,
    project_id: str,
    network_interface_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = _DEFAULT,
) -> Written[NetworkInterface]:
    """Change display_name, labels or annotations, as ``changes`` names them. The addresses stay."""
    project = project_for(actor, project_id, "networking.networkInterfaces.update")

    def write() -> Written[NetworkInterface]:
        nic = _locked(
            actor, project_id, network_interface_id, "networking.networkInterfaces.update"
        )
        check_etag(nic.etag, options.etag, nic.name)
        check_manager(nic, options)
        refuse_if_deleting(nic)
        apply_metadata(nic, changes)
        save_as_available(nic)
        return Written(nic, start_operation(nic, "update", done=True))

    return run_write(
        write,
        actor=actor,
        project=project,
        method="UpdateNetworkInterface",
        body={"id": network_interface_id, "changes": dict(changes), "etag": options.etag},
        find=partial(find_by_uid, NetworkInterface),
        options=options,
    )


def delete_network_interface(
    *,
    actor: Actor,
    project_id: str,
    network_interface_id: str,
    options: WriteOptions = _DEFAULT,
) -> Written[NetworkInterface]:
    """Delete an interface that no instance has. Raises FailedPrecondition otherwise.

    It is gone at once and its address is free, unless there is a port of it: then when that is removed.
    """
    project = project_for(actor, project_id, "networking.networkInterfaces.delete")

    def write() -> Written[NetworkInterface]:
        nic = _locked(
            actor, project_id, network_interface_id, "networking.networkInterfaces.delete"
        )
        check_etag(nic.etag, options.etag, nic.name)
        check_manager(nic, options)
        _refuse_if_attached(nic)
        provider = getattr(nic, "provider_interface", None)
        waits = provider is not None or bool(nic.finalizers)
        if waits and nic.delete_time is None:
            mark_deleting(nic, "Its port is being removed.")
        operation = start_operation(nic, "delete", done=not waits)
        if provider is not None:
            queue = queue_for(provider.cluster.controller_name)
            enqueue(
                "openstack_network_interface",
                provider.uid,
                queue=queue,
                project=project.resource_id,
            )
        if waits:
            return Written(nic, operation)
        _remove(nic, lock_subnet(nic.subnet_id))
        return Written(None, operation)

    return run_write(
        write,
        actor=actor,
        project=project,
        method="DeleteNetworkInterface",
        body={"id": network_interface_id, "etag": options.etag},
        find=partial(find_by_uid, NetworkInterface),
        options=options,
    )


def finish_network_interface_delete(nic: NetworkInterface) -> bool:
    """Remove an interface that is being deleted, once its port is gone, and free its address.

    Called by the controller when no cluster has a port of it; the provider row goes with it. Returns whether the
    interface is gone; may be repeated. Nothing happens while it is attached, not deleted, or has finalizers.
    """
    with transaction.atomic():
        if not NetworkInterface.objects.filter(pk=nic.pk).exists():
            return True
        # the subnet first, as in create: one order of locks
        subnet = lock_subnet(nic.subnet_id)
        locked = NetworkInterface.objects.select_for_update().filter(pk=nic.pk).first()
        if locked is None:
            return True
        if locked.delete_time is None or locked.finalizers or hasattr(locked, "attachment"):
            return False
        end_operations(locked.uid, locked.generation, (), gone=True)
        _remove(locked, subnet)
    return True


def _remove(nic: NetworkInterface, subnet: Subnet) -> None:
    record_gone(kind=nic.kind, uid=nic.uid, project_id=nic.project_id)
    nic.delete()
    release(subnet, nic.ip_number)


def _refuse_if_attached(nic: NetworkInterface) -> None:
    attachment = getattr(nic, "attachment", None)
    if attachment is not None:
        raise FailedPrecondition(
            f"{nic.name} is attached to {attachment.instance.name}. Delete the instance, or take the interface "
            "from it, first.",
            reason="ATTACHED",
            metadata={"instance": attachment.instance.name},
        )


def _locked(
    actor: Actor, project_id: str, network_interface_id: str, permission: str
) -> NetworkInterface:
    """Lock the interface; the order of locks is subnet, then interface, as everywhere."""
    found = find_resource(
        NetworkInterface,
        actor=actor,
        project_id=project_id,
        resource_id=network_interface_id,
        permission=permission,
    )
    lock_subnet(found.subnet_id)
    return find_resource(
        NetworkInterface,
        actor=actor,
        project_id=project_id,
        resource_id=network_interface_id,
        permission=permission,
        for_update=True,
    )
