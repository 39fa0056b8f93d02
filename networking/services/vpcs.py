"""Verbs on VPCs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from cycloud.core.aip.errors import FailedPrecondition
from cycloud.core.aip.operations import start_operation
from cycloud.core.aip.writes import WriteOptions, Written, check_etag, run_write
from cycloud.core.changes.record import record_gone
from cycloud.core.iam.access import project_for
from cycloud.core.iam.actor import Actor
from cycloud.core.resources.lookup import find_resource
from networking.models import VPC
from networking.services.resource_state import (
    apply_metadata,
    find_by_uid,
    new_resource_id,
    refuse_if_deleting,
    save_as_available,
)

__all__ = ["VpcInput", "create_vpc", "delete_vpc", "update_vpc"]

_DEFAULT = WriteOptions()


@dataclass(frozen=True)
class VpcInput:
    display_name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


def create_vpc(
    *,
    actor: Actor,
    project_id: str,
    data: VpcInput,
    vpc_id: str | None = None,
    options: WriteOptions = _DEFAULT,
) -> Written[VPC]:
    """Make a VPC; it is ready at once. Raises AlreadyExists, InvalidArgument and the errors of access."""
    project = project_for(actor, project_id, "networking.vpcs.create")

    def write() -> Written[VPC]:
        resource_id = new_resource_id(VPC, project, vpc_id, prefix="vpc", field="vpc_id")
        vpc = VPC(project=project, resource_id=resource_id)
        apply_metadata(vpc, asdict(data))
        save_as_available(vpc)
        return Written(vpc, start_operation(vpc, "create", done=True))

    return run_write(
        write,
        actor=actor,
        project=project,
        method="CreateVpc",
        body={"vpc_id": vpc_id, **asdict(data)},
        find=partial(find_by_uid, VPC),
        options=options,
    )


def update_vpc(
    *,
    actor: Actor,
    project_id: str,
    vpc_id: str,
    changes: Mapping[str, Any],
    options: WriteOptions = _DEFAULT,
) -> Written[VPC]:
    """Change display_name, labels or annotations, as ``changes`` names them."""
    project = project_for(actor, project_id, "networking.vpcs.update")

    def write() -> Written[VPC]:
        vpc = _locked(actor, project_id, vpc_id, "networking.vpcs.update")
        check_etag(vpc.etag, options.etag, vpc.name)
        refuse_if_deleting(vpc)
        apply_metadata(vpc, changes)
        save_as_available(vpc)
        return Written(vpc, start_operation(vpc, "update", done=True))

    return run_write(
        write,
        actor=actor,
        project=project,
        method="UpdateVpc",
        body={"vpc_id": vpc_id, "changes": dict(changes), "etag": options.etag},
        find=partial(find_by_uid, VPC),
        options=options,
    )


def delete_vpc(
    *, actor: Actor, project_id: str, vpc_id: str, options: WriteOptions = _DEFAULT
) -> Written[VPC]:
    """Delete a VPC that has no subnets; it is gone at once. Raises FailedPrecondition otherwise."""
    project = project_for(actor, project_id, "networking.vpcs.delete")

    def write() -> Written[VPC]:
        vpc = _locked(actor, project_id, vpc_id, "networking.vpcs.delete")
        check_etag(vpc.etag, options.etag, vpc.name)
        count = vpc.subnets.count()
        if count:
            raise FailedPrecondition(
                f"{vpc.name} has {count} {'subnet' if count == 1 else 'subnets'}, for example "
                f"{vpc.subnets.order_by('resource_id')[0].resource_id}. Delete them first.",
                resource=vpc.name,
                reason="VPC_NOT_EMPTY",
            )
        operation = start_operation(vpc, "delete", done=True)
        record_gone(kind=vpc.kind, uid=vpc.uid, project_id=vpc.project_id)
        vpc.delete()
        return Written(None, operation)

    return run_write(
        write,
        actor=actor,
        project=project,
        method="DeleteVpc",
        body={"vpc_id": vpc_id, "etag": options.etag},
        find=partial(find_by_uid, VPC),
        options=options,
    )


def _locked(actor: Actor, project_id: str, vpc_id: str, permission: str) -> VPC:
    return find_resource(
        VPC,
        actor=actor,
        project_id=project_id,
        resource_id=vpc_id,
        permission=permission,
        for_update=True,
    )
