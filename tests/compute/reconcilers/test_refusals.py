"""What a cloud refuses shows on the user's resource, without a cloud's name, and heals by itself."""

import pytest

from compute.models import Instance
from compute.services.instances import delete_instance
from cycloud.core.aip.models import Operation
from cycloud.simulator.cloud import Cloud
from tests.compute.reconcilers.test_drift import operator
from tests.compute.reconcilers.test_move import declare_type, leftovers, start, stop
from tests.support.clouds import PROJECT, Clouds


def reason(instance: Instance) -> str:
    instance.refresh_from_db()
    assert instance.ready is not None
    return instance.ready.reason


def assert_says_nothing_of_clouds(instance: Instance) -> None:
    text = str(instance.conditions) + str(list(Operation.objects.values_list("error", flat=True)))
    for word in ("gen7", "gen8", "kvm-", "cinder-", "cmp-", "shared#"):
        assert word not in text


def test_no_valid_host_shows_and_heals(clouds: Clouds) -> None:
    fault = clouds.site.faults.add("no_valid_host", cloud="a", times=2)
    instance = clouds.create()
    clouds.settle(seconds=1.5)
    assert reason(instance) in ("InsufficientCapacity", "Creating")
    clouds.settle(seconds=300)
    assert reason(instance) == "Updated", clouds.ready_reason(instance)
    clouds.site.faults.remove(fault)
    assert leftovers(clouds.a) == {"servers": 1, "ports": 1, "volumes": 2}
    assert_says_nothing_of_clouds(instance)


@pytest.mark.parametrize(
    ("service", "status", "body"),
    [
        (
            "compute",
            403,
            {"forbidden": {"code": 403, "message": "Quota exceeded for cores: Requested 1"}},
        ),
        (
            "block-storage",
            413,
            {
                "overLimit": {
                    "code": 413,
                    "message": "VolumeLimitExceeded: Maximum number of volumes",
                }
            },
        ),
        (
            "network",
            409,
            {
                "NeutronError": {
                    "type": "OverQuota",
                    "message": "Quota exceeded for resources: ['port'].",
                    "detail": "",
                }
            },
        ),
    ],
)
def test_a_quota_of_the_platform_shows_and_heals(
    clouds: Clouds, service: str, status: int, body: dict[str, object]
) -> None:
    path = {"compute": "/servers$", "block-storage": "/volumes$", "network": "/ports$"}[service]
    clouds.site.faults.add(
        "status",
        cloud="a",
        service=service,
        method="POST",
        path=path,
        status=status,
        body=body,
        times=40,
    )
    instance = clouds.create()
    clouds.settle(seconds=3)
    instance.refresh_from_db()
    assert "QuotaExceeded" in str(instance.conditions) or "quota" in clouds.ready_reason(instance)
    assert_says_nothing_of_clouds(instance)
    clouds.site.faults.clear()
    clouds.settle(seconds=300)
    instance.refresh_from_db()
    assert instance.is_ready, clouds.ready_reason(instance)
    assert leftovers(clouds.a) == {"servers": 1, "ports": 1, "volumes": 2}


def test_a_move_blocked_by_a_snapshot_leaves_the_guest_running(clouds: Clouds) -> None:
    instance = clouds.running()
    server = next(iter(clouds.a.servers))
    volume = snapshot(clouds, clouds.a)
    declare_type(clouds, "m8a.small")
    assert reason(instance) == "MoveBlocked"
    assert "web-1-" in clouds.ready_reason(instance)
    assert instance.state == "RUNNING"
    assert clouds.a.servers[server].status == "ACTIVE"
    clouds.a.snapshots.clear()
    clouds.settle(seconds=60)
    assert reason(instance) == "Updated"
    stop(clouds)
    start(clouds)
    assert reason(instance) == "Updated"
    assert volume not in clouds.a.volumes


def test_a_move_that_gets_blocked_after_the_stop_touches_nothing_and_can_be_taken_back(
    clouds: Clouds,
) -> None:
    instance = clouds.running()
    declare_type(clouds, "m8a.small")
    stop(clouds)
    snapshot(clouds, clouds.a)
    start(clouds)
    assert reason(instance) == "MoveBlocked"
    assert leftovers(clouds.a) == {"servers": 1, "ports": 1, "volumes": 2}
    declare_type(clouds, "m7a.small")
    stop(clouds)
    start(clouds)
    assert reason(instance) == "Updated", clouds.ready_reason(instance)
    assert leftovers(clouds.a) == {"servers": 1, "ports": 1, "volumes": 2}


def snapshot(clouds: Clouds, cloud: Cloud) -> str:
    """A snapshot behind our back; returns the volume's id."""
    from cycloud.simulator.models.block_storage import Snapshot

    volume = next(iter(cloud.volumes.values()))
    cloud.snapshots["s1"] = Snapshot(
        id="s1",
        volume_id=volume.id,
        project_id=volume.project_id,
        user_id=volume.user_id,
        size=volume.size,
        created=0.0,
        status="available",
    )
    return volume.id


def test_a_cloud_that_is_down_is_waited_for_and_said(clouds: Clouds) -> None:
    instance = clouds.running()
    clouds.site.faults.add("down", cloud="a", service="compute")
    stop(clouds)
    assert reason(instance) == "ProviderUnreachable"
    clouds.site.faults.clear()
    clouds.settle(seconds=300)
    assert reason(instance) == "Stopped"


def test_a_server_in_error_is_made_anew(clouds: Clouds) -> None:
    clouds.site.faults.add("spawn_failed", cloud="a", times=1)
    instance = clouds.create()
    clouds.settle(seconds=300)
    assert reason(instance) == "Updated", clouds.ready_reason(instance)
    assert len(clouds.a.servers) == 1


def test_a_failed_stop_is_tried_again(clouds: Clouds) -> None:
    instance = clouds.running()
    (server,) = clouds.a.servers
    operator(clouds).set_server_metadata(server, {"osbed_fail": "power_off:2"})
    stop(clouds)
    assert reason(instance) == "Stopped", clouds.ready_reason(instance)


def test_an_instance_whose_delete_fails_once_goes_in_the_end(clouds: Clouds) -> None:
    clouds.running()
    (server,) = clouds.a.servers
    operator(clouds).set_server_metadata(server, {"osbed_fail": "destroy:1"})
    delete_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle(seconds=300)
    assert not Instance.objects.exists()
    assert leftovers(clouds.a) == {"servers": 0, "ports": 0, "volumes": 2}
