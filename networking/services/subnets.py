"""Verbs on subnets."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from django.db import transaction

from catalog.selectors.catalog import find_availability_zone
from cycloud.core.aip.errors import FailedPrecondition, InvalidArgument
from cycloud.core.aip.operations import end_operations, start_operation
from cycloud.core.aip.writes import WriteOptions, Written, check_etag, run_write
from cycloud.core.changes.record import record_gone
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.resources.lookup import find_resource
from networking.domain.addresses import check_no_overlap, gateway_of, parse_cidr, to_text
from networking.domain.references import local_id
from networking.models import VPC, Subnet
from networking.services.addresses import open_ranges
from networking.services.openstack_subnets import reconcile_managed
from networking.services.resource_state import (
    apply_metadata,
    find_by_uid,
    mark_deleting,
    new_resource_id,
    refuse_if_deleting,
    save_as_available,
)

__all__ = ["SubnetInput", "create_subnet", "delete_subnet", "finish_subnet_delete", "update_subnet"]

_DEFAULT = WriteOptions()


@dataclass(frozen=True)
class SubnetInput:
    """``vpc``: an id or a full name; ``gateway_ip`` None: the first address behind the network address."""

    vpc: str
    availability_zone: str
    cidr: str
    gateway_ip: str | None = None
    display_name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


def create_subnet(
    *,
    actor: Actor,
    project_id: str,
    data: SubnetInput,
    subnet_id: str | None = None,
    options: WriteOptions = _DEFAULT,
) -> Written[Subnet]:
    """Make a subnet; it is ready at once.

    Raises FailedPrecondition (CIDR_OVERLAP) if another subnet of the VPC has some of the addresses, and
    AlreadyExists, InvalidArgument, NotFound and the errors of access.
    """
    project = project_for(actor, project_id, "networking.subnets.create")

    def write() -> Written[Subnet]:
        vpc_id = local_id(data.vpc, project_id=project_id, collection=VPC.collection, field="vpc")
        # the lock lets one subnet at a time into the VPC, so that two cannot overlap
        vpc = find_resource(
            VPC,
            actor=actor,
            project_id=project_id,
            resource_id=vpc_id,
            permission="networking.subnets.create",
            for_update=True,
        )
        refuse_if_deleting(vpc)
        resource_id = new_resource_id(
            Subnet, project, subnet_id, prefix="subnet", field="subnet_id"
        )
        subnet = _new_subnet(vpc, resource_id, data)
        save_as_available(subnet)
        open_ranges(subnet)
        return Written(subnet, start_operation(subnet, "create", done=True))

    return run_write(
        write,
        actor=actor,
        project=project,
        method="CreateSubnet",
        body={"subnet_id": subnet_id, **asdict(data)},
        find=partial(find_by_uid, Subnet),
        options=options,
    )


def _new_subnet(vpc: VPC, resource_id: str, data: SubnetInput) -> Subnet:
    zone = find_availability_zone(data.availability_zone)
    if zone is None:
        raise InvalidArgument.field(
            "availability_zone",
            f"there is no availability zone {data.availability_zone[:80]!r}. List availabilityZones to see "
            "them.",
        )
    cidr = parse_cidr(data.cidr)
    gateway = gateway_of(cidr, data.gateway_ip)
    others = vpc.subnets.order_by("resource_id").values_list("resource_id", "cidr")
    check_no_overlap(cidr, others)
    subnet = Subnet(
        project=vpc.project,
        resource_id=resource_id,
        vpc=vpc,
        availability_zone=zone,
        cidr=cidr.text,
        gateway_ip=to_text(gateway),
    )
    metadata = {name: getattr(data, name) for name in ("display_name", "labels", "annotations")}
    apply_metadata(subnet, metadata)
    return subnet


def update_subnet(
    *,
    actor: Actor,
    project_id: str,
    subnet_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = _DEFAULT,
) -> Written[Subnet]:
    """Change display_name, labels or annotations, as ``changes`` names them."""
    project = project_for(actor, project_id, "networking.subnets.update")

    def write() -> Written[Subnet]:
        subnet = _locked(actor, project_id, subnet_id, "networking.subnets.update")
        check_etag(subnet.etag, options.etag, subnet.name)
        refuse_if_deleting(subnet)
        apply_metadata(subnet, changes)
        save_as_available(subnet)
        return Written(subnet, start_operation(subnet, "update", done=True))

    return run_write(
        write,
        actor=actor,
        project=project,
        method="UpdateSubnet",
        body={"subnet_id": subnet_id, "changes": dict(changes), "etag": options.etag},
        find=partial(find_by_uid, Subnet),
        options=options,
    )


def delete_subnet(
    *, actor: Actor, project_id: str, subnet_id: str, options: WriteOptions = _DEFAULT
) -> Written[Subnet]:
    """Delete a subnet that has no network interfaces. Raises FailedPrecondition otherwise.

    It is gone at once, unless controllers made networks for it: then when these are removed.
    """
    project = project_for(actor, project_id, "networking.subnets.delete")

    def write() -> Written[Subnet]:
        subnet = _locked(actor, project_id, subnet_id, "networking.subnets.delete")
        check_etag(subnet.etag, options.etag, subnet.name)
        first = subnet.interfaces.order_by("ip_number").first()
        if first is not None:
            raise FailedPrecondition(
                f"{subnet.name} has {subnet.interfaces.count()} network interfaces, for example "
                f"{first.resource_id}. Delete them first.",
                resource=subnet.name,
                reason="SUBNET_NOT_EMPTY",
            )
        waits = subnet.provider_subnets.filter(managed=True).exists()
        if waits and subnet.delete_time is None:
            mark_deleting(subnet, "The networks made for it are being removed.")
        operation = start_operation(subnet, "delete", done=not waits)
        if waits:
            reconcile_managed(subnet)
            return Written(subnet, operation)
        _remove(subnet)
        return Written(None, operation)

    return run_write(
        write,
        actor=actor,
        project=project,
        method="DeleteSubnet",
        body={"subnet_id": subnet_id, "etag": options.etag},
        find=partial(find_by_uid, Subnet),
        options=options,
    )


def finish_subnet_delete(subnet: Subnet) -> bool:
    """Remove a subnet that is being deleted, once none of its managed provider subnets is left.

    Called by the controller that removed one. Returns whether the subnet is gone; may be repeated.
    """
    with transaction.atomic():
        locked = Subnet.objects.select_for_update().filter(pk=subnet.pk).first()
        if locked is None:
            return True
        if locked.delete_time is None or locked.finalizers:
            return False
        if locked.provider_subnets.filter(managed=True).exists() or locked.interfaces.exists():
            return False
        end_operations(locked.uid, locked.generation, (), gone=True)
        _remove(locked)
    return True


def _remove(subnet: Subnet) -> None:
    record_gone(kind=subnet.kind, uid=subnet.uid, project_id=subnet.project_id)
    subnet.delete()


def _locked(actor: Actor, project_id: str, subnet_id: str, permission: str) -> Subnet:
    return find_resource(
        Subnet,
        actor=actor,
        project_id=project_id,
        resource_id=subnet_id,
        permission=permission,
        for_update=True,
    )
