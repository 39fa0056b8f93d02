"""How a move goes about it: few calls, looks at once, and a volume that gets lost on the way is missed."""

from collections import Counter
from typing import Any

from compute.models import Instance, VolumeBinding
from compute.services.instance_power import start_instance
from cycloud.core.iam.models import AuditEntry
from cycloud.openstack.counters import reset_counters, snapshot
from tests.compute.reconcilers.test_drift import operator
from tests.compute.reconcilers.test_move import (
    assert_no_volume_ran_twice,
    change_type,
    declare_type,
    fingerprint,
    leftovers,
    start,
    stop,
    write_bytes,
)
from tests.support.clouds import PROJECT, Clouds
from tests.support.engine import run_due


def calls() -> Counter[str]:
    counts: Counter[str] = Counter()
    for key, number in snapshot().items():
        counts[key.verb] += number
    return counts


def stopped_before_a_move(clouds: Clouds) -> Instance:
    instance = clouds.running()
    write_bytes(clouds, instance)
    declare_type(clouds, "m8a.small")
    stop(clouds)
    return instance


def test_a_server_at_work_is_looked_at_alone_and_listed_before_another_is_made(
    clouds: Clouds,
) -> None:
    hold = clouds.site.faults.add("hold", cloud="a", state="BUILD")
    # what earlier tests of this process have called is no part of it
    reset_counters()
    instance = clouds.create()
    while not calls()["create_server"]:
        clouds.clock.advance(0.1)
        run_due()
    reset_counters()
    clouds.settle(seconds=3)
    assert calls()["get_server"] >= 3
    assert calls()["find_servers"] == 0
    clouds.site.faults.remove(hold)
    (server,) = clouds.a.servers
    operator(clouds).delete_server(server)
    clouds.settle(seconds=60)
    instance.refresh_from_db()
    assert instance.is_ready, clouds.ready_reason(instance)
    assert leftovers(clouds.a) == {"servers": 1, "ports": 1, "volumes": 2}


def start_and_let_go(clouds: Clouds, binding: VolumeBinding) -> None:
    """Begin the move, and stop where the volume is in no cloud."""
    start_instance(actor=clouds.actor, project_id=PROJECT, instance_id="web-1")
    for _ in range(600):
        run_due()
        if binding.provider_id not in clouds.a.volumes:
            return
        clouds.clock.advance(0.1)
    raise AssertionError("the volume was not let go")


def test_what_could_refuse_is_looked_at_once_and_the_storage_lists_nothing(clouds: Clouds) -> None:
    stopped_before_a_move(clouds)
    reset_counters()
    start(clouds)
    counts = calls()
    assert counts["find_manageable"] == 0
    assert (counts["compute_quota"], counts["storage_quota"], counts["get_flavor"]) == (1, 1, 1)
    assert counts["unmanage_volume"] == counts["manage_volume"] == 2
    assert (counts["create_port"], counts["delete_port"]) == (1, 1)
    assert (counts["create_server"], counts["delete_server"]) == (1, 1)
    assert counts["find_ports"] <= 14
    assert counts.total() <= 75, counts


def test_a_move_with_looks_at_once_keeps_everything(clouds: Clouds, settings: Any) -> None:
    settings.CYCLOUD_LOOKS_AT_ONCE = 4
    instance = clouds.running()
    write_bytes(clouds, instance)
    before = fingerprint(clouds, instance)
    change_type(clouds, "m8a.small")
    change_type(clouds, "m7a.small")
    assert fingerprint(clouds, instance) == before
    assert leftovers(clouds.a) == {"servers": 1, "ports": 1, "volumes": 2}
    assert leftovers(clouds.b) == {"servers": 0, "ports": 0, "volumes": 0}
    assert_no_volume_ran_twice(clouds)


def test_an_object_that_is_lost_after_it_was_let_go_is_missed_and_not_replaced(
    clouds: Clouds,
) -> None:
    instance = stopped_before_a_move(clouds)
    volume = instance.volume_attachments.get(device_index=1).volume
    binding = VolumeBinding.objects.get(volume_uid=volume.uid)
    name = clouds.object_of(volume)
    start_and_let_go(clouds, binding)
    clouds.site.storage.delete(name)
    clouds.settle(seconds=300)
    volume.refresh_from_db()
    assert volume.ready is not None
    assert (volume.ready.status, volume.ready.reason) == ("False", "DataNotFound")
    assert len(clouds.site.storage.names()) == 1
    assert not [v for c in (clouds.a, clouds.b) for v in c.volumes.values() if v.size == 0]
    alarms = AuditEntry.objects.filter(method="AlarmRaised")
    assert [a.resource_name for a in alarms] == [volume.name]
    assert not clouds.b.servers


def test_a_refused_manage_is_cleaned_up_and_the_object_found_by_the_listing(clouds: Clouds) -> None:
    instance = stopped_before_a_move(clouds)
    before = fingerprint(clouds, instance)
    volume = instance.volume_attachments.get(device_index=1).volume
    binding = VolumeBinding.objects.get(volume_uid=volume.uid)
    name = clouds.object_of(volume)
    start_and_let_go(clouds, binding)
    away = clouds.site.storage.get(name)
    clouds.site.storage.delete(name)
    reset_counters()
    for _ in range(300):
        if any(v.status == "error" for v in clouds.b.volumes.values()):
            break
        clouds.clock.advance(0.1)
        run_due()
    clouds.site.storage.put(name, away)
    clouds.settle(seconds=300)
    instance.refresh_from_db()
    assert instance.is_ready, clouds.ready_reason(instance)
    assert fingerprint(clouds, instance) == before
    assert calls()["find_manageable"] >= 1
    assert leftovers(clouds.b) == {"servers": 1, "ports": 1, "volumes": 2}
