"""What the browser tests find: people, a project, and resources in every state that a page shows."""

from typing import Any
from uuid import uuid4

from compute.models import OpenStackInstance, OpenStackVolume
from compute.services.instance_power import stop_instance
from compute.services.instances import InstanceUpdate, delete_instance, update_instance
from compute.services.volumes import delete_volume
from cycloud.core.aip.operations import end_operations
from cycloud.core.clock import now
from cycloud.core.conditions import READY, UP_TO_DATE, Condition, Status
from cycloud.core.iam.actor import Actor, Role
from cycloud.core.iam.models import Project
from cycloud.core.resources.models import ProjectResource
from networking.models import NetworkInterface
from tests.factories.compute import OpenStackNetworkInterfaceFactory, World, make_world
from tests.factories.iam import MembershipFactory, OperatorFactory, ProjectFactory, UserFactory


def fill() -> None:
    """Make it, once per database."""
    if Project.objects.exists():
        return
    world = make_world()
    world.project.resource_id = "demo"
    world.project.display_name = "Web shop, test stage"
    world.project.save()
    editor = UserFactory.create(username="ann")
    viewer = UserFactory.create(username="vera")
    OperatorFactory.create(username="olga")
    MembershipFactory.create(user=editor, project=world.project, role="editor")
    MembershipFactory.create(user=viewer, project=world.project, role="viewer")
    second = ProjectFactory.create(resource_id="analytics", display_name="Nightly reports")
    MembershipFactory.create(user=editor, project=second, role="admin")
    _resources(world, Actor("users/ann", roles={"demo": Role.EDITOR}))
    _ids_as_in_real_clouds(world)


def _resources(world: World, ann: Actor) -> None:
    running = world.instance(
        resource_id="web-1",
        volumes=2,
        display_name="Front end",
        labels={"app": "shop", "tier": "web"},
        ssh_public_keys=[
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHUJK0123456789abcdefghijklmnopqrstuv ann@laptop"
        ],
    )
    settle(running, "Updated", state="RUNNING")
    for attachment in running.volume_attachments.all():
        settle(attachment.volume, "VolumeBindingReady")
    waiting = world.instance(resource_id="api-1", display_name="Interface for partners")
    settle(waiting, "Updated", state="RUNNING")
    update_instance(
        actor=ann,
        project_id="demo",
        instance_id="api-1",
        changes=InstanceUpdate(instance_type=world.new_small.resource_id),
    )
    waiting.refresh_from_db()
    restart = Condition(
        UP_TO_DATE,
        Status.FALSE,
        "RestartRequired",
        f"It runs as {world.small.resource_id}; {world.new_small.resource_id} is taken at the next start.",
        waiting.generation,
    )
    settle(waiting, "Updated", state="RUNNING", more=[restart])
    stopped = world.instance(resource_id="batch-1", volumes=2)
    stop_instance(actor=ann, project_id="demo", instance_id="batch-1")
    stopped.refresh_from_db()
    settle(stopped, "Stopped", state="STOPPED")
    world.instance(resource_id="web-2", display_name="Front end, being made")
    for name in ("live-1", "live-2", "gone-1", "power-1", "admin-1", "again-1"):
        settle(world.instance(resource_id=name), "Updated", state="RUNNING")
    world.instance(resource_id="stuck-1")
    delete_instance(actor=ann, project_id="demo", instance_id="stuck-1")
    failed = world.instance(resource_id="cache-1")
    failed.publish(
        [
            Condition(
                READY,
                Status.FALSE,
                "QuotaExceeded",
                "The platform has no quota left for 2 more vCPUs. Ask your platform team to raise it, or stop "
                "another instance.",
                failed.generation,
                terminal=True,
            )
        ],
        now(),
        state="ERROR",
    )
    data = world.volume(resource_id="data-1", display_name="Customer files", size_gib=120)
    settle(data, "VolumeBindingReady")
    old = world.volume(resource_id="old-logs")
    settle(old, "VolumeBindingReady")
    delete_volume(actor=ann, project_id="demo", volume_id="old-logs")
    old.refresh_from_db()
    settle(old, "VolumeBindingReady")
    settle(world.network_interface(resource_id="front-address"), "Available")
    settle(world.network_interface(resource_id="spare-address"), "Available")
    for name in ("scratch-1", "scratch-2"):
        settle(world.volume(resource_id=name), "VolumeBindingReady")


def _ids_as_in_real_clouds(world: World) -> None:
    """Ids of OpenStack's objects are UUIDs: what the admin's lists must have room for."""
    for nic in NetworkInterface.objects.exclude(attachment=None):
        OpenStackNetworkInterfaceFactory.create(
            network_interface=nic, cluster=world.old, port_id=str(uuid4()), port_status="ACTIVE"
        )
    for server in OpenStackInstance.objects.all():
        server.server_id, server.server_status = str(uuid4()), "ACTIVE"
        server.server_cluster = world.old
        server.save()
    for volume in OpenStackVolume.objects.select_related("binding"):
        volume.provider_id = str(uuid4())
        volume.save()
        volume.binding.provider_id = volume.provider_id
        volume.binding.backend_reference = f"volume-{volume.provider_id}"
        volume.binding.save()


def settle(
    row: ProjectResource, reason: str, more: list[Condition] | None = None, **fields: Any
) -> None:
    """Let a resource be Ready, as its controller would."""
    ready = Condition(READY, Status.TRUE, reason, "", row.generation)
    row.publish([ready, *(more or [])], now(), **fields)
    end_operations(row.uid, row.generation, row.condition_list())
