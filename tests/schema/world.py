"""One resource of every kind and operations of every outcome, for what goes through the whole API."""

from dataclasses import dataclass
from typing import Any

from compute.models import Instance
from compute.services.instance_power import stop_instance
from compute.services.volumes import VolumeInput, create_volume, delete_volume
from cycloud.core.aip.models import Operation
from cycloud.core.aip.operations import end_operations
from cycloud.core.clock import now
from cycloud.core.conditions import READY, Condition, Status
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import AuditEntry, User
from cycloud.core.iam.services.service_account_keys import create_key
from cycloud.core.iam.services.tokens import TokenInput, create_token
from cycloud.core.resources.models import ProjectResource
from tests.factories.catalog import (
    AvailabilityZoneFactory,
    InstanceFamilyFactory,
    InstanceTypeFactory,
    OpenStackClusterFactory,
    PublicImageFactory,
    PublicOpenStackImageFactory,
    VolumeTypeFactory,
)
from tests.factories.compute import World, make_world
from tests.factories.iam import (
    MembershipFactory,
    OperatorFactory,
    ProjectFactory,
    ServiceAccountFactory,
    UserFactory,
)
from tests.factories.networking import SubnetFactory, VpcFactory
from tests.factories.rest import token_for

PROJECT = "demo"


@dataclass(frozen=True)
class Seeded:
    """``ids``: what exists, by what paths call it; of most kinds there is a "spare" too, which nothing uses.

    ``attached``: a volume of batch-1, which is stopped. ``operator`` and ``editor`` are secrets of tokens.
    """

    ids: dict[str, list[str]]
    attached: str
    operator: str
    editor: str


def fill_world() -> Seeded:
    world = make_world()
    _rename(world)
    operator = OperatorFactory.create(username="olga")
    editor = UserFactory.create(username="ann")
    MembershipFactory.create(user=operator, project=world.project, role=Role.ADMIN.value)
    MembershipFactory.create(user=editor, project=world.project, role=Role.EDITOR.value)
    PublicOpenStackImageFactory.create(public_image=world.image, cluster=world.old)
    actor = Actor("users/olga", is_operator=True, roles={PROJECT: Role.ADMIN})
    ids = {
        "project": [PROJECT],
        "quota": ["instances", "vcpus", "memory", "volumes", "storage", "addresses"],
        "member": ["user-ann", "user-olga"],
        **_catalog(world),
        **_compute(world, actor),
        **_credentials(world, operator, actor),
        "vpc": [world.subnet.vpc.resource_id],
        "subnet": [world.subnet.resource_id, world.other_zone_subnet.resource_id],
        "network_interface": [world.network_interface(resource_id="web-1-eth0").resource_id],
    }
    ids["operation"] = _operations(world)
    ids["audit_entry"] = [str(uid) for uid in AuditEntry.objects.values_list("uid", flat=True)[:3]]
    _spares(world)
    stopped = Instance.objects.get(resource_id="batch-1")
    attached = stopped.volume_attachments.get(device_index=1).volume.resource_id
    return Seeded(ids, attached, operator=token_for(operator), editor=token_for(editor))


def _rename(world: World) -> None:
    """Give the names that the examples of the schema have, so that these can be tried."""
    names: dict[str, Any] = {
        # first, as the factories may have counted up to a name below
        "local": world.local,
        "old-only": world.old_only,
        "medium": world.medium.family,
        "medium.medium": world.medium,
        "unplaced.medium": world.unplaced,
        "unplaced": world.unplaced.family,
        "m9i": world.new_small.family,
        PROJECT: world.project,
        "apne1a": world.zone,
        "hall-a": world.old,
        "m8a": world.small.family,
        "m8a.medium": world.small,
        "m9i.medium": world.new_small,
        "cgp1": world.shared,
        "ubuntu-24.04": world.image,
        "main": world.subnet.vpc,
        "apps": world.subnet,
    }
    for name, row in names.items():
        row.resource_id = name
        row.save()


def _spares(world: World) -> None:
    AvailabilityZoneFactory.create(resource_id="spare")
    OpenStackClusterFactory.create(
        resource_id="spare", availability_zone=world.zone, state="Draining"
    )
    InstanceTypeFactory.create(resource_id="spare", family=world.small.family)
    for factory in (InstanceFamilyFactory, VolumeTypeFactory, PublicImageFactory):
        factory.create(resource_id="spare")
    ProjectFactory.create(resource_id="spare")
    UserFactory.create(username="new")
    VpcFactory.create(project=world.project, resource_id="spare")
    SubnetFactory.create(
        vpc=world.subnet.vpc,
        resource_id="spare",
        availability_zone=world.zone,
        cidr="10.200.0.0/24",
    )
    world.instance(resource_id="spare")
    world.volume(resource_id="spare")


def _catalog(world: World) -> dict[str, list[str]]:
    kinds: dict[str, list[Any]] = {
        "availability_zone": [world.zone, world.other_zone],
        "instance_family": [world.small.family],
        "instance_type": [world.small, world.unplaced],
        "volume_type": [world.shared, world.old_only],
        "public_image": [world.image],
        "openstack_cluster": [world.old],
    }
    return {kind: [row.resource_id for row in rows] for kind, rows in kinds.items()}


def _compute(world: World, actor: Actor) -> dict[str, list[str]]:
    settle(
        world.instance(resource_id="web-1", volumes=2, labels={"app": "web"}),
        "Updated",
        state="RUNNING",
    )
    stopped = world.instance(resource_id="batch-1", volumes=2, deletion_protection=True)
    stop_instance(actor=actor, project_id=PROJECT, instance_id="batch-1")
    stopped.refresh_from_db()
    settle(stopped, "Stopped", state="STOPPED")
    world.volume(resource_id="data-1", image=world.image, size_gib=20)
    world.volume(resource_id="gone-1")
    delete_volume(actor=actor, project_id=PROJECT, volume_id="gone-1")
    for name in ("waits-1", "failed-1"):
        data = VolumeInput(
            volume_type=world.shared.resource_id,
            availability_zone=world.zone.resource_id,
            size_gib=10,
        )
        written = create_volume(actor=actor, project_id=PROJECT, volume_id=name, data=data)
        if name == "failed-1" and written.resource is not None:
            settle(written.resource, "InsufficientCapacity", status=Status.FALSE, terminal=True)
    return {
        "instance": ["web-1", "batch-1"],
        "volume": ["data-1", "gone-1", "waits-1", "failed-1"],
    }


def _credentials(world: World, operator: User, actor: Actor) -> dict[str, list[str]]:
    ServiceAccountFactory.create(project=world.project, resource_id="deployer")
    key = create_key(
        actor=actor,
        project_id=PROJECT,
        service_account_id="deployer",
        data=TokenInput(display_name="CI", role="viewer"),
    )
    token = create_token(actor=actor, data=TokenInput(display_name="Mine"))
    return {
        "service_account": ["deployer"],
        "key": [str(key.token.uid)],
        "token": [str(token.token.uid)],
    }


def _operations(world: World) -> list[str]:
    rows = Operation.objects.filter(project=world.project).order_by("create_time")
    return [str(uid) for uid in rows.values_list("uid", flat=True)]


def settle(
    resource: ProjectResource,
    reason: str,
    *,
    status: Status = Status.TRUE,
    terminal: bool = False,
    **fields: Any,
) -> None:
    """Publish a Ready condition as a controller does, and end the operations that wait for it."""
    condition = Condition(
        READY, status, reason, "It is so.", resource.generation, terminal=terminal
    )
    resource.publish([condition], now(), **fields)
    end_operations(resource.uid, resource.generation, resource.condition_list())
