"""The story of the product on two simulated clouds: create, move with the bytes kept, go back."""

from django.db import transaction

from compute.models import (
    Instance,
    OpenStackInstance,
    OpenStackNetworkInterface,
    OpenStackVolume,
    Volume,
)
from compute.reconcilers.wakeups import (
    wake_openstack_instance,
    wake_openstack_network_interface,
    wake_openstack_volume,
)
from compute.services.instance_input import InstanceUpdate
from compute.services.instance_power import restart_instance, start_instance, stop_instance
from compute.services.instances import update_instance
from cycloud.core.aip.models import Operation
from cycloud.core.conditions import find_condition
from cycloud.simulator.cloud import Cloud
from tests.support.clouds import PROJECT, Clouds


def fingerprint(clouds: Clouds, instance: Instance) -> dict[str, object]:
    """What must be the same before and after a move."""
    nic = instance.network_attachments.get().network_interface
    volumes = [a.volume for a in instance.volume_attachments.all()]
    return {
        "name": instance.name,
        "uid": instance.uid,
        "ip": nic.ip_address,
        "mac": nic.mac_address,
        "volumes": [(v.name, v.uid, v.size_gib) for v in volumes],
        "bytes": [clouds.site.storage.digest(clouds.object_of(v)) for v in volumes],
    }


def declare_type(clouds: Clouds, name: str) -> None:
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


def start(clouds: Clouds) -> None:
    start_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()


def change_type(clouds: Clouds, name: str) -> None:
    declare_type(clouds, name)
    stop(clouds)
    start(clouds)


def write_bytes(clouds: Clouds, instance: Instance) -> None:
    for attachment in instance.volume_attachments.all():
        text = f"bytes of {attachment.volume.resource_id}".encode()
        clouds.site.storage.write(clouds.object_of(attachment.volume), 4096, text)


def leftovers(cloud: Cloud) -> dict[str, int]:
    return {
        "servers": len(cloud.servers),
        "ports": len(cloud.ports),
        "volumes": len(cloud.volumes),
    }


def assert_no_volume_ran_twice(clouds: Clouds) -> None:
    """No server was spawned while another one of the instance ran."""
    running: set[str] = set()
    for event in clouds.site.guest_events:
        if event["event"] in ("spawn", "power_on"):
            running.add(event["server"])
        elif event["event"] in ("power_off", "destroy"):
            running.discard(event["server"])
        assert len(running) <= 1, event


def test_create_runs_with_its_volumes_and_address(clouds: Clouds) -> None:
    instance = clouds.running()
    assert instance.state == "RUNNING"
    assert leftovers(clouds.a) == {"servers": 1, "ports": 1, "volumes": 2}
    assert leftovers(clouds.b) == {"servers": 0, "ports": 0, "volumes": 0}
    assert not Operation.objects.filter(done=False).exists()
    assert not Operation.objects.exclude(error=None).exists()
    assert Volume.objects.count() == 2


def test_a_change_of_type_touches_nothing_until_stop_and_start(clouds: Clouds) -> None:
    instance = clouds.running()
    servers = list(clouds.a.servers)
    before = instance.ready
    declare_type(clouds, "m8a.small")
    instance.refresh_from_db()
    assert before is not None
    assert instance.ready is not None
    assert instance.ready.last_transition_time == before.last_transition_time
    assert list(clouds.a.servers) == servers
    assert instance.is_ready
    condition = find_condition(instance.condition_list(), "UpToDate")
    assert condition is not None
    assert (condition.status, condition.reason) == ("False", "RestartRequired")


def test_move_keeps_name_address_volumes_and_bytes_and_leaves_nothing(clouds: Clouds) -> None:
    instance = clouds.running()
    write_bytes(clouds, instance)
    before = fingerprint(clouds, instance)
    change_type(clouds, "m8a.small")
    instance.refresh_from_db()
    assert instance.is_ready, clouds.ready_reason(instance)
    assert fingerprint(clouds, instance) == before
    assert leftovers(clouds.a) == {"servers": 0, "ports": 0, "volumes": 0}
    assert leftovers(clouds.b) == {"servers": 1, "ports": 1, "volumes": 2}
    assert_no_volume_ran_twice(clouds)
    condition = find_condition(instance.condition_list(), "UpToDate")
    assert condition is not None
    assert condition.status == "True"


def test_there_and_back_three_times(clouds: Clouds) -> None:
    instance = clouds.running()
    write_bytes(clouds, instance)
    before = fingerprint(clouds, instance)
    for _ in range(3):
        change_type(clouds, "m8a.small")
        change_type(clouds, "m7a.small")
    instance.refresh_from_db()
    assert instance.is_ready, clouds.ready_reason(instance)
    assert fingerprint(clouds, instance) == before
    assert leftovers(clouds.b) == {"servers": 0, "ports": 0, "volumes": 0}
    assert len(clouds.site.storage.names()) == 2
    assert_no_volume_ran_twice(clouds)


def test_resize_in_one_cloud_makes_the_server_anew_on_its_volumes(clouds: Clouds) -> None:
    instance = clouds.running()
    before = fingerprint(clouds, instance)
    old = set(clouds.a.servers)
    change_type(clouds, "m7a.medium")
    instance.refresh_from_db()
    assert instance.is_ready, clouds.ready_reason(instance)
    assert fingerprint(clouds, instance) == before
    assert not old & set(clouds.a.servers)
    assert len(clouds.a.servers) == 1


def test_stop_and_start_without_a_change_keep_the_server(clouds: Clouds) -> None:
    instance = clouds.running()
    old = set(clouds.a.servers)
    stop(clouds)
    instance.refresh_from_db()
    assert (instance.state, clouds.ready_reason(instance)[:12]) == ("STOPPED", "True/Stopped")
    start(clouds)
    instance.refresh_from_db()
    assert instance.state == "RUNNING"
    assert set(clouds.a.servers) == old


def test_restart_stops_and_starts(clouds: Clouds) -> None:
    clouds.running()
    clouds.site.guest_events.clear()
    restart_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    clouds.settle()
    assert [e["event"] for e in clouds.site.guest_events] == ["power_off", "power_on"]


def test_a_second_look_writes_nothing(clouds: Clouds) -> None:
    clouds.running()
    writes = clouds.site.write_count
    with transaction.atomic():
        for server in OpenStackInstance.objects.all():
            wake_openstack_instance(server)
        for volume in OpenStackVolume.objects.all():
            wake_openstack_volume(volume)
        for port in OpenStackNetworkInterface.objects.all():
            wake_openstack_network_interface(port)
    assert clouds.settle() >= 4
    assert clouds.site.write_count == writes
