"""Nothing that a user can see tells which cluster, host or provider's object is behind it.

Two clouds with telling names are brought into good and bad states. In each of them a member reads and tries
everything over REST and in the console, and all of it is searched for the names, ids and endpoints that the
clouds and the controllers have by then.
"""

from collections.abc import Callable, Iterator

import pytest
from django.test import Client

from catalog.models import OpenStackCluster
from catalog.reconcilers.provider_pass import client_of
from compute.models import VolumeBinding
from compute.services.instance_power import start_instance, stop_instance
from compute.services.instances import InstanceUpdate, delete_instance, update_instance
from compute.services.volumes import delete_volume
from cycloud.core.iam.models import Project
from cycloud.core.reconcile.queue import enqueue, queue_for
from cycloud.simulator.models.block_storage import Snapshot
from tests.factories.iam import MembershipFactory, UserFactory
from tests.factories.rest import token_for
from tests.support.clouds import PROJECT, Clouds, simulated_clouds
from tests.support.engine import frozen_clock
from tests.support.leaks import SENTINEL, Secrets, Visitor

State = Callable[[Clouds], None]


@pytest.fixture
def clouds(db: None) -> Iterator[Clouds]:
    with frozen_clock() as clock, simulated_clouds(clock) as world:
        yield world


def cluster_of(cloud: str) -> OpenStackCluster:
    return OpenStackCluster.objects.get(resource_id__endswith={"a": "gen7", "b": "gen8"}[cloud])


def fail(clouds: Clouds, service: str, status: int, body: dict[str, object], path: str) -> None:
    """Let every write of the service in cloud a be refused with a text that tells too much."""
    clouds.site.faults.add(
        "status",
        cloud="a",
        service=service,
        method="POST",
        path=path,
        status=status,
        body=body,
        times=0,
    )


def change_type(clouds: Clouds, name: str) -> None:
    update_instance(
        actor=clouds.actor,
        project_id=PROJECT,
        instance_id="web-1",
        changes=InstanceUpdate(instance_type=name),
    )
    clouds.settle()


def stop(clouds: Clouds) -> None:
    stop_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()


def start(clouds: Clouds, seconds: float = 120.0) -> None:
    start_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle(seconds)


def running(clouds: Clouds) -> None:
    clouds.running()


def being_made(clouds: Clouds) -> None:
    clouds.site.faults.add("hold", cloud="a", state="BUILD")
    clouds.create()
    clouds.settle(3)


def no_valid_host(clouds: Clouds) -> None:
    clouds.site.faults.add("no_valid_host", cloud="a", times=0)
    clouds.create()
    clouds.settle(10)


def spawn_failed(clouds: Clouds) -> None:
    clouds.site.faults.add("spawn_failed", cloud="a", times=0)
    clouds.create()
    clouds.settle(10)


def compute_quota(clouds: Clouds) -> None:
    text = f"Quota exceeded for cores on {SENTINEL}: Requested 1, but already used 8 of 8 cores"
    fail(clouds, "compute", 403, {"forbidden": {"code": 403, "message": text}}, "/servers$")
    clouds.create()
    clouds.settle(10)


def volume_quota(clouds: Clouds) -> None:
    text = f"VolumeLimitExceeded: Maximum number of volumes at {SENTINEL}"
    fail(
        clouds,
        "block-storage",
        413,
        {"overLimit": {"code": 413, "message": text}},
        "/volumes$",
    )
    clouds.create()
    clouds.settle(10)


def port_quota(clouds: Clouds) -> None:
    text = f"Quota exceeded for resources: ['port'] at {SENTINEL}."
    body: dict[str, object] = {"NeutronError": {"type": "OverQuota", "message": text, "detail": ""}}
    fail(clouds, "network", 409, body, "/ports$")
    clouds.create()
    clouds.settle(10)


def server_refused(clouds: Clouds) -> None:
    text = f"Flavor's memory does not fit on {SENTINEL}, driver libvirt"
    fail(clouds, "compute", 400, {"badRequest": {"code": 400, "message": text}}, "/servers$")
    clouds.create()
    clouds.settle(10)


def volume_refused(clouds: Clouds) -> None:
    text = f"Invalid input for backend {SENTINEL}"
    fail(clouds, "block-storage", 400, {"badRequest": {"code": 400, "message": text}}, "/volumes$")
    clouds.create()
    clouds.settle(10)


def broken(clouds: Clouds) -> None:
    body: dict[str, object] = {"computeFault": {"code": 500, "message": f"{SENTINEL} broke"}}
    fail(clouds, "compute", 500, body, "/servers$")
    clouds.create()
    clouds.settle(30)


def unreachable(clouds: Clouds) -> None:
    clouds.running()
    clouds.site.faults.add("down", cloud="a")
    stop(clouds)


def unreachable_from_the_start(clouds: Clouds) -> None:
    clouds.site.faults.add("down", cloud="a")
    clouds.create()
    clouds.settle(60)


def data_not_found(clouds: Clouds) -> None:
    clouds.running()
    cluster = cluster_of("a")
    operator = client_of(cluster)
    (server,) = clouds.a.servers
    data = VolumeBinding.objects.get(volume_name__endswith="web-1-data").provider_id
    operator.detach_volume(server, data)
    operator.get_server(server)
    operator.delete_volume(data)
    enqueue("cluster_resync", cluster.uid, queue=queue_for(cluster.controller_name))
    clouds.settle()


def snapshot(clouds: Clouds) -> None:
    volume = next(iter(clouds.a.volumes.values()))
    clouds.a.snapshots["snapshot-zzleak"] = Snapshot(
        id="snapshot-zzleak",
        volume_id=volume.id,
        project_id=volume.project_id,
        user_id=volume.user_id,
        size=volume.size,
        created=0.0,
        status="available",
    )


def move_blocked(clouds: Clouds) -> None:
    clouds.running()
    snapshot(clouds)
    change_type(clouds, "m8a.small")


def move_blocked_after_the_stop(clouds: Clouds) -> None:
    clouds.running()
    change_type(clouds, "m8a.small")
    stop(clouds)
    snapshot(clouds)
    start(clouds)


def moving(clouds: Clouds) -> None:
    clouds.running()
    change_type(clouds, "m8a.small")
    stop(clouds)
    clouds.site.faults.add("hold", cloud="a", state="unmanaging")
    start(clouds, seconds=5)


def moved(clouds: Clouds) -> None:
    clouds.running()
    change_type(clouds, "m8a.small")
    stop(clouds)
    start(clouds)


def no_room_after_the_move(clouds: Clouds) -> None:
    clouds.running()
    change_type(clouds, "m8a.small")
    stop(clouds)
    clouds.site.faults.add("no_valid_host", cloud="b", times=0)
    start(clouds, seconds=10)


def deleted(clouds: Clouds) -> None:
    clouds.running()
    delete_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    delete_volume(actor=clouds.actor, project_id=PROJECT, volume_id="web-1-root")
    clouds.settle()


def closed_clusters(clouds: Clouds) -> None:
    clouds.running()
    OpenStackCluster.objects.update(state="Draining")


# what brings the state about, and a reason that the member must then read
STATES: list[tuple[State, str]] = [
    (running, "Updated"),
    (being_made, "Creating"),
    (no_valid_host, "InsufficientCapacity"),
    (spawn_failed, "ProviderError"),
    (compute_quota, "QuotaExceeded"),
    (volume_quota, "QuotaExceeded"),
    (port_quota, "NetworkInterfaceAttachmentFailed"),
    (server_refused, "InvalidConfiguration"),
    (volume_refused, "InvalidConfiguration"),
    (broken, "ProviderUnreachable"),
    (unreachable, "ProviderUnreachable"),
    (unreachable_from_the_start, "ProviderUnreachable"),
    (data_not_found, "DataNotFound"),
    (move_blocked, "MoveBlocked"),
    (move_blocked_after_the_stop, "MoveBlocked"),
    (moving, "VolumeBindingNotReady"),
    (moved, "Updated"),
    (no_room_after_the_move, "InsufficientCapacity"),
    (deleted, "Deleting"),
    (closed_clusters, "Updated"),
]


def visitor(role: str) -> Visitor:
    user = UserFactory.create()
    MembershipFactory.create(user=user, project=Project.objects.get(resource_id=PROJECT), role=role)
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return Visitor(client, token_for(user))


@pytest.mark.parametrize(("state", "reason"), STATES, ids=[state.__name__ for state, _ in STATES])
def test_a_member_sees_nothing_of_the_clusters(clouds: Clouds, state: State, reason: str) -> None:
    secrets = Secrets(clouds)
    state(clouds)
    secrets.gather()
    admin = visitor("admin")
    admin.read_everything()
    admin.try_everything()
    leaks = [
        f"{where}: {leak}" for where, text in admin.seen.items() for leak in secrets.found_in(text)
    ]
    assert not leaks, "\n".join(leaks[:20])
    assert any(f'"reason":"{reason}"' in text for text in admin.seen.values()), reason
    failed = [where for where in admin.seen if "(5" in where]
    assert not failed, failed


def test_the_schema_of_the_api_names_no_real_thing(clouds: Clouds) -> None:
    """It may say OpenStack, for it describes what operators call, too."""
    secrets = Secrets(clouds)
    clouds.running()
    secrets.gather()
    answer = Client().get("/v1/openapi.json")
    assert answer.status_code == 200
    assert not secrets.names_in(answer.content.decode())


def test_the_search_finds_what_is_there(clouds: Clouds) -> None:
    """Guards the test above: the clouds have telling names, and an operator's answer holds them."""
    secrets = Secrets(clouds)
    clouds.running()
    secrets.gather()
    (server,) = clouds.a.servers
    assert secrets.found_in(f"it is in {server}")
    assert secrets.found_in("cmp-a went away")
    assert secrets.found_in("Cinder said so")
    assert secrets.found_in(f"in {cluster_of('a').resource_id}")
    assert not secrets.found_in("projects/demo/instances/web-1 is running")
    member = visitor("admin")
    member.read_everything()
    assert len(member.seen) > 40
    assert any("web-1-data" in text for text in member.seen.values())
