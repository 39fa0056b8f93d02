"""Trouble between the portal and Kubernetes: no work on OpenStack waits for it, nothing is lost, nothing is twice."""

import threading
import time
from collections.abc import Iterator

import pytest

from compute.models import Instance, Volume, VolumeBinding
from compute.services.instance_input import InstanceUpdate
from compute.services.instance_power import stop_instance
from compute.services.instances import delete_instance, update_instance
from cycloud.core.reconcile.models import DueRow
from cycloud.kubernetes.marks import CONTROLLER
from networking.models import NetworkInterface
from networking.services.network_interfaces import (
    NetworkInterfaceInput,
    create_network_interface,
    update_network_interface,
)
from tests.e2e.kubernetes.harness.api import Json
from tests.e2e.kubernetes.harness.cutting import Cutter, cuttable
from tests.e2e.kubernetes.harness.install import install
from tests.e2e.kubernetes.harness.server import ApiServer
from tests.e2e.kubernetes.harness.tenant import Tenant
from tests.e2e.kubernetes.harness.waiting import until
from tests.e2e.kubernetes.harness.world import World, simulated_world

OUTAGE_SECONDS = 60.0
# after an outage: back-off and circuit let the next call through after at most half a minute
CAUGHT_UP_SECONDS = 60.0


@pytest.fixture(scope="module")
def cutter(faulty_server: ApiServer) -> Iterator[Cutter]:
    """The portal's way to the API server, which can be cut."""
    with cuttable(faulty_server) as cutter:
        yield cutter


@pytest.fixture(scope="module")
def world(faulty_server: ApiServer, cutter: Cutter, database: None) -> Iterator[World]:
    with simulated_world(faulty_server, url=cutter.url) as world:
        yield world


@pytest.fixture(scope="module")
def tenant(world: World) -> Tenant:
    return world.tenant("faults")


def _interface(tenant: Tenant, name: str) -> None:
    create_network_interface(
        actor=tenant.actor,
        project_id=tenant.project_id,
        data=NetworkInterfaceInput("main"),
        network_interface_id=name,
    )


def _rename(tenant: Tenant, name: str, display_name: str) -> None:
    update_network_interface(
        actor=tenant.actor,
        project_id=tenant.project_id,
        network_interface_id=name,
        changes={"display_name": display_name},
    )


class Says:
    """Whether an object's declaration and its row agree on a name, and the status is about it."""

    def __init__(self, display_name: str) -> None:
        self.display_name = display_name

    def __call__(self, found: Json | None) -> bool:
        if found is None or found["spec"].get("displayName", "") != self.display_name:
            return False
        seen = (found.get("status") or {}).get("observedGeneration")
        return bool(seen == found["metadata"]["generation"])


def test_a_second_writer_all_the_time(world: World, tenant: Tenant) -> None:
    """Conflicts (409) and repeated deletions: both sides' last word stands in the end."""
    names = [f"contested-{number}" for number in range(5)]
    mine, theirs = names[:3], names[3:]
    for name in mine:
        _interface(tenant, name)
    for name in theirs:
        tenant.api.apply(tenant.interface(name))
    for name in names:
        tenant.api.wait_ready("networkinterfaces", name)
    stop, writes = threading.Event(), [0]

    def annotate() -> None:
        while not stop.is_set():
            for name in names:
                body = {"metadata": {"annotations": {"writer": str(writes[0])}}}
                path = tenant.api.path("networkinterfaces", name)
                tenant.api.send("PATCH", path, body, "merge-patch+json", fieldManager="second")
                writes[0] += 1

    second = threading.Thread(target=annotate, daemon=True)
    second.start()
    try:
        for turn in range(10):
            for name in mine:
                _rename(tenant, name, f"turn {turn}")
            for name in theirs:
                tenant.api.merge(
                    "networkinterfaces", name, {"spec": {"displayName": f"turn {turn}"}}
                )
    finally:
        stop.set()
        second.join()
    assert writes[0] > 20
    for name in names:
        tenant.api.wait("networkinterfaces", name, "the last turn", Says("turn 9"))
    rows = NetworkInterface.objects.filter(resource_id__in=names)
    assert {row.display_name for row in rows} == {"turn 9"}
    assert rows.count() == len(names)


def test_connections_that_are_cut_every_second(
    world: World, tenant: Tenant, cutter: Cutter
) -> None:
    """For ten seconds, with changes on both sides."""
    stop = threading.Event()

    def cut() -> None:
        while not stop.wait(1.0):
            cutter.cut()

    cutting = threading.Thread(target=cut, daemon=True)
    cutting.start()
    names = [f"cut-{number}" for number in range(10)]
    try:
        for number, name in enumerate(names):
            before = cutter.cuts
            if number % 2:
                _interface(tenant, name)
            else:
                tenant.api.apply(tenant.interface(name))
            until(lambda before=before: cutter.cuts > before, "a cut")  # type: ignore[misc]
    finally:
        stop.set()
        cutting.join()
    for name in names:
        tenant.api.wait_ready("networkinterfaces", name, CAUGHT_UP_SECONDS)
    assert NetworkInterface.objects.filter(resource_id__startswith="cut-").count() == len(names)
    world.watching.wait_open(CAUGHT_UP_SECONDS)


def test_an_api_server_that_is_away_for_a_minute(world: World, tenant: Tenant) -> None:
    """It is stopped, not only out of reach; instances are made, stopped and deleted meanwhile."""
    tenant.create_instance("before")
    tenant.api.wait_ready("instances", "before")
    tenant.api.apply(tenant.interface("declared"))
    tenant.api.wait_ready("networkinterfaces", "declared")
    world.server.down()
    begin = time.monotonic()
    _work_goes_on(tenant)
    took = time.monotonic() - begin
    assert took < OUTAGE_SECONDS / 2, f"work on OpenStack took {took:.0f} s"
    threading.Event().wait(OUTAGE_SECONDS - took)
    assert DueRow.objects.filter(controller=CONTROLLER).exists()
    world.server.up()
    up = time.monotonic()
    tenant.api.wait_ready("instances", "meanwhile", CAUGHT_UP_SECONDS)
    tenant.api.wait_gone("instances", "before", CAUGHT_UP_SECONDS)
    found = tenant.api.get("instances", "meanwhile")
    assert found is not None
    assert (found["spec"]["displayName"], found["status"]["state"]) == ("renamed", "Stopped")
    world.watching.wait_open(CAUGHT_UP_SECONDS)
    # what is declared there is heard of again
    tenant.api.merge("networkinterfaces", "declared", {"spec": {"displayName": "after"}})
    tenant.api.wait("networkinterfaces", "declared", "its new name", Says("after"))
    print(f"caught up {time.monotonic() - up:.1f} s after the API server was back")


def _work_goes_on(tenant: Tenant) -> None:
    """Make an instance, change and stop it, delete another one: as fast as ever, with the API server down."""
    row = tenant.create_instance("meanwhile")

    def is_in(state: str) -> bool:
        row.refresh_from_db()
        return row.is_ready and row.state == state

    until(lambda: is_in("RUNNING"), "an instance that runs")
    changes = InstanceUpdate(display_name="renamed")
    update_instance(
        actor=tenant.actor, project_id=tenant.project_id, instance_id="meanwhile", changes=changes
    )
    stop_instance(actor=tenant.actor, project_id=tenant.project_id, instance_id="meanwhile")
    until(lambda: is_in("STOPPED"), "an instance that is stopped")
    delete_instance(actor=tenant.actor, project_id=tenant.project_id, instance_id="before")
    until(lambda: not Instance.objects.filter(resource_id="before").exists(), "an instance's end")


def test_a_wiped_etcd_is_written_again(world: World, tenant: Tenant, cutter: Cutter) -> None:
    """The operator installs again; then all is there again, namespaces too, and nothing was deleted."""
    tenant.api.apply(tenant.volume("kept"))
    tenant.api.wait_ready("volumes", "kept")
    shown = ("instances", "volumes", "networkinterfaces", "openstackvolumes", "instancetypes")
    before = {plural: tenant.api.names(plural) for plural in shown}
    volumes = set(Volume.objects.values_list("uid", "delete_time"))
    clouds = world.simulated.site.clouds
    provider = {volume for cloud in clouds.values() for volume in cloud.volumes}
    world.server.wipe()
    install(world.server, url=cutter.url)
    tenant.api.wait_ready("volumes", "kept", CAUGHT_UP_SECONDS)

    def all_back(_: Json | None = None) -> bool:
        return {plural: tenant.api.names(plural) for plural in shown} == before

    until(all_back, "all objects", CAUGHT_UP_SECONDS)
    kept = tenant.api.wait_condition("volumes", "kept", "Accepted", "True")
    found = tenant.api.get("volumes", "kept")
    assert found is not None
    assert found["metadata"]["finalizers"] == ["cycloud.jp/deletion"]
    assert kept["reason"] == "Accepted"
    # still declared there
    tenant.api.merge("volumes", "kept", {"spec": {"size": "2Gi"}})
    tenant.api.wait(
        "volumes", "kept", "grown", lambda f: Volume.objects.get(resource_id="kept").size_gib == 2
    )
    # neither the rows nor what is behind them were touched
    assert set(Volume.objects.values_list("uid", "delete_time")) == volumes
    assert {volume for cloud in clouds.values() for volume in cloud.volumes} == provider
    assert VolumeBinding.objects.filter(volume_name__contains="kept").count() == 1
